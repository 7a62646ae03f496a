"""The table of differences of IR: which lines `--mlir-print-ir-diff` shows as changed."""

from __future__ import annotations

import pytest

from passgen_tools.ir_diff import ir_diff
from tests.cases.reader import read_cases

CASES = {case.pop("name"): case for case in read_cases("ir_diffs")}


@pytest.mark.parametrize("name", CASES)
def test_lines_that_have_changed(name: str) -> None:
    case = CASES[name]
    lines = ir_diff(case["before"], case["after"]).splitlines()

    assert [line for line in lines if line[0] in "-+"] == case["changed"]
