"""What plugins bring to a registry besides passes: dialects and pipeline hooks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from passgen_runtime.context import Context
from passgen_runtime.operation_pass import Pass
from passgen_runtime.ordering_rules import Stage, Tag

OldPass: TypeAlias = str | type[Pass] | Tag | Stage
"""Passes that are in a pipeline: by argument, class, tag or stage."""


@dataclass(frozen=True, slots=True, eq=False)
class PipelineHook:
    """A hook, and which pipelines it is for."""

    hook: Callable[..., None]
    """Gets the builder of the pipeline."""

    pipeline: str | None
    """The argument of a registered pipeline; `None`: whole pipelines of any name."""

    where: OldPass | None
    """What a pipeline must hold for the hook to be called."""


@dataclass(slots=True)
class RegistryExtensions:
    """What a registry holds besides passes and pipelines."""

    dialects: dict[str, Callable[[], object]] = field(default_factory=dict)
    """By name, what makes a dialect for the IR library in use."""

    hooks: list[PipelineHook] = field(default_factory=list)
    plugins: dict[str, str] = field(default_factory=dict)
    """By target, the name of each plugin that was loaded."""

    def register_dialects(self, context: Context) -> None:
        """Make the dialects known to `context`.

        Raises:
            DialectError: it cannot take one.
        """
        for name, make in self.dialects.items():
            context.register_dialect(name, make)
