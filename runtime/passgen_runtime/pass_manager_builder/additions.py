"""Dialects, pipeline hooks and plugins that a registry holds beside passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from passgen_runtime.context import Context
from passgen_runtime.operation_pass import Pass
from passgen_runtime.ordering_rules import Tag
from passgen_runtime.pass_manager import DeclaredPass
from passgen_runtime.pass_registry import PassRegistry


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a pipeline, by its name."""

    name: str

    def __str__(self) -> str:
        """Return the stage as messages name it."""
        return f"stage '{self.name}'"


def stage(name: str) -> Stage:
    """Return a reference to the stage `name` of a pipeline."""
    return Stage(name)


OldPass: TypeAlias = str | type[Pass] | type[DeclaredPass] | Tag | Stage
"""A reference to passes in a pipeline: by argument, class, tag or stage."""


@dataclass(frozen=True, slots=True, eq=False)
class PipelineHook:
    """A hook, and the pipelines that it edits."""

    hook: Callable[..., None]
    """The function, which gets the builder of a pipeline."""

    pipeline: str | None
    """The argument of a registered pipeline; `None` means any whole pipeline."""

    where: OldPass | None
    """The passes that a pipeline must contain; `None` means no condition."""


@dataclass(slots=True)
class RegistryAdditions:
    """The dialects, hooks and plugins of a registry."""

    dialects: dict[str, Callable[[], object]] = field(default_factory=dict)
    """The function that creates each dialect for the IR library in use, by name."""

    hooks: list[PipelineHook] = field(default_factory=list)
    plugins: dict[str, str] = field(default_factory=dict)
    """The name of each loaded plugin, by its target."""

    def register_dialects(self, context: Context) -> None:
        """Register the dialects in `context`.

        Raises:
            DialectError: the context has another dialect of the same name.
        """
        for name, make in self.dialects.items():
            context.register_dialect(name, make)


_ADDITIONS: Final = WeakKeyDictionary[PassRegistry, RegistryAdditions]()


def additions_to(registry: PassRegistry) -> RegistryAdditions:
    """Return the dialects, hooks and plugins of `registry`."""
    return _ADDITIONS.setdefault(registry, RegistryAdditions())
