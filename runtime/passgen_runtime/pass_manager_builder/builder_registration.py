"""What plugins bring by a builder: dialects, passes, pipelines, and hooks.

An entry point of a plugin gets a `PassManagerBuilder`; this is the half of it that is
about all pipelines, and not about the one that is being built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from passgen_runtime.context import Context
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager_builder.bundles import register_pipeline_builder
from passgen_runtime.pass_manager_builder.edits import OldPass
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry import Hook, PassRegistry, PipelineHook

if TYPE_CHECKING:
    from passgen_runtime.pass_manager_builder.pass_manager_builder import (
        PassManagerBuilder,
    )

OptionsT = TypeVar("OptionsT", bound=PassOptions)


class BuilderRegistration(ABC):
    """The registrations of a `PassManagerBuilder`."""

    @property
    @abstractmethod
    def context(self) -> Context | None:
        """The context of the IR to run on, if it is known."""

    @property
    @abstractmethod
    def registry(self) -> PassRegistry:
        """Where names are looked up."""

    def register_dialect(self, name: str, make: Callable[[], object]) -> None:
        """Let contexts know a dialect: that of the builder, and those of a driver.

        Args:
            name: of the dialect.
            make: returns the dialect, as the IR library in use wants it.

        Raises:
            DialectError: the context has another dialect of this name.
        """
        if self.context is not None:
            self.context.register_dialect(name, make)
        self.registry.extensions.dialects[name] = make

    def register_pass(self, pass_: type[Pass] | Callable[[], Pass]) -> None:
        """Register a pass class or factory; see `PassRegistry.register_pass`."""
        self.registry.register_pass(pass_)

    @overload
    def register_pipeline(
        self, argument: str, summary: str, build: Callable[[PassManagerBuilder], None]
    ) -> None: ...
    @overload
    def register_pipeline(
        self,
        argument: str,
        summary: str,
        build: Callable[[PassManagerBuilder, OptionsT], None],
        options_class: type[OptionsT],
    ) -> None: ...
    def register_pipeline(
        self,
        argument: str,
        summary: str,
        build: Callable[..., None],
        options_class: type[PassOptions] | None = None,
    ) -> None:
        """Register a pipeline; see `register_pipeline_builder`."""
        register = cast("Callable[..., None]", register_pipeline_builder)
        given: tuple[Any, ...] = () if options_class is None else (options_class,)
        register(argument, summary, build, *given, registry=self.registry)

    def add_hook(
        self,
        hook: Hook,
        *,
        pipeline: str | None = None,
        where: OldPass | None = None,
    ) -> None:
        """Let `hook` edit pipelines before they are built: this one, and later ones.

        Args:
            hook: gets the builder of a pipeline that is complete.
            pipeline: the argument of a registered pipeline; if not given, `hook` gets
                whole pipelines of any name.
            where: if given, `hook` gets only pipelines that hold it.
        """
        hooks = self.registry.extensions.hooks
        hooks.append(PipelineHook(hook, pipeline, where))
