"""The table of anchors and analyses, judged by builders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from passgen_runtime import (
    ALL_ANALYSES,
    OperationPass,
    Pass,
    PassOptions,
    PassRegistry,
    after,
    after_if_present,
    before,
    before_if_present,
    cleanup,
    tag,
)
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from tests.cases.reader import read_cases

RULES: dict[str, Callable[..., object]] = {
    "after": after,
    "afterIfPresent": after_if_present,
    "before": before,
    "beforeIfPresent": before_if_present,
    "cleanup": cleanup,
}


class Order:
    """An analysis that nothing computes here."""


class Nothing(OperationPass[PassOptions]):
    def run_on_operation(self) -> None:
        pass


def class_of(argument: str, constraints: dict[str, Any]) -> type[Pass]:
    """Return the pass class that passgen would write for `constraints`."""
    rules = [
        RULES[kind](
            *(tag(each["tag"]) if isinstance(each, dict) else each for each in partners)
        )
        for kind, partners in constraints.items()
        if kind in RULES
    ]
    preserved = (Order,) if constraints.get("preserves") == ["Order"] else ()
    attributes = {
        "argument": argument,
        "anchor": constraints.get("anchor"),
        "tags": tuple(constraints.get("tags", ())),
        "ordering": tuple(rules),
        "provided_analyses": (Order,) if "provides" in constraints else (),
        "required_analyses": (Order,) if "requires" in constraints else (),
        "preserved_analyses": (
            ALL_ANALYSES if constraints.get("preserves") == "all" else preserved
        ),
        "__module__": __name__,
    }
    return type(argument, (Nothing,), attributes)


def add(
    builder: PassManagerBuilder, elements: list[Any], passes: dict[str, type[Pass]]
) -> None:
    for element in elements:
        if isinstance(element, dict):
            with builder.nest(element["nest"]):
                add(builder, element["elements"], passes)
        else:
            builder.add(passes[element])


class Made(dict[str, type[Pass]]):
    """Classes of passes by their arguments; one without constraints is made on demand."""

    def __missing__(self, argument: str) -> type[Pass]:
        self[argument] = class_of(argument, {})
        return self[argument]


@pytest.mark.parametrize("case", read_cases("anchors_and_analyses"), ids=str)
def test_case(case: dict[str, Any]) -> None:
    passes = Made({key: class_of(key, given) for key, given in case["passes"].items()})
    builder = PassManagerBuilder(registry=PassRegistry(), defers_checks=True)

    add(builder, case["pipeline"], passes)

    found = [each.message for each in builder.check()]
    assert found == ([case["runtime"]] if "runtime" in case else [])
