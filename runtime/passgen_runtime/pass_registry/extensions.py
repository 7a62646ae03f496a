"""Extensions of a registry by plugins: dialects and pipeline hooks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from passgen_runtime.context import Context
from passgen_runtime.operation_pass import Pass
from passgen_runtime.ordering_rules import Stage, Tag

OldPass: TypeAlias = str | type[Pass] | Tag | Stage
"""A reference to passes in a pipeline: by argument, class, tag or stage."""


@dataclass(frozen=True, slots=True, eq=False)
class PipelineHook:
    """A hook, and the pipelines that it edits."""

    hook: Callable[..., None]
    """Gets the builder of the pipeline."""

    pipeline: str | None
    """The argument of a registered pipeline; `None`: whole pipelines of any name."""

    where: OldPass | None
    """The passes that a pipeline must hold for the hook to be called."""


@dataclass(slots=True)
class RegistryExtensions:
    """The dialects, hooks and plugins of a registry."""

    dialects: dict[str, Callable[[], object]] = field(default_factory=dict)
    """The function that makes each dialect for the IR library in use, by name."""

    hooks: list[PipelineHook] = field(default_factory=list)
    plugins: dict[str, str] = field(default_factory=dict)
    """The name of each loaded plugin, by its target."""

    def register_dialects(self, context: Context) -> None:
        """Make the dialects known to `context`.

        Raises:
            DialectError: the context has another dialect of one of the names.
        """
        for name, make in self.dialects.items():
            context.register_dialect(name, make)
