"""The table of names in pipelines: what the runtime's grammar takes as a name."""

from __future__ import annotations

from passgen_runtime.textual_pipeline import is_name, parse_elements
from tests.cases.reader import read_cases


def test_names() -> None:
    cases = read_cases("pipeline_names")

    assert [each for each in cases["accepts"] if not is_name(each)] == []
    assert [each for each in cases["refuses"] if is_name(each)] == []
    for name in cases["accepts"]:
        (element,) = parse_elements(f"{name}{{o=1}}").elements
        assert element.name == name
