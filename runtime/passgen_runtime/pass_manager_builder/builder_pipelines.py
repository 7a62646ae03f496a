"""Registered pipelines that are built by a builder, and so can be extended.

    def build(builder: PassManagerBuilder, options: LoweringOptions) -> None:
        with builder.stage("bufferize"):
            builder.add("one-shot-bufferize")

    register_pipeline_builder("lower", "Lowers it all", build, LoweringOptions)

They are named in textual pipelines like all others. The builder itself is imported when
one is built: a file of generated passes is cheap to import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from passgen_runtime.pass_manager.pass_manager import OpPassManager
from passgen_runtime.pass_options.pass_options import PassOptions
from passgen_runtime.pass_registry.pass_registry import PassRegistry, default_registry

if TYPE_CHECKING:
    from passgen_runtime.pass_manager_builder.pass_manager_builder import PassManagerBuilder

OptionsT = TypeVar("OptionsT", bound=PassOptions)


@dataclass(frozen=True)
class BuilderPipeline:
    """What a registry calls to build a pipeline: two of one function are equal."""

    argument: str
    build: Callable[..., None]
    registry: PassRegistry

    @property
    def __wrapped__(self) -> Callable[..., None]:
        """The function that errors name."""
        return self.build

    def __call__(self, manager: OpPassManager, *options: PassOptions) -> None:
        """Add the pipeline to `manager`.

        Raises:
            PipelineConstraintError: it is complete, and breaks rules.
        """
        module = import_module("passgen_runtime.pass_manager_builder.pass_manager_builder")
        module.add_built_pipeline(self, manager, options)


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
