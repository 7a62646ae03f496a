"""Ordering rules: the requirements of a pass on the pipeline around it.

A pass declares its rules; `PassManagerBuilder` checks pipelines against them:

    class BufferHoisting(OperationPass[PassOptions]):
        argument = "buffer-hoisting"
        tags = ("memref",)
        ordering = (
            after(tag("bufferization")),    # strong: at least one runs earlier
            before_if_present("lower-all"), # soft: if there is any, one runs later
            cleanup("canonicalize", "cse"), # weak: one of them runs later
        )
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TypeAlias

from passgen_runtime.errors import (
    MAX_SHOWN_ERRORS,
    PIPELINE_SOURCE,
    SchedulingError,
    Span,
    located,
    wrong_argument,
)

RuleKind = Literal["after", "before", "afterIfPresent", "beforeIfPresent", "cleanup"]
"""The key in a spec; `IfPresent` are the soft ones, `cleanup` is the weak one."""


class OrderedPass(Protocol):
    """The attributes of a pass that rules read."""

    @property
    def argument(self) -> str:
        """The name in a textual pipeline."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of the groups of passes that it belongs to."""


@dataclass(frozen=True, slots=True)
class Tag:
    """All passes that have a tag."""

    name: str

    def matches(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` has the tag."""
        return self.name in pass_.tags

    def __str__(self) -> str:
        """Return its name in messages."""
        return f"a pass with tag '{self.name}'"


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a pipeline, by its name."""

    name: str

    def __str__(self) -> str:
        """Return its name in messages."""
        return f"stage '{self.name}'"


@dataclass(frozen=True, slots=True)
class NamedPass:
    """A pass by its argument."""

    argument: str

    def matches(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` has the argument."""
        return pass_.argument == self.argument

    def __str__(self) -> str:
        """Return its name in messages."""
        return f"'{self.argument}'"


Partner: TypeAlias = Tag | NamedPass
"""The passes that a rule is about."""

_EARLIER: Final = frozenset({"after", "afterIfPresent"})
_SOFT: Final = frozenset({"afterIfPresent", "beforeIfPresent"})


@dataclass(frozen=True, slots=True)
class OrderingRule:
    """One requirement of a pass on the order of its pipeline."""

    kind: RuleKind
    partners: tuple[Partner, ...]
    """One of them is enough; only a clean-up has more than one."""

    @property
    def wants_earlier(self) -> bool:
        """Whether a partner must run before the pass, rather than after it."""
        return self.kind in _EARLIER

    @property
    def is_soft(self) -> bool:
        """Whether it holds only for pipelines that have a partner."""
        return self.kind in _SOFT

    def is_about(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` is one of the partners."""
        return any(partner.matches(pass_) for partner in self.partners)


def tag(name: str) -> Tag:
    """Return a reference to all passes with the tag `name`."""
    return Tag(name)


def stage(name: str) -> Stage:
    """Return a reference to the stage `name` of a pipeline."""
    return Stage(name)


def after(partner: str | Tag) -> OrderingRule:
    """Require that at least one `partner`, an argument or a tag, runs earlier."""
    return OrderingRule("after", (_partner(partner),))


def before(partner: str | Tag) -> OrderingRule:
    """Require that at least one `partner`, an argument or a tag, runs later."""
    return OrderingRule("before", (_partner(partner),))


def after_if_present(partner: str | Tag) -> OrderingRule:
    """Require the same as `after`, but only of pipelines that hold `partner`."""
    return OrderingRule("afterIfPresent", (_partner(partner),))


def before_if_present(partner: str | Tag) -> OrderingRule:
    """Require the same as `before`, but only of pipelines that hold `partner`."""
    return OrderingRule("beforeIfPresent", (_partner(partner),))


def cleanup(*partners: str | Tag) -> OrderingRule:
    """Require that one of `partners` runs later, anywhere after the pass."""
    return OrderingRule("cleanup", tuple(map(_partner, partners)))


def _partner(partner: str | Tag) -> Partner:
    if isinstance(partner, Tag):
        return partner
    if not isinstance(partner, str):
        argument: object = getattr(partner, "argument", None)
        notes = (f"write '{argument}'",) if isinstance(argument, str) else ()
        kind = "an argument or a tag"
        raise wrong_argument("partner of a rule", partner, kind, *notes)
    return NamedPass(partner)


ViolationKind: TypeAlias = RuleKind | Literal["preserves", "anchor", "skip"]
"""The rule that is broken: a key of a spec, or a rule for all pipelines."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that one pass of a pipeline breaks."""

    kind: ViolationKind
    subject: str
    """The argument of the pass, which the caret marks."""

    message: str
    declared_in: str
    """The place of the rule: `spec.yaml: PassName.key`, or a class's attribute."""

    notes: tuple[str, ...] = ()
    can_be_fixed_later: bool = False
    """Whether a pass that is added at the end of the pipeline could mend it."""

    is_conflict: bool = False
    """Whether a pass that would satisfy the rule is there, on the wrong side."""

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
        return located("error", self.message, *place, self.all_notes)


class PipelineConstraintError(SchedulingError):
    """A pipeline breaks rules of its passes."""

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
