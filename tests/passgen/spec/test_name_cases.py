"""The table of names in pipelines, as arguments of passes in specs."""

from __future__ import annotations

import yaml

from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.spec import read
from tests.cases.reader import read_cases


def is_accepted(argument: str) -> bool:
    spec = {"passes": {"A": {"argument": argument, "summary": "Do it"}}}
    try:
        read(SourceFile("a.yaml", yaml.safe_dump(spec, allow_unicode=True)))
    except SpecError:
        return False
    return True


def test_arguments() -> None:
    cases = read_cases("pipeline_names")

    assert [each for each in cases["accepts"] if not is_accepted(each)] == []
    assert [each for each in cases["refuses"] if is_accepted(each)] == []
