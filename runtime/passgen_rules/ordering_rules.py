"""Ordering rules: what a pass requires of the passes before and after it.

`order_judgement` decides which of them a pipeline breaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

RuleKind: TypeAlias = Literal[
    "after", "before", "afterIfPresent", "beforeIfPresent", "cleanup"
]
"""The key in a spec."""


class RuleMeaning(NamedTuple):
    """What the rules of one kind require."""

    relation: str
    """What a pass is to a partner that obeys it: `after`."""

    demand: str
    """The verb of messages, before the partners: `must come after`."""

    phrase: str
    """The verb of help texts: `runs after`."""

    title: str
    """The heading of the partners in the documentation: `After`."""

    wants_earlier: bool = False
    """Whether a partner must run before the pass, rather than after it."""

    is_soft: bool = False
    """Whether a pipeline without a partner obeys the rule."""

    is_weak: bool = False
    """Whether a partner on the other side does no harm; any one of several will do."""


RULE_MEANINGS: Final[dict[RuleKind, RuleMeaning]] = {
    "after": RuleMeaning(
        relation="after",
        demand="must come after",
        phrase="runs after",
        title="After",
        wants_earlier=True,
    ),
    "before": RuleMeaning(
        relation="before",
        demand="must come before",
        phrase="runs before",
        title="Before",
    ),
    "afterIfPresent": RuleMeaning(
        relation="after",
        demand="must come after",
        phrase="runs after, if present",
        title="After, where present",
        wants_earlier=True,
        is_soft=True,
    ),
    "beforeIfPresent": RuleMeaning(
        relation="before",
        demand="must come before",
        phrase="runs before, if present",
        title="Before, where present",
        is_soft=True,
    ),
    "cleanup": RuleMeaning(
        relation="cleaned up by",
        demand="must be cleaned up by",
        phrase="needs a clean-up later",
        title="Followed by one of",
        is_weak=True,
    ),
}


class OrderedPass(Protocol):
    """The attributes of a pass that rules read."""

    @property
    def argument(self) -> str:
        """The name in a textual pipeline."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of the groups of passes that it belongs to."""


@dataclass(frozen=True)
class Partner:
    """The passes that a rule is about: one by its argument, or all with a tag."""

    name: str
    is_tag: bool = False

    def matches(self, pass_: OrderedPass) -> bool:
        """Return whether it stands for `pass_`."""
        return self.name in pass_.tags if self.is_tag else self.name == pass_.argument

    def __str__(self) -> str:
        """Return its name in messages."""
        return f"a pass with tag '{self.name}'" if self.is_tag else f"'{self.name}'"


class Tag(Partner):
    """All passes that have a tag."""

    def __init__(self, name: str) -> None:
        """Store the name of the tag."""
        super().__init__(name, is_tag=True)


@dataclass(frozen=True)
class OrderingRule:
    """One requirement of a pass on the order of its pipeline."""

    kind: RuleKind
    partners: tuple[Partner, ...]
    """One of them is enough; only a clean-up has more than one."""

    @property
    def meaning(self) -> RuleMeaning:
        """What it requires."""
        return RULE_MEANINGS[self.kind]

    @property
    def wants_earlier(self) -> bool:
        """Whether a partner must run before the pass, rather than after it."""
        return self.meaning.wants_earlier

    @property
    def is_soft(self) -> bool:
        """Whether a pipeline without a partner obeys the rule."""
        return self.meaning.is_soft

    @property
    def demand(self) -> str:
        """The rule in messages about a pass: `must come after 'cse'`."""
        return f"{self.meaning.demand} {self._named_partners}"

    def __str__(self) -> str:
        """Return the rule as help texts show it: `runs after: 'cse'`."""
        return f"{self.meaning.phrase}: {self._named_partners}"

    @property
    def _named_partners(self) -> str:
        return " or ".join(map(str, self.partners))

    def is_about(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` is one of the partners."""
        return any(partner.matches(pass_) for partner in self.partners)


def tag(name: str) -> Tag:
    """Return a reference to all passes with the tag `name`."""
    return Tag(name)


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
    return partner if isinstance(partner, Tag) else Partner(partner)
