"""What a pass asks of the passes around it in a pipeline.

`PassManagerBuilder` holds pipelines against these rules; a pass states its own:

    class BufferHoisting(OperationPass[PassOptions]):
        argument = "buffer-hoisting"
        tags = ("memref",)
        ordering = (
            after(tag("bufferization")),    # strong: at least one has run by then
            before_if_present("lower-all"), # soft: where there is one, one follows
            cleanup("canonicalize", "cse"), # weak: one of them follows somewhere
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
    """What a rule reads of a pass."""

    @property
    def argument(self) -> str:
        """The name in a textual pipeline."""

    @property
    def tags(self) -> tuple[str, ...]:
        """What rules call the pass and others like it."""


@dataclass(frozen=True, slots=True)
class Tag:
    """All passes that have a tag."""

    name: str

    def matches(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` has the tag."""
        return self.name in pass_.tags

    def __str__(self) -> str:
        """Return what messages call it."""
        return f"a pass with tag '{self.name}'"


@dataclass(frozen=True, slots=True)
class Stage:
    """What a named stage of a pipeline holds."""

    name: str

    def __str__(self) -> str:
        """Return what messages call it."""
        return f"stage '{self.name}'"


@dataclass(frozen=True, slots=True)
class NamedPass:
    """A pass by its argument."""

    argument: str

    def matches(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` is called so."""
        return pass_.argument == self.argument

    def __str__(self) -> str:
        """Return what messages call it."""
        return f"'{self.argument}'"


Partner: TypeAlias = Tag | NamedPass
"""The passes that a rule is about."""

_EARLIER: Final = frozenset({"after", "afterIfPresent"})
_SOFT: Final = frozenset({"afterIfPresent", "beforeIfPresent"})


@dataclass(frozen=True, slots=True)
class OrderingRule:
    """One demand of a pass on the order of its pipeline."""

    kind: RuleKind
    partners: tuple[Partner, ...]
    """Any of them will do; only a clean-up has more than one."""

    @property
    def wants_earlier(self) -> bool:
        """Whether a partner belongs before the pass, rather than behind it."""
        return self.kind in _EARLIER

    @property
    def is_soft(self) -> bool:
        """Whether it is about pipelines that hold a partner at all."""
        return self.kind in _SOFT

    def is_about(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` is one of the partners."""
        return any(partner.matches(pass_) for partner in self.partners)


def tag(name: str) -> Tag:
    """Return what stands for all passes with the tag `name`."""
    return Tag(name)


def stage(name: str) -> Stage:
    """Return what stands for all that the stage `name` of a pipeline holds."""
    return Stage(name)


def after(partner: str | Tag) -> OrderingRule:
    """Demand that at least one `partner`, an argument or a tag, runs earlier."""
    return OrderingRule("after", (_partner(partner),))


def before(partner: str | Tag) -> OrderingRule:
    """Demand that at least one `partner`, an argument or a tag, runs later."""
    return OrderingRule("before", (_partner(partner),))


def after_if_present(partner: str | Tag) -> OrderingRule:
    """Demand what `after` does of pipelines that hold `partner`."""
    return OrderingRule("afterIfPresent", (_partner(partner),))


def before_if_present(partner: str | Tag) -> OrderingRule:
    """Demand what `before` does of pipelines that hold `partner`."""
    return OrderingRule("beforeIfPresent", (_partner(partner),))


def cleanup(*partners: str | Tag) -> OrderingRule:
    """Demand that one of `partners` runs later, at once or at the very end."""
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
