"""What plugins bring to a registry besides passes: dialects and pipeline hooks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from passgen_runtime.context import Context

if TYPE_CHECKING:
    from passgen_runtime.pass_manager_builder import (
        OldPass,
        PassManagerBuilder,
    )

Hook: TypeAlias = "Callable[[PassManagerBuilder], None]"
"""Edits a pipeline that somebody else has built."""


@dataclass(frozen=True, slots=True, eq=False)
class PipelineHook:
    """A hook, and which pipelines it is for."""

    hook: Hook
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
