"""Violations of ordering rules by the passes of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from passgen_runtime.errors import (
    MAX_SHOWN_ERRORS,
    PIPELINE_SOURCE,
    SchedulingError,
    Span,
    locate,
)
from passgen_runtime.ordering_rules import RuleKind

ViolationKind: TypeAlias = RuleKind | Literal["preserves", "anchor", "skip", "needs"]
"""The broken rule: a key of a spec, or a rule for all pipelines."""


@dataclass(frozen=True, slots=True)
class ConstraintViolation:
    """A rule that a pass of a pipeline breaks."""

    kind: ViolationKind
    subject: str
    """The argument of the pass, which the caret marks."""

    message: str
    declared_in: str
    """The place of the rule: `spec.yaml: PassName.key`, or a class's attribute."""

    notes: tuple[str, ...] = ()
    can_be_fixed_later: bool = False
    """Whether a pass that is appended to the pipeline could satisfy the rule."""

    is_conflict: bool = False
    """Whether a pass that could satisfy the rule is on the wrong side."""

    text: str = field(default="", compare=False)
    """The pipeline as text."""

    span: Span = field(default=Span(0, 0), compare=False)
    """The place of the pass in `text`."""

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes, and the place of the rule."""
        if not self.declared_in:
            return self.notes
        return (*self.notes, f"the rule is declared in {self.declared_in}")

    def __str__(self) -> str:
        """Return place, message, the pipeline with a caret, and notes."""
        place = PIPELINE_SOURCE, self.text, self.span
        return locate("error", self.message, *place, self.all_notes)


class PipelineConstraintError(SchedulingError):
    """A pipeline breaks rules of its passes."""

    def __init__(self, violations: Sequence[ConstraintViolation]) -> None:
        """Store all `violations`, in the order of the passes."""
        self.violations = tuple(violations)
        shown = self.violations[:MAX_SHOWN_ERRORS]
        more = len(self.violations) - len(shown)
        rest = (f"error: and {more} more",) if more else ()
        super().__init__("\n".join((*map(str, shown), *rest)))

    def brief(self, pipeline: str) -> tuple[str, tuple[str, ...]]:
        """Return a summary of one line, and a note for each violation."""
        notes = tuple(
            f"{violation.message} ({violation.declared_in})".removesuffix(" ()")
            for violation in self.violations
        )
        return f"the passes of '{pipeline}' break their rules", notes
