"""Violations: what is wrong with a pipeline by the rules that its passes state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from passgen_runtime.errors import (
    MAX_SHOWN_ERRORS,
    PIPELINE_SOURCE,
    SchedulingError,
    Span,
    located,
)

if TYPE_CHECKING:
    from passgen_runtime.ordering_rules import RuleKind

ViolationKind: TypeAlias = 'RuleKind | Literal["preserves", "anchor", "skip"]'
"""The rule that is broken: the key of a spec, or what holds for all pipelines."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that one pass of a pipeline breaks."""

    kind: ViolationKind
    subject: str
    """The pass that the caret is under, by its argument."""

    message: str
    declared_in: str
    """Where the rule is declared: `spec.yaml: PassName.key`, or a class's attribute."""

    notes: tuple[str, ...] = ()
    can_be_mended_behind: bool = False
    """Whether a pass that is added at the end of the pipeline could mend it."""

    is_conflict: bool = False
    """Whether a pass that would fulfil the rule is there, on the wrong side."""

    text: str = field(default="", compare=False)
    """The pipeline as text."""

    span: Span = field(default=Span(0, 0), compare=False)
    """Of the pass in it."""

    def __str__(self) -> str:
        """Return place, message, the pipeline with a caret, and notes."""
        notes = self.notes
        if self.declared_in:
            notes = (*notes, f"the rule is declared in {self.declared_in}")
        return located(
            "error", self.message, PIPELINE_SOURCE, self.text, self.span, notes
        )


class PipelineConstraintError(SchedulingError):
    """A pipeline breaks rules that its passes state."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        """Keep all `violations`, in the order of the passes."""
        self.violations = tuple(violations)
        shown = self.violations[:MAX_SHOWN_ERRORS]
        more = len(self.violations) - len(shown)
        rest = (f"error: and {more} more",) if more else ()
        super().__init__("\n".join((*map(str, shown), *rest)))

    def brief(self) -> tuple[str, ...]:
        """Return a line for each violation."""
        return tuple(
            f"{each.message} ({each.declared_in})" if each.declared_in else each.message
            for each in self.violations
        )
