"""Registration of pipelines that a pass manager builder builds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from passgen_runtime.pass_manager_builder.pass_manager_builder import (
    BuilderPipeline,
    PassManagerBuilder,
)
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry import PassRegistry, PipelineEntry, default_registry

OptionsT = TypeVar("OptionsT", bound=PassOptions)


def register_pipeline_builder(  # noqa: PLR0913 - the last two are named
    argument: str,
    summary: str,
    build: (
        Callable[[PassManagerBuilder], None]
        | Callable[[PassManagerBuilder, OptionsT], None]
    ),
    options_class: type[OptionsT] | None = None,
    *,
    registry: PassRegistry | None = None,
    replace: bool = False,
) -> None:
    """Register a pipeline that the function `build` adds to a builder.

    Args:
        argument: the name of the pipeline in textual pipelines.
        summary: a line for lists of pipelines.
        build: takes a builder, and the options if there is a class of them.
        options_class: the class of the options of the pipeline.
        registry: the default registry if not given.
        replace: whether this replaces a pass or pipeline with the same argument.

    Raises:
        RegistrationError: see `PassRegistry.register_pipeline`.
    """
    registry = registry or default_registry
    pipeline = BuilderPipeline(argument, build, registry)
    entry = PipelineEntry(argument, summary, pipeline, options_class)
    registry.add(entry, replace=replace)
