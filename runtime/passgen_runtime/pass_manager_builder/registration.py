"""Pipelines that a registry builds with a pass manager builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

from passgen_runtime.pass_manager_builder.pass_manager_builder import (
    BuilderPipeline,
    PassManagerBuilder,
)
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry import PassRegistry, default_registry

OptionsT = TypeVar("OptionsT", bound=PassOptions)


@overload
def register_pipeline_builder(
    argument: str,
    summary: str,
    build: Callable[[PassManagerBuilder], None],
    *,
    registry: PassRegistry | None = None,
    replace: bool = False,
) -> None: ...
@overload
def register_pipeline_builder(
    argument: str,
    summary: str,
    build: Callable[[PassManagerBuilder, OptionsT], None],
    options_class: type[OptionsT],
    *,
    registry: PassRegistry | None = None,
    replace: bool = False,
) -> None: ...
def register_pipeline_builder(  # noqa: PLR0913 - the last two are named
    argument: str,
    summary: str,
    build: Callable[..., None],
    options_class: type[PassOptions] | None = None,
    *,
    registry: PassRegistry | None = None,
    replace: bool = False,
) -> None:
    """Register a pipeline that `build` adds to a builder.

    Args:
        argument: its name in a textual pipeline.
        summary: one line for lists of pipelines.
        build: gets a builder, and the options if there is a class of them.
        options_class: what the options between the braces are parsed into.
        registry: the default registry where not given.
        replace: whether this takes the place of what has the same argument.

    Raises:
        RegistrationError: see `PassRegistry.register_pipeline`.
    """
    registry = default_registry if registry is None else registry
    pipeline = BuilderPipeline(argument, build, registry)
    # One implementation of two overloads calls one of two overloads.
    register = cast("Callable[..., None]", registry.register_pipeline)
    given: tuple[Any, ...] = () if options_class is None else (options_class,)
    register(argument, summary, pipeline, *given, replace=replace)
