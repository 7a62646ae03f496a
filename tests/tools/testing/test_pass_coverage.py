"""`pytest --pass-coverage`: the counts of a session, of all its processes."""

from __future__ import annotations

import pytest

from passgen_tools.python_programs import python_path
from tests.inner_pytest import run_inside
from tests.passes_to_cover import SOURCE, TWICE

pytestmark = pytest.mark.usefixtures("modules_stay")

SETTINGS = f"""\
[pytest]
mlir_tests = *.mlir
mlir_tools = cover-opt = tests.passes_to_cover:main
pass_coverage_source = {SOURCE}
"""
IN_PROCESS = f"// RUN: cover-opt %s --reduce | filecheck %s\n// CHECK: addi\n{TWICE}"
IN_SHELL = IN_PROCESS.replace("cover-opt", "env X=1 cover-opt")
CONTAINED = IN_PROCESS.replace("%s --reduce", "%s --reduce --contain")
IN_PYTHON = """\
import pytest
from passgen_tools.testing import PassTester
from tests.passes_to_cover import REGISTRY, TWICE, Reduce

@pytest.mark.parametrize("eager", [{values}])
def test_it(eager):
    after = TWICE.replace("muli %x, %two", "addi %x, %x")
    PassTester(registry=REGISTRY).assert_rewrites(Reduce(eager=eager), TWICE, after)
"""


@pytest.fixture(autouse=True)
def _settings(pytester: pytest.Pytester) -> None:
    pytester.makeini(SETTINGS)


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    plugin = "passgen_tools.testing.pytest_plugin"
    return run_inside(pytester, "-p", plugin, *arguments)


def write(pytester: pytest.Pytester, **texts: str) -> None:
    for name, text in texts.items():
        (pytester.path / f"{name}.mlir").write_text(text)


def test_mlir_tests_and_tests_in_python_are_summed(pytester: pytest.Pytester) -> None:
    write(pytester, a=IN_PROCESS)
    pytester.makepyfile(test_b=IN_PYTHON.format(values="True, False"))

    result = run(pytester, "--pass-coverage")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "*= coverage of passes =*",
            f"never-run ({SOURCE}): 0 of 1",
            "  no test runs it",
            f"reduce on xdsl ({SOURCE}): 10 of 17",
            "  pass * ran 3 times: a.mlir::RUN and 2 more",
            "  pattern mulToAdd * applied 3 times: a.mlir::RUN and 2 more",
            "  pattern mulByOne * tried in 3 runs, never matched: a.mlir::RUN and *",
            "  pattern subOfEqual * not tried",
            "  option eager=true * ran once: test_b.py::test_it[[]True[]]",
            "  option eager=false * ran twice: a.mlir::RUN and 1 more",
            "  form needs no-loops * checked twice: test_b.py::*",
            "total: 10 of 18 items, 55.5 %",
        ]
    )


def test_nothing_is_counted_without_a_flag(pytester: pytest.Pytester) -> None:
    write(pytester, a=IN_PROCESS)

    assert "coverage of passes" not in run(pytester).stdout.str()


@pytest.mark.parametrize(
    ("least", "is_fine"), [("38.8", True), ("38.9", False), ("100", False)]
)
def test_a_session_below_a_share_fails(
    pytester: pytest.Pytester, least: str, *, is_fine: bool
) -> None:
    write(pytester, a=IN_PROCESS)

    result = run(pytester, f"--pass-coverage-fail-under={least}")

    assert result.ret == (0 if is_fine else pytest.ExitCode.TESTS_FAILED)
    total = "total: 7 of 18 items, 38.8 %"
    error = f"error: {total}, expected at least {least} %"
    assert (error in result.stdout.lines) != is_fine
    assert total in result.stdout.lines
    assert "  no test runs it" not in result.stdout.lines


def test_a_page_is_written(pytester: pytest.Pytester) -> None:
    write(pytester, a=IN_PROCESS)

    result = run(pytester, "--pass-coverage-html=cover.html")

    result.stdout.fnmatch_lines(["written to cover.html"])
    page = (pytester.path / "cover.html").read_text()
    assert "total: 7 of 18 items, 38.8 %" in page
    assert "a.mlir::RUN" in page


def test_a_source_without_a_pass_is_an_error(pytester: pytest.Pytester) -> None:
    write(pytester, a=IN_PROCESS)

    setting = "pass_coverage_source=specs/to-cove.yaml"
    result = run(pytester, "--pass-coverage", "-o", setting)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "error: pass_coverage_source: found no pass of 'specs/to-cove.yaml'",
            f"note: imported modules declare those of *{SOURCE}*",
            "note: the name of a module, such as my.passes, imports it",
        ]
    )


def test_a_module_that_does_not_import_is_an_error(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--pass-coverage", "-o", "pass_coverage_source=no_such")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    message = "pass_coverage_source: the module 'no_such' does not import: "
    assert message in result.stderr.str()


DECLARED = """\
from passgen_runtime import OperationPass

class OwnPassBase(OperationPass):
    argument = "own"
    declared_in = "own.yaml"
"""


def test_a_module_of_the_setting_is_imported(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(own_passes=DECLARED, test_a="def test_a(): pass")
    pytester.syspathinsert()

    setting = "pass_coverage_source=own_passes"
    result = run(pytester, "--pass-coverage", "-o", setting, "-o", "mlir_tests=")

    result.stdout.fnmatch_lines(["own (own.yaml): 0 of 1", "  no test runs it"])


def test_without_a_setting_the_specs_of_the_project_count(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(project_passes=DECLARED, test_a="import project_passes")
    pytester.syspathinsert()

    flags = "--pass-coverage", "-o", "pass_coverage_source=", "-o", "mlir_tests="
    result = run(pytester, *flags)

    result.stdout.fnmatch_lines(["own (own.yaml): 0 of 1", "total: 0 of 1 items, *"])
    assert SOURCE not in result.stdout.str()


def test_a_project_without_a_declared_pass_is_an_error(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile("def test_a(): pass")

    flags = "--pass-coverage", "-o", "pass_coverage_source=", "-o", "mlir_tests="
    result = run(pytester, *flags)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "error: no spec declares a pass of a module below '*'",
            "note: 'pass_coverage_source' in pytest.ini names others",
        ]
    )


@pytest.mark.process
@pytest.mark.parametrize("test", [IN_SHELL, CONTAINED], ids=["shell", "contained"])
def test_drivers_in_other_processes_count(pytester: pytest.Pytester, test: str) -> None:
    write(pytester, a=test)

    result = run(pytester, "--pass-coverage")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "  pattern mulToAdd * applied once: a.mlir::RUN",
            "  remark reduced * emitted once: a.mlir::RUN",
        ]
    )


PROGRAM = """\
from passgen_tools.coverage import counting_in_program
from passgen_tools.testing import assert_unchanged
from tests.passes_to_cover import Reduce

with counting_in_program():
    assert_unchanged(Reduce(), "")
"""
STARTS = """\
import subprocess, sys

def test_it():
    subprocess.run([sys.executable, "program.py"], check=True)
"""


@pytest.mark.process
def test_a_program_counts_in_a_block(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", python_path())
    pytester.makepyfile(program=PROGRAM.replace('""', "TWICE_ADDED"), test_a=STARTS)
    program = pytester.path / "program.py"
    text = 'TWICE_ADDED = "func.func @f() {\\n  func.return\\n}"\n'
    program.write_text(text + program.read_text())

    result = run(pytester, "--pass-coverage", "-o", "mlir_tests=")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["  pass * ran once: test_a.py::test_it"])


@pytest.mark.slow
@pytest.mark.process
def test_the_counts_of_xdists_workers_are_summed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # in workers too
    write(pytester, a=IN_PROCESS, b=IN_SHELL)
    pytester.makepyfile(test_c=IN_PYTHON.format(values="True, False"))

    flags = "--pass-coverage", "--pass-coverage-fail-under=55"
    result = run(pytester, "-p", "xdist", "-n2", *flags)

    result.assert_outcomes(passed=4)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "  pattern mulToAdd * applied 4 times: a.mlir::RUN and 3 more",
            "total: 10 of 18 items, 55.5 %",
        ]
    )
