"""Passes and pipelines by name."""

from passgen_runtime.pass_registry.entries import (
    PassEntry,
    PipelineEntry,
    RegistryEntry,
    has_implementation,
    native_pass_factories,
    place_of,
)
from passgen_runtime.pass_registry.pass_registry import (
    PassPipelineRegistration,
    PassRegistry,
    create_pass,
    default_registry,
    register_pass,
)
from passgen_runtime.pass_registry.pipeline_resolver import PipelineUser
from passgen_runtime.pass_registry.resolution import (
    COMMAND_LINE_SOURCE,
    add_elements,
    add_pass_from_flag,
    parse_pass_manager,
    parse_pass_pipeline,
    resolve_pipeline,
)

__all__ = [
    "COMMAND_LINE_SOURCE",
    "PassEntry",
    "PassPipelineRegistration",
    "PassRegistry",
    "PipelineEntry",
    "PipelineUser",
    "RegistryEntry",
    "add_elements",
    "add_pass_from_flag",
    "create_pass",
    "default_registry",
    "has_implementation",
    "native_pass_factories",
    "parse_pass_manager",
    "parse_pass_pipeline",
    "place_of",
    "register_pass",
    "resolve_pipeline",
]
