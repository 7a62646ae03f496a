"""The table of anchors and analyses, checked in specs."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from passgen import checks
from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.spec import read
from tests.cases.reader import read_cases


def arguments(elements: list[Any]) -> set[str]:
    """Return the arguments of the passes in `elements`."""
    found: set[str] = set()
    for element in elements:
        nested = isinstance(element, dict)
        found |= arguments(element["elements"]) if nested else {element}
    return found


@pytest.mark.parametrize("case", read_cases("anchors_and_analyses"), ids=str)
def test_case(case: dict[str, Any]) -> None:
    passes = {
        argument.title(): {
            "argument": argument,
            "summary": "Do it",
            **case["passes"].get(argument, {}),
        }
        for argument in sorted({*arguments(case["pipeline"]), *case["passes"]})
    }
    pipeline = {
        "argument": "all",
        "summary": "Do all",
        "anchor": "builtin.module",
        "elements": case["pipeline"],
    }
    spec: dict[str, Any] = {"passes": passes, "pipelines": {"All": pipeline}}
    if "Order" in str(passes):
        spec["analyses"] = {"Order": {"python": "my.order:Order"}}
    found = []
    try:
        checks.check(read(SourceFile("spec.yaml", yaml.safe_dump(spec))))
    except SpecError as error:
        found = [each.message for each in error.diagnostics]

    assert found == ([case["passgen"]] if "passgen" in case else [])
    assert ("passgen" in case) == ("runtime" in case)
