"""How pytest reports checks of `.mlir` tests that no checker reads."""

from __future__ import annotations

import pytest

from tests.inner_pytest import run_inside

pytestmark = pytest.mark.usefixtures("modules_stay")

RUN = "// RUN: passgen-opt %s | filecheck %s\n"
IR = "func.func @f() {\n  func.return\n}\n"
FINE = f"{RUN}// CHECK: @f\n{IR}"
UNREAD = f"{FINE}// OLD-NEXT: @g\n"
NEARLY_SPELT = f"{FINE}// CHEKC: @g\n"
UNKNOWN = f"{FINE}// RUN: true $CHECKER %s\n// OLD-NEXT: @g\n"
INI = "[pytest]\nmlir_tests = *.mlir\n"
WARN = ("-W", "default")
MESSAGE = "*a.mlir:6:4: {}: found 'OLD-NEXT:', which no RUN line reads"


def run(
    pytester: pytest.Pytester, *arguments: str, settings: str = "", **texts: str
) -> pytest.RunResult:
    pytester.makefile(".mlir", **texts)
    pytester.makeini(f"{INI}{settings}")
    plugin = "passgen_tools.testing.pytest_plugin"
    return run_inside(pytester, "-p", plugin, *arguments)


def test_an_unread_check_is_an_error(pytester: pytest.Pytester) -> None:
    result = run(pytester, a=UNREAD, b=FINE)

    result.assert_outcomes(failed=1, passed=1)
    advice = "note: write '| filecheck %s --check-prefix=OLD' in a RUN line*"
    result.stdout.fnmatch_lines([MESSAGE.format("error"), advice])


def test_it_is_a_warning_if_the_project_says_so(pytester: pytest.Pytester) -> None:
    result = run(pytester, *WARN, settings="mlir_strict = false\n", a=UNREAD)

    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines([MESSAGE.format("warning")])


def test_what_is_nearly_spelt_is_a_warning(pytester: pytest.Pytester) -> None:
    result = run(pytester, *WARN, a=NEARLY_SPELT)

    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*a.mlir:6:4: warning: found 'CHEKC:', *"])


def test_a_filter_makes_the_warning_an_error(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-W", "error", a=NEARLY_SPELT)

    result.assert_outcomes(failed=1)
    assert "Traceback" not in result.stdout.str()
    result.stdout.fnmatch_lines(["*a.mlir:6:4: warning: found 'CHEKC:', *"])


def test_a_filter_names_the_warning(pytester: pytest.Pytester) -> None:
    category = "passgen_tools.testing.mlir_file.UnreadCheckWarning"

    result = run(pytester, "-W", f"ignore::{category}", a=NEARLY_SPELT)

    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [(UNREAD, "failed"), (FINE.replace("@f\n", "@g\n", 1), "xfailed")],
)
def test_an_expected_failure_is_no_unread_check(
    pytester: pytest.Pytester, text: str, verdict: str
) -> None:
    result = run(pytester, a=f"{text}// XFAIL: *\n")

    result.assert_outcomes(**{verdict: 1})


def test_a_skipped_test_is_not_judged(pytester: pytest.Pytester) -> None:
    run(pytester, a=f"// REQUIRES: gpu\n{UNREAD}").assert_outcomes(skipped=1)


@pytest.mark.parametrize("selection", [("a.mlir",), ("-k", "a.mlir")])
def test_other_tests_count_that_do_not_run(
    pytester: pytest.Pytester, selection: tuple[str, ...]
) -> None:
    text = f"{FINE}// FILE: @g\n"
    other = f"{RUN[:-1]} --check-prefix=FILE\n// FILE: @f\n{IR}"

    result = run(pytester, *selection, a=text, b=other)

    result.assert_outcomes(failed=1, deselected=int("-k" in selection))
    result.stdout.fnmatch_lines(["*a.mlir:6:4: error: found 'FILE:', *"])


def test_folders_that_pytest_leaves_out_do_not_count(
    pytester: pytest.Pytester,
) -> None:
    pytester.makefile(".mlir", a=f"{FINE}// FILE: @g\n")
    other = f"{RUN[:-1]} --check-prefix=FILE\n// FILE: @f\n{IR}"
    for name in (".hidden", "environment"):
        folder = pytester.mkdir(name)
        (folder / "b.mlir").write_text(other)
    (pytester.path / "environment" / "pyvenv.cfg").touch()
    plugin = "passgen_tools.testing.pytest_plugin"

    run_inside(pytester, "-p", plugin, "--mlir-tests").assert_outcomes(passed=1)


@pytest.mark.process
def test_tests_that_are_not_judged_are_named_at_the_end(
    pytester: pytest.Pytester,
) -> None:
    result = run(pytester, a=UNKNOWN, b=FINE)

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "*= tests whose checkers are unknown =*",
            "*a.mlir:6: '$CHECKER' is unknown",
            "1 test not judged: *",
        ]
    )


def test_written_checks_are_judged(pytester: pytest.Pytester) -> None:
    text = f"{RUN}{IR}// OLD-NEXT: @g\n"

    result = run(pytester, "--update-checks", "--force-update", a=text)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*error: found 'OLD-NEXT:', *"])
    assert "// CHECK-LABEL: func.func @f" in (pytester.path / "a.mlir").read_text()


@pytest.mark.slow
@pytest.mark.process
def test_workers_of_xdist_judge_alike(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # in workers too
    other = f"{RUN[:-1]} --check-prefix=FILE\n// FILE: @f\n{IR}"
    texts = {"a": f"{FINE}// FILE: @g\n", "b": other, "c": NEARLY_SPELT, "d": UNKNOWN}

    result = run(pytester, *WARN, "-p", "xdist", "-n2", **texts)

    result.assert_outcomes(failed=1, passed=3, warnings=1)
    result.stdout.fnmatch_lines(["*a.mlir:6:4: error: found 'FILE:', *"])
    result.stdout.fnmatch_lines(["1 test not judged: *"])
