"""The table of option types: values that options of the runtime take."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest

import passgen_runtime
from passgen_runtime import OptionType
from tests.cases.reader import read_cases

CASES = read_cases("option_types")
TEXTS = ("string", "pipeline", "enum")
"""Types whose values a spec spells as the text that the runtime reads."""


class Choice(StrEnum):
    X = "x"
    NO = "no"


def type_of(case: dict[str, Any]) -> OptionType[Any]:
    named = getattr(passgen_runtime, case["runtime"])
    return named if isinstance(named, OptionType) else passgen_runtime.enum_type(Choice)


def is_accepted(type_: OptionType[Any], value: object) -> bool:
    if type_.name not in TEXTS or not isinstance(value, str):
        return type_.accepts(value)
    try:
        type_.parse(value)
    except ValueError:
        return False
    return True


def test_every_type_is_in_the_table() -> None:
    offered = {
        name
        for name, value in vars(passgen_runtime).items()
        if isinstance(value, OptionType)
    }

    offered.remove("OPTIONAL_BOOL")  # that of C++, which has no name in specs
    assert {case["runtime"] for case in CASES} == {*offered, "enum_type"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["type"]))
def test_values(case: dict[str, Any]) -> None:
    type_ = type_of(case)
    accepted = [*case["accepts"], *case.get("spec_refuses", ())]

    assert type_.name == case["type"]
    assert [each for each in accepted if not is_accepted(type_, each)] == []
    assert [each for each in case["refuses"] if is_accepted(type_, each)] == []
