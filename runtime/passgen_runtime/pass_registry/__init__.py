"""Passes and pipelines by name."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.pass_registry.entries import (
    AnyEntry as AnyEntry,
    PassEntry as PassEntry,
    PipelineEntry as PipelineEntry,
    RegistryEntry as RegistryEntry,
    create_pass as create_pass,
    has_implementation as has_implementation,
    namespace_of as namespace_of,
    place_of as place_of,
    rank_of as rank_of,
    subclasses_of as subclasses_of,
)
from passgen_runtime.pass_registry.pass_registry import (
    PassRegistry as PassRegistry,
    default_registry as default_registry,
    register_pass as register_pass,
)
from passgen_runtime.pass_registry.pipeline_resolver import PipelineUser as PipelineUser
from passgen_runtime.pass_registry.resolution import (
    COMMAND_LINE_SOURCE as COMMAND_LINE_SOURCE,
    add_elements as add_elements,
    add_pass_from_flag as add_pass_from_flag,
    parse_pass_manager as parse_pass_manager,
    parse_pass_pipeline as parse_pass_pipeline,
    resolve_pipeline as resolve_pipeline,
)
