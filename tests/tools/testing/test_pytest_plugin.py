"""The plugin of pytest: what it collects, and what its flags and settings do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from passgen_tools.testing.differential_summary import summary
from tests.inner_pytest import run_inside

pytestmark = pytest.mark.usefixtures("modules_stay")

IR = "func.func @f() {\n  func.return\n}\n"
FINE = f"// RUN: passgen-opt %s | filecheck %s\n// CHECK: @f\n{IR}"
WRONG = FINE.replace("CHECK: @f", "CHECK: @g")
ON = "--mlir-tests"

Make = Callable[..., None]


@pytest.fixture
def make(pytester: pytest.Pytester) -> Make:
    def make(**texts: str) -> None:
        for name, text in texts.items():
            path = pytester.path / f"{name.replace('__', '/')}.mlir"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return make


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    plugin = "passgen_tools.testing.pytest_plugin"
    return run_inside(pytester, "-p", plugin, *arguments)


def test_it_is_off_unless_asked_for(pytester: pytest.Pytester, make: Make) -> None:
    make(a=WRONG)

    run(pytester).assert_outcomes()
    run(pytester, ON).assert_outcomes(failed=1)


def test_settings_say_which_files_are_tests(
    pytester: pytest.Pytester, make: Make
) -> None:
    make(a=WRONG, tests__b=FINE, tests__Inputs__c="none")
    pytester.makeini("[pytest]\nmlir_tests = tests/*.mlir tests/*/*.mlir\n")

    run(pytester).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ("**/*.mlir", 4),
        ("tests/**/*.mlir", 3),
        ("tests/*.mlir", 1),
        ("*/*/*.mlir", 1),
        ("tests/**", 3),
        ("**/d.mlir", 1),
        ("*.mlir", 1),
    ],
)
def test_patterns_match_whole_paths_from_the_root(
    pytester: pytest.Pytester, make: Make, pattern: str, matched: int
) -> None:
    make(a=FINE, tests__b=FINE, tests__x__c=FINE, tests__x__y__d=FINE)
    pytester.makeini(f"[pytest]\nmlir_tests = {pattern}\n")

    run(pytester).assert_outcomes(passed=matched)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("test/*.mlir", "'test/*.mlir' matches no file below the root"),
        ("/*.mlir", "'/*.mlir' is no pattern of relative paths"),
        (".", "'.' is no pattern of relative paths\nnote: did you mean '**/*.mlir'?"),
        ("./tests/b.mlir", "relative paths\nnote: did you mean 'tests/b.mlir'?"),
        ("../tests/*.mlir", "'../tests/*.mlir' is no pattern of relative paths\n"),
        ("tests/", "relative paths\nnote: did you mean 'tests/**/*.mlir'?"),
        ("tests", "'\nnote: did you mean 'tests/**/*.mlir'?"),
        ("\nmlir_requires = test/**: x", "mlir_requires: 'test/**' matches no file"),
    ],
)
def test_a_pattern_without_a_file_is_an_error(
    pytester: pytest.Pytester, make: Make, pattern: str, message: str
) -> None:
    make(tests__b=FINE)
    pytester.makeini(f"[pytest]\nmlir_tests = tests/*.mlir {pattern}\n")

    result = run(pytester)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()


def test_a_missing_filecheck_is_named(
    pytester: pytest.Pytester, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(a=FINE)
    find = "passgen_tools.testing.pytest_plugin.find_spec"
    monkeypatch.setattr(find, lambda _: None)

    result = run(pytester, ON)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str() == (
        "ERROR: the package 'filecheck' checks .mlir tests, and is not installed: "
        "install 'mlir-passgen-tools[test]'\n"
    )


def test_file_is_one_test_with_a_name(pytester: pytest.Pytester, make: Make) -> None:
    make(a=FINE, b=WRONG)

    result = run(pytester, ON, "-v", "-k", "b.mlir")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["b.mlir::RUN FAILED *"])
    result = run(pytester, ON, "--lf", "-v")
    result.assert_outcomes(failed=1)


def test_failure_shows_ir_pattern_and_place(
    pytester: pytest.Pytester, make: Make
) -> None:
    make(b=WRONG)

    run(pytester, ON).stdout.fnmatch_lines(
        [
            "*b.mlir:1: error: 'filecheck *b.mlir' failed with exit code 1",
            '*b.mlir:2: error: Couldn\'t match "@g".',
            "--- it read:",
            ">    1 | builtin.module {",
            "     2 |   func.func @f() {",
            "FAILED b.mlir::RUN - *",
        ]
    )


def test_conditions_on_features_skip_tests(
    pytester: pytest.Pytester, make: Make
) -> None:
    make(
        a=f"// REQUIRES: gpu\n{FINE}",
        b=f"// UNSUPPORTED: cpu\n{FINE}",
        c=f"// REQUIRES: cpu, xdsl\n{FINE}",
        d=f"// REQUIRES: nix\n{FINE}",
    )
    pytester.makeini(
        "[pytest]\nmlir_tests = *.mlir\n"
        "mlir_features =\n  cpu\n  xdsl = xdsl.ir\n  nix = not_installed.ir\n"
    )

    result = run(pytester, "-rs")

    result.assert_outcomes(passed=1, skipped=3)
    result.stdout.fnmatch_lines(
        [
            "SKIPPED * a.mlir: requires gpu",
            "SKIPPED * b.mlir: unsupported: cpu",
            "SKIPPED * d.mlir: requires nix",
        ]
    )


def test_expected_failures_are_strict(pytester: pytest.Pytester, make: Make) -> None:
    make(
        a=f"// XFAIL: *\n{WRONG}", b=f"// XFAIL: *\n{FINE}", c=f"// XFAIL: gpu\n{FINE}"
    )

    run(pytester, ON).assert_outcomes(passed=1, failed=1, xfailed=1)


def test_expected_failures_are_not_renewed(
    pytester: pytest.Pytester, make: Make
) -> None:
    make(a=f"// XFAIL: *\n{WRONG}")

    result = run(pytester, ON, "--update-checks")

    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["*a.mlir: not renewed: the test is expected to fail"])


def test_settings_name_programs_and_substitutions(
    pytester: pytest.Pytester, make: Make
) -> None:
    pytester.makepyfile(
        tools="import sys\ndef main(arguments):\n    print(*arguments)\n    return 0\n"
    )
    make(a="// RUN: my-tool %what %t | filecheck %s\n// CHECK: one two three\n")
    pytester.makeini(
        "[pytest]\npythonpath = .\nmlir_tests = *.mlir\n"
        "mlir_tools = my-tool = tools:main\n"
        "mlir_substitutions =\n  %what = one two\n  %t = three\n"
    )

    run(pytester).assert_outcomes(passed=1)


def test_settings_hold_for_files_that_match(
    pytester: pytest.Pytester, make: Make
) -> None:
    make(a__a=f"// REQUIRES: x\n{FINE}", b__b=f"// REQUIRES: x\n{FINE}", b__c=FINE)
    pytester.makeini(
        "[pytest]\nmlir_tests = **/*.mlir\n"
        "mlir_features =\n  a/*: x\nmlir_requires =\n  !y\n  b/c.mlir: z\n"
    )

    result = run(pytester, "-rs")

    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(
        ["SKIPPED * b/b.mlir: requires x", "SKIPPED * b/c.mlir: requires z"]
    )


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "mlir_tools = my-tool",
            (
                "mlir_tools: found 'my-tool', expected 'name = module:function', a "
                "function such as `main` of a driver"
            ),
        ),
        (
            "mlir_tools = my tool = tools:main",
            (
                "mlir_tools: found 'my tool = tools:main', expected 'name = "
                "module:function', a function such as `main` of a driver"
            ),
        ),
        (
            "mlir_tools = my-tool = nix:main",
            (
                "mlir_tools: 'my-tool': there is no module 'nix'\n"
                "note: `pythonpath = .` in pytest.ini finds modules beside it"
            ),
        ),
        (
            "mlir_requires = a.mlir: gpu &&",
            (
                "mlir_requires: found 'gpu &&', expected names of features and '&&', "
                "'||', '!', '()'"
            ),
        ),
        (
            "mlir_substitutions = what one",
            "mlir_substitutions: found 'what one', expected 'name = text'",
        ),
    ],
)
def test_error_setting(
    setting: str, message: str, pytester: pytest.Pytester, make: Make
) -> None:
    make(a=FINE)
    pytester.makeini(f"[pytest]\nmlir_tests = *.mlir\n{setting}\n")

    result = run(pytester)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {message}\n" in result.stderr.str()


def test_error_malformed_test_has_a_place(
    pytester: pytest.Pytester, make: Make
) -> None:
    make(a="func\n")

    result = run(pytester, ON)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*a.mlir:1: error: found no RUN line, expected *"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_updated_checks_are_shown(pytester: pytest.Pytester, make: Make) -> None:
    make(a=FINE, b=WRONG)

    result = run(pytester, ON, "--update-checks", "--force-update")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["=* updated checks *=", "--- *b.mlir (before)", "-// CHECK: @g"]
    )
    run(pytester, ON).assert_outcomes(passed=2)


def test_checks_of_tests_that_must_fail_are_kept(
    pytester: pytest.Pytester, make: Make
) -> None:
    text = f"// XFAIL: *\n{WRONG}"
    make(a=text)

    result = run(pytester, ON, "--update-checks", "--force-update")

    result.assert_outcomes(xfailed=1)
    assert (pytester.path / "a.mlir").read_text() == text


GOLDEN = """\
from pathlib import Path, PurePath

def test_text(golden_text):
    golden_text(Path(__file__).parent / "new" / "golden.mlir", "module {\\n}\\n")
"""


def test_golden_text_is_compared_and_updated(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_golden=GOLDEN)

    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["+module {", "To renew: pytest --update-checks 'test_golden.py::test_text'"]
    )
    result = run(pytester, "--update-checks")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["=* updated checks *=", "+module {"])
    run(pytester).assert_outcomes(passed=1)


@pytest.mark.process
def test_error_golden_file_that_git_does_not_know(
    pytester: pytest.Pytester, make: Make
) -> None:
    make(new__golden="module\n")
    pytester.makepyfile(test_golden=GOLDEN)

    result = run(pytester, "--update-checks")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the file is not in a git repository, so that *"])
    run(pytester, "--update-checks", "--force-update").assert_outcomes(passed=1)
    assert (pytester.path / "new/golden.mlir").read_bytes() == b"module {\n}\n"


@pytest.mark.slow
@pytest.mark.process
def test_tests_run_in_several_processes(
    pytester: pytest.Pytester, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # in workers too
    make(a=FINE, b=WRONG, c=FINE)

    flags = ("--update-checks", "--force-update")
    result = run(pytester, ON, "-p", "xdist", "-n2", *flags)

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["-// CHECK: @g"])


WRONG_TOOL = """
from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_tools.opt import main as opt
from xdsl.dialects import arith
from xdsl.rewriter import Rewriter


class Miscompile(OperationPass[PassOptions]):
    argument = "miscompile"

    def run_on_operation(self) -> None:
        for operation in [*self.operation.walk()]:
            if isinstance(operation, arith.AddiOp):
                Rewriter.replace_op(operation, arith.OrIOp(*operation.operands))


def main(arguments):
    registry = PassRegistry()
    registry.register_pass(Miscompile)
    return opt(arguments, registry=registry)
"""
ADDS = """// RUN: my-opt %s --miscompile | filecheck %s
// CHECK: @f
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  func.return %0 : i32
}
"""


def test_counts_of_results_are_sentences() -> None:
    counts = Counter(
        {
            "functions": 3,
            "evaluated": 2,
            "compared calls": 65,
            "poison": 2,
            "undefined behaviour": 1,
            "too long": 0,
            "changed functions not compared": 1,
            "functions with other types": 2,
            "tests whose drivers were not watched": 1,
        }
    )

    assert [*summary(counts)] == [
        "65 calls gave the same results before and after passes.",
        "2 of 3 functions could be called.",
        "1 changed function could not be compared.",
        "The type of 2 functions has changed.",
        "1 test ran no driver in this process.",
        "Calls and functions that were left out: poison (2), undefined behaviour (1).",
    ]


@pytest.mark.slow
@pytest.mark.process
def test_results_are_compared_around_the_passes_of_tests(
    pytester: pytest.Pytester, make: Make
) -> None:
    pytester.makepyfile(my_tool=WRONG_TOOL)
    pytester.makeini(
        "[pytest]\npythonpath = .\nmlir_tests = *.mlir\n"
        "mlir_tools = my-opt = my_tool:main\n"
    )
    make(a=ADDS, b=f"// RUN: not my-opt %s --unknown\n{ADDS}")

    plugin = "passgen_tools.testing.pytest_plugin"
    result = pytester.runpytest_subprocess("-p", plugin, "--differential")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*the check fails after pass 'miscompile' on 'builtin.module' *",
            "*@f(*) is (*), and was (*); the seed is 0*",
            "*results of functions before and after passes*",
            "0 calls gave the same results before and after passes.",
            "2 of 2 functions could be called.",
        ]
    )


UNEVALUATED = ADDS.replace(
    "  func.return", "  %f = arith.sitofp %0 : i32 to f32\n  func.return"
)
"""A function that xDSL's interpreter cannot call."""


@pytest.mark.parametrize(
    ("accepted_by", "expected"),
    [
        pytest.param(("", "", ()), (1, 1), id="nothing"),
        pytest.param(("", "", ("--unevaluated=allow",)), (0, 0), id="the flag"),
        pytest.param(("", "mlir_unevaluated = allow", ()), (0, 0), id="a setting"),
        pytest.param(
            ("", "mlir_unevaluated = a.mlir: allow", ()), (0, 1), id="one of the file"
        ),
        pytest.param(("// UNEVALUATED: allow\n", "", ()), (0, 1), id="a comment"),
    ],
)
def test_functions_and_sessions_without_a_call_to_compare_fail(
    pytester: pytest.Pytester,
    make: Make,
    accepted_by: tuple[str, str, tuple[str, ...]],
    expected: tuple[int, int],
) -> None:
    comment, setting, flags = accepted_by
    failed, exit_code = expected
    pytester.makepyfile(my_unevaluated_tool=WRONG_TOOL)
    pytester.syspathinsert()
    pytester.makeini(
        f"[pytest]\nmlir_tests = *.mlir\n{setting}\n"
        "mlir_tools = my-opt = my_unevaluated_tool:main\n"
    )
    make(a=comment + UNEVALUATED)

    result = run(pytester, "--differential", *flags)

    result.assert_outcomes(failed=failed, passed=1 - failed)
    assert result.ret == exit_code
    if failed:
        reason = "no call of @f was compared: not evaluated: 'arith.sitofp'"
        result.stdout.fnmatch_lines([f"*{reason}*"])
    if exit_code and not failed:
        result.stdout.fnmatch_lines(["error: --differential has compared no results"])


def test_a_malformed_word_about_unevaluated_functions_is_an_error(
    pytester: pytest.Pytester, make: Make
) -> None:
    make(a=f"// UNEVALUATED: never\n{FINE}")

    result = run(pytester, ON)

    result.stdout.fnmatch_lines(["*found 'never', expected 'allow' or 'fail'"])
