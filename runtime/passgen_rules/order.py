"""Ordering rules: what a pass requires of the passes before and after it.

A rule is judged on the sequence of passes in a pipeline, nested ones included. `after`
is obeyed if some partner comes before the pass, `before` and `cleanup` if some partner
comes after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from .sequence import NO_OPTIONS, Domains, Guard, Step, find_case

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


class OrderedStep(OrderedPass, Step, Protocol):
    """A pass in its place in a pipeline, as far as ordering rules read it."""


_StepT = TypeVar("_StepT", bound=OrderedStep)


class BrokenRule(NamedTuple, Generic[_StepT]):
    """A case in which a pipeline breaks a rule of one of its passes."""

    rule: OrderingRule
    witness: _StepT | None
    """A partner on the wrong side of the pass; `None`: the partner is missing."""

    case: Guard

    def message(self, argument: str, pipeline: str = "") -> str:
        """Return what is wrong with the pass called `argument`.

        Args:
            argument: the pass that has the rule.
            pipeline: the name of the pipeline; empty if it is clear which one is meant.
        """
        demand = f"pass '{argument}' {self.rule.demand}"
        if self.rule.meaning.is_weak:
            is_one = len(self.rule.partners) == 1
            missing = "which does not follow" if is_one else "none of which follows"
            where = f" it in {pipeline}" if pipeline else ""
            return f"{demand}, {missing}{where}"
        if self.witness is None:
            return f"{demand}, which {pipeline or 'the pipeline'} does not hold"
        opposite = "before" if self.rule.wants_earlier else "after"
        if pipeline:
            return f"{demand}, but in {pipeline} it comes {opposite}"
        is_tag = self.rule.partners[0].is_tag
        found = f"'{self.witness.argument}'" if is_tag else "it"
        return f"{demand}, but comes {opposite} {found}"


class PassOrder(Generic[_StepT]):
    """The passes of a pipeline in order, as ordering rules see them."""

    def __init__(self, steps: Sequence[_StepT], domains: Domains = NO_OPTIONS) -> None:
        """Note where the partners of rules are.

        Args:
            steps: the passes.
            domains: the values of the options that their guards restrict.
        """
        self._steps = steps
        self._domains = domains
        self._indices: dict[tuple[str, bool], list[int]] = {}
        """The passes of each partner that a rule may have, by its attributes."""

        for index, step in enumerate(steps):
            names = [(step.argument, False), *((name, True) for name in step.tags)]
            for partner in dict.fromkeys(names):
                self._indices.setdefault(partner, []).append(index)

    def partners(self, rule: OrderingRule) -> list[int]:
        """Return the indices of the passes that `rule` is about, in order."""
        found: set[int] = set()
        for partner in rule.partners:
            found.update(self._indices.get((partner.name, partner.is_tag), ()))
        return sorted(found)

    def broken_rule(self, index: int, rule: OrderingRule) -> BrokenRule[_StepT] | None:
        """Return a case in which the pass at `index` breaks its `rule`, if any."""
        guard = self._steps[index].guard
        partners = self.partners(rule)
        earlier = [self._steps[partner] for partner in partners if partner < index]
        later = [self._steps[partner] for partner in partners if partner > index]
        fitting, wrong = (earlier, later) if rule.wants_earlier else (later, earlier)
        excluded = [partner.guard for partner in fitting]
        if not all(excluded):
            return None  # a partner is there in all cases
        for witness in () if rule.meaning.is_weak else wrong:
            case = find_case([guard, witness.guard], excluded, self._domains)
            if case is not None:
                return BrokenRule(rule, witness, case)
        if rule.is_soft:
            return None
        case = find_case([guard], excluded, self._domains)
        return None if case is None else BrokenRule(rule, None, case)


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
