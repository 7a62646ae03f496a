"""Examples of passes in specs: how pytest runs them, and what it says of stale ones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from passgen_tools.testing.example_run import ExampleDriver, run_example
from passgen_tools.testing.example_update import with_text
from passgen_tools.testing.spec_examples import SpecExample
from tests.inner_pytest import run_inside

pytestmark = pytest.mark.usefixtures("modules_stay")

BEFORE = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}"""
AFTER = """\
func.func @f(%arg: i32) -> i32 {
  %sum = arith.addi %arg, %arg : i32
  %square = arith.muli %sum, %sum : i32
      func.return %square : i32
}"""
DRIVER = ExampleDriver("passgen_tools.opt:main", ["passgen-opt"], chooses_library=True)

SPEC = """\
# The passes of a tést.
summary: Passes.
passes:
  Cse:
    argument: cse
    summary: Compute once
    examples:
      - input: &before |
          func.func @f(%a: i32) -> i32 {
            %0 = arith.addi %a, %a : i32
            %1 = arith.addi %a, %a : i32
            %2 = arith.muli %0, %1 : i32
            return %2 : i32
          }

        output: |  # what comes out
          func.func @f() {
            return
          }

        # A second one.
      - input: *before
        pipeline: "builtin.module(cse,canonicalize)"
        check: >-
            // CHECK: nothing
    # The end.
"""


def example(before: str = BEFORE, **facts: str) -> SpecExample:
    fields = {"output": "", "check": "", "ir": "", "group_ir": "", **facts}
    pipeline = fields.pop("pipeline", "builtin.module(cse)")
    return SpecExample(
        "cse", 1, before, pipeline, file="a.yaml", line=4, result_line=7, **fields
    )


@pytest.fixture(scope="module", autouse=True)
def passes_are_imported() -> None:
    """Import the passes once: pytester forgets what each inner run has imported."""
    passes = "builtin.module(canonicalize,cse,print-ir,strip-debuginfo)"
    run_example(example(pipeline=passes), DRIVER)


def test_layout_and_names_do_not_matter() -> None:
    run = run_example(example(output=AFTER), DRIVER)

    assert run.failure == ""


def test_a_stale_example_shows_the_difference_and_what_it_should_say() -> None:
    run = run_example(example(output=AFTER.replace("muli", "addi")), DRIVER)

    assert run.failure == """\
a.yaml:7: error: the IR after the pass differs:
--- expected
+++ found
@@ -1,7 +1,7 @@
 builtin.module {
   func.func @f(%a: i32) -> i32 {
     %0 = arith.addi %a, %a : i32
-    %1 = arith.addi %0, %0 : i32
+    %1 = arith.muli %0, %0 : i32
     func.return %1 : i32
   }
 }"""
    assert run_example(example(output=run.result), DRIVER).failure == ""
    assert run.result.startswith("func.func @f(%a: i32)")


def test_a_module_stays_if_the_input_has_one() -> None:
    run = run_example(example(f"// IR\nmodule {{\n{BEFORE}\n}}", output=""), DRIVER)

    assert run.result.startswith("builtin.module {\n  func.func @f(")


def test_locations_are_compared_where_the_output_shows_some() -> None:
    before = 'module {\n} loc("a.py":1:1)'
    pipeline = "builtin.module(strip-debuginfo)"
    after = "module {\n} loc(unknown)"

    fine = run_example(example(before, pipeline=pipeline, output=after), DRIVER)
    assert fine.failure == ""
    stale = run_example(example(before, pipeline=pipeline, output=before), DRIVER)
    assert "+} loc(unknown)" in stale.failure
    assert stale.result.endswith("} loc(unknown)")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"output": "func.func @g("}, "7: error: the output is no valid IR: "),
        ({"pipeline": "builtin.module(csee)"}, "7: error: the example fails:\n"),
        ({"ir": "mlri"}, "Cannot find option named 'mlri'!"),
        ({"check": "// CHECK: @g"}, "7: error: the example prints something else:\n"),
    ],
)
def test_what_is_said_of_an_example_that_fails(
    facts: dict[str, str], message: str
) -> None:
    run = run_example(example(**facts), DRIVER)

    assert message in run.failure
    assert "Traceback" not in run.failure


def test_checks_read_what_the_pass_prints_before_the_ir() -> None:
    check = "// CHECK: IR Dump\n// CHECK: @f\n// CHECK: @f"
    pipeline = "builtin.module(print-ir)"

    assert run_example(example(pipeline=pipeline, check=check), DRIVER).failure == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("output: |\n  old\n", "output: |\n  new\n\n  \tline\n"),
        ("output: |\n", "output: |\n  new\n\n  \tline\n"),
        ("- check: |+\n\n     old\n\n\nb: 1\n",
         "- check: |+\n     new\n\n     \tline\n\n\nb: 1\n"),
        ("'output':  >-2  # a\n  old\n   old\n# end\n",
         "'output':  |-2  # a\n  new\n\n  \tline\n# end\n"),
        ("output: |4-\n    old\n", "output: |4-\n    new\n\n    \tline\n"),
        ("output: &a !!str |\n  old\nb: *a\n",
         "output: &a !!str |\n  new\n\n  \tline\nb: *a\n"),
        ("output: |\r\n    old\r\n\r\nb: é\r\n",
         "output: |\r\n    new\r\n\r\n    \tline\r\n\r\nb: é\r\n"),
    ],
)  # fmt: skip
def test_the_lines_of_the_text_alone_are_replaced(before: str, after: str) -> None:
    assert with_text(before, 1, "new\n\n\tline") == after


@pytest.mark.parametrize(
    "line", ["output: old", 'output: "old"', "output: *old", "- {output: old}", "|"]
)
def test_other_texts_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match="expected a text with lines of its own"):
        with_text(f"{line}\n", 1, "new")


@pytest.fixture
def spec(pytester: pytest.Pytester) -> Path:
    path = pytester.path / "specs" / "mine.yaml"
    path.parent.mkdir()
    path.write_text(SPEC, "utf-8")
    pytester.makeini("[pytest]\nmlir_specs = specs/*.yaml\ntestpaths = tests\n")
    (pytester.path / "tests").mkdir()
    return path


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    plugin = "passgen_tools.testing.pytest_plugin"
    return run_inside(pytester, "-p", plugin, *arguments)


@pytest.mark.process
def test_each_example_is_a_test_wherever_the_spec_is(
    pytester: pytest.Pytester, spec: Path
) -> None:
    result = run(pytester, "-v")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["*specs/mine.yaml::cse[[]1] FAILED*", "*specs/mine.yaml::cse[[]2] FAILED*"]
    )
    result.stdout.fnmatch_lines(
        [
            "*mine.yaml:16: error: the IR after the pass differs:",
            "To renew: pytest --update-checks 'specs/mine.yaml::cse[[]1]'",
        ]
    )
    assert spec.read_text("utf-8") == SPEC
    run(pytester, "-k", "cse[2]").assert_outcomes(failed=1, deselected=1)
    run(pytester, "tests").assert_outcomes()


@pytest.mark.process
def test_results_are_renewed_in_place(pytester: pytest.Pytester, spec: Path) -> None:
    run(pytester, "--update-checks").assert_outcomes(failed=2)  # git has no copy
    assert spec.read_text("utf-8") == SPEC

    result = run(pytester, "--update-checks", "--force-update")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*updated checks*", "*+ * %0 = arith.addi %a, %a *"])
    assert (
        spec.read_text("utf-8")
        == SPEC.replace(
            """\
          func.func @f() {
            return
          }
""",
            """\
          func.func @f(%a: i32) -> i32 {
            %0 = arith.addi %a, %a : i32
            %1 = arith.muli %0, %0 : i32
            func.return %1 : i32
          }
""",
        ).replace(
            """\
        check: >-
            // CHECK: nothing
""",
            """\
        check: |-
            // CHECK-LABEL: func.func @f(
            // CHECK-SAME:    %[[A:.*]]: i32) -> i32 {
            // CHECK-NEXT:    %[[VAL_0:.*]] = arith.addi %[[A]], %[[A]] : i32
            // CHECK-NEXT:    %[[VAL_1:.*]] = arith.muli %[[VAL_0]], %[[VAL_0]] : i32
            // CHECK-NEXT:    func.return %[[VAL_1]] : i32
            // CHECK-NEXT:  }
""",
        )
    )
    run(pytester).assert_outcomes(passed=2)


@pytest.mark.process
def test_all_results_of_a_committed_spec_are_renewed(
    pytester: pytest.Pytester, spec: Path
) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in ("init -q", "add .", "commit -q -m all"):
        subprocess.run(["git", *author, *command.split()], cwd=spec.parent, check=True)

    run(pytester, "--update-checks").assert_outcomes(passed=2)

    renewed = spec.read_text("utf-8")
    spec.write_text(renewed.replace("func.return %1 : i32", "func.return %0 : i32"))
    run(pytester, "--update-checks").assert_outcomes(passed=1, failed=1)  # uncommitted


@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("passes: {A: {summary: A, examples: [{inputFile: no.mlir, check: C}]}}",
         "*mine.yaml:1:*: error: cannot read '*no.mlir': no such file or directory"),
        ("passes: {A: {summary: A, examples: [{check: C}]}}",
         "*mine.yaml:1:*: error: example 1 of pass 'A' needs 'input' or 'inputFile'"),
    ],
)  # fmt: skip
def test_a_wrong_spec_is_a_test_that_fails(
    pytester: pytest.Pytester, spec: Path, text: str, message: str
) -> None:
    spec.write_text(text)

    result = run(pytester)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([message])


@pytest.mark.process
def test_a_text_of_two_examples_is_not_renewed(
    pytester: pytest.Pytester, spec: Path
) -> None:
    text = SPEC.replace("output: |", "output: &after |")
    spec.write_text(
        text.replace(
            "check: >-\n            // CHECK: nothing\n", "output: *after\n"
        ).replace(",canonicalize", ""),
        "utf-8",
    )
    result = run(pytester, "--update-checks", "--force-update")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["*the result of cse[[]1] is also that of cse[[]2], by an alias: *"]
    )


def test_settings_that_are_wrong(pytester: pytest.Pytester, spec: Path) -> None:
    for line, message in {
        "none/*.yaml": "*mlir_specs: 'none/[*].yaml' matches no file below the root*",
        "specs/*.yaml: passgen-opd": "*'passgen-opd' is no program of `mlir_tools`",
    }.items():
        pytester.makeini(f"[pytest]\nmlir_specs =\n  {line}\n")
        run(pytester).stderr.fnmatch_lines([message])
    assert spec.exists()
