"""The table of names in pipelines, as arguments of passes in specs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
import yaml

from passgen import naming, resources
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


@pytest.mark.parametrize(
    ("definition", "accepts"),
    [
        ("dialectName", naming.is_dialect),
        ("interfaceName", naming.is_interface),
        ("operationName", naming.is_operation),
    ],
)
def test_the_schema_and_the_import_have_one_pattern_for_a_notion(
    definition: str, accepts: Callable[[str], bool]
) -> None:
    schema = json.loads(resources.schema().read_text("utf-8"))
    pattern = schema["$defs"][definition]["pattern"]
    names = ["a", "RTLx", "money$v2", "_x", "My_Interface", "a.b", "RTLx.a-b", "a$.b.c"]
    wrong = ["", "1a", "$a", "a b", "a::B", "a.", ".a", "é", "a\n"]

    assert [name for name in names if accepts(name)]
    for name in names + wrong:
        is_matched = re.search(pattern, name) is not None and "\n" not in name
        assert accepts(name) == is_matched
