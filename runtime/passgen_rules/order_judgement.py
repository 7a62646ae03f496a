"""The judgement of ordering rules: which of them a pipeline breaks.

A rule is judged on the sequence of passes in a pipeline, nested ones included. `after`
is obeyed if some partner comes before the pass, `before` and `cleanup` if some partner
comes after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from .ordering_rules import OrderedPass, OrderingRule
from .sequence import NO_OPTIONS, Domains, Guard, Step, find_case


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
