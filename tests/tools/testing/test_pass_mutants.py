"""`pytest --pass-mutants`: the tests that reach a pass, run on its mutants."""

from __future__ import annotations

import pytest

from tests.inner_pytest import run_inside
from tests.passes_to_cover import SOURCE, TWICE

pytestmark = [
    pytest.mark.usefixtures("modules_stay"),
    pytest.mark.process,
    pytest.mark.slow,
]

SETTINGS = f"""\
[pytest]
mlir_tests = *.mlir
mlir_tools = cover-opt = tests.passes_to_cover:main
pass_coverage_source = {SOURCE}
"""
TEST = f"// RUN: cover-opt %s --reduce | filecheck %s\n// CHECK: addi\n{TWICE}"


def test_survivors_are_listed_with_their_lines_and_nearest_tests(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeini(SETTINGS)
    (pytester.path / "a.mlir").write_text(TEST)
    shell = TEST.replace("cover-opt", "env X=1 cover-opt")
    (pytester.path / "b.mlir").write_text(shell)

    plugin = "passgen_tools.testing.pytest_plugin"
    result = run_inside(pytester, "-p", plugin, "--pass-mutants")

    result.assert_outcomes(passed=2)
    lines = result.stdout.lines
    start = next(at for at, line in enumerate(lines) if "mutants: " in line)
    assert lines[start] == "mutants: 8, killed: 2, survived: 6"
    text = "\n".join(lines[start:])
    assert f"{SOURCE}:7: survived: reduce mulToAdd" not in text
    assert (
        f"{SOURCE}:9: survived: reduce mulByOne: '%one = arith.constant 2 : i32' in "
        "place of '%one = arith.constant 1 : i32'\n  nearest test: a.mlir::RUN\n"
    ) in text
    assert f"{SOURCE}:1: survived: reduce subOfEqual" in text
    assert "  no test reaches it" in text
