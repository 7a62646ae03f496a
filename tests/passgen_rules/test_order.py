"""The table of ordering rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from passgen_rules.order_judgement import PassOrder
from passgen_rules.ordering_rules import (
    RULE_MEANINGS,
    OrderingRule,
    Partner,
    Tag,
    after,
    tag,
)
from passgen_rules.sequence import Guard, Nest, describe_case
from tests.cases.reader import read_cases

DOMAINS: Final = {"full": (False, True)}


@dataclass(frozen=True)
class Placed:
    """A pass in a pipeline."""

    argument: str
    tags: tuple[str, ...] = ()
    guard: Guard = field(default_factory=dict)
    nest: Nest = ()


def rules_of(declared: dict[str, Any]) -> list[OrderingRule]:
    """Return the rules that a pass of the table declares."""
    return [
        OrderingRule(
            kind,
            tuple(
                Tag(partner["tag"]) if isinstance(partner, dict) else Partner(partner)
                for partner in declared[kind]
            ),
        )
        for kind in RULE_MEANINGS
        if kind in declared
    ]


def placed(element: str | dict[str, Any], passes: dict[str, Any]) -> list[Placed]:
    """Return the passes of an element of a pipeline in the table."""
    if isinstance(element, str):
        return [Placed(element, tuple(passes.get(element, {}).get("tags", ())))]
    if "nest" in element:
        return [inner for each in element["elements"] for inner in placed(each, passes)]
    key = "when" if "when" in element else "unless"
    guard = {element[key]: frozenset({key == "when"})}
    return [Placed(element["pass"], guard=guard)]


@pytest.mark.parametrize("case", read_cases("ordering_rules"), ids=str)
def test_case(case: dict[str, Any]) -> None:
    passes = case["passes"]
    steps = [step for element in case["pipeline"] for step in placed(element, passes)]
    order = PassOrder(steps, DOMAINS)
    found = [
        (step.argument, broken)
        for index, step in enumerate(steps)
        for rule in rules_of(passes.get(step.argument, {}))
        if (broken := order.broken_rule(index, rule))
    ]

    named = [broken.message(argument, "pipeline 'all'") for argument, broken in found]
    unnamed = [broken.message(argument) for argument, broken in found]
    cases = [describe_case(broken.case, DOMAINS) for _, broken in found]
    assert named == ([case["passgen"]] if "passgen" in case else [])
    assert unnamed == ([case["runtime"]] if "runtime" in case else [])
    assert cases == ([case.get("case", "")] if "passgen" in case else [])


def test_help_texts_name_all_partners() -> None:
    kinds: dict[str, str] = {
        kind: str(OrderingRule(kind, (Partner("cse"), tag("low"))))
        for kind in RULE_MEANINGS
    }

    assert kinds["after"] == "runs after: 'cse' or a pass with tag 'low'"
    assert kinds["cleanup"] == "needs a clean-up later: 'cse' or a pass with tag 'low'"


def test_two_classes_with_one_argument_may_have_different_tags() -> None:
    order = PassOrder([Placed("a"), Placed("a", ("low",)), Placed("x")])

    assert order.partners(after(tag("low"))) == [1]
    assert order.partners(after("a")) == [0, 1]
