"""The toy compiler as a plugin: named by its module, it needs no entry point."""

from __future__ import annotations

from passgen_runtime.pass_manager_builder import PassManagerBuilder
from tests.toy_compiler.generated.toy_compiler_passes import (
    registerToyCompilerPasses,
    registerToyCompilerPipelines,
)


def register_dialects_and_passes(builder: PassManagerBuilder) -> None:
    """Register the passes and pipelines of the toy compiler."""
    registerToyCompilerPasses(builder.registry)
    registerToyCompilerPipelines(builder.registry)
