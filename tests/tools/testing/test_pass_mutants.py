"""`pytest --pass-mutants`: the tests that reach a pass, run on its mutants."""

from __future__ import annotations

import os

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
PLUGIN = "-p", "passgen_tools.testing.pytest_plugin"
TEST = f"// RUN: cover-opt %s --reduce | filecheck %s\n// CHECK: addi\n{TWICE}"


def test_survivors_are_listed_with_their_lines_and_nearest_tests(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeini(SETTINGS)
    (pytester.path / "a.mlir").write_text(TEST)

    result = run_inside(pytester, *PLUGIN, "--pass-mutants-fail-under=30")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["error: tests notice 2 of 10 mutants, 20.0 %, expected at least 30 %"]
    )

    result.assert_outcomes(passed=1)
    lines = result.stdout.lines
    start = next(at for at, line in enumerate(lines) if "mutants: " in line)
    assert lines[start] == "mutants: 10, killed: 2, survived: 7, unknown: 1"
    text = "\n".join(lines[start:])
    assert f"{SOURCE}:7: survived: reduce mulToAdd" not in text
    assert (
        f"{SOURCE}:9: survived: reduce mulByOne: '%one = arith.constant 2 : i32' in "
        "place of '%one = arith.constant 1 : i32'\n  nearest test: a.mlir::RUN\n"
    ) in text
    assert f"{SOURCE}:1: survived: reduce subOfEqual" in text
    assert "  no test reaches it" in text


RUNS_AGAIN = "'PASSGEN_PASS_MUTANTS' in os.environ"
FAILURES = {
    "a test fails without a mutant": (
        f"import os\n\ndef pytest_runtest_setup():\n    assert not ({RUNS_AGAIN})\n",
        "error: run again without a mutant, a test fails: a.mlir::RUN",
    ),
    "the session does not start": (
        f"import os\n\nassert not ({RUNS_AGAIN}), 'once'\n",
        "error: the tests do not run again*",
    ),
}


@pytest.mark.parametrize("case", FAILURES)
def test_tests_that_cannot_run_again_kill_no_mutant(
    pytester: pytest.Pytester, case: str
) -> None:
    text, wanted = FAILURES[case]
    pytester.makeini(SETTINGS)
    (pytester.path / "a.mlir").write_text(TEST)
    (pytester.path / "conftest.py").write_text(text)

    result = run_inside(pytester, *PLUGIN, "--pass-mutants")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([wanted])
    result.stdout.no_fnmatch_line("*killed*")


def test_a_system_without_fork_runs_no_mutants(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "fork")

    result = run_inside(pytester, *PLUGIN, "--pass-mutants")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --pass-mutants forks a process for each mutant, which * cannot: *"]
    )
