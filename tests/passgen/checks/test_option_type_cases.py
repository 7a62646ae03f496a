"""The table of option types: values that specs may have as defaults."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from passgen import checks
from passgen.diagnostics import SpecError
from passgen.model import OPTION_TYPES
from passgen.source import SourceFile
from passgen.spec import read
from tests.cases.reader import read_cases

CASES = read_cases("option_types")


def is_accepted(type_: str, value: object) -> bool:
    option = {"name": "o", "argument": "o", "type": type_, "default": value}
    if type_ == "enum":
        option["values"] = ["x", "no"]
    passes = {"A": {"argument": "a", "summary": "Do it", "options": [option]}}
    source = SourceFile("a.yaml", yaml.safe_dump({"passes": passes}))
    try:
        return checks.check(read(source)) == ()
    except SpecError:
        return False


def test_every_type_is_in_the_table() -> None:
    named = {row.name: row.python_option_type for row in OPTION_TYPES.values()}

    assert {case["type"]: case["runtime"] for case in CASES} == named


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["type"]))
def test_values(case: dict[str, Any]) -> None:
    refused = [*case["refuses"], *case.get("spec_refuses", ())]

    assert [
        each for each in case["accepts"] if not is_accepted(case["type"], each)
    ] == []
    assert [each for each in refused if is_accepted(case["type"], each)] == []
