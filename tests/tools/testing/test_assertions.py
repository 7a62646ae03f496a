"""Assertions about passes: what they accept, and how a failure shows the difference."""

from __future__ import annotations

from typing import ClassVar

import pytest
from xdsl.dialects import arith, func

from passgen_runtime import (
    IRError,
    OperationPass,
    OpPassManager,
    PassManager,
    PassOptions,
    PassRegistry,
    statistic,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.cse import CSE
from passgen_tools.testing import (
    PassTester,
    assert_fails,
    assert_rewrites,
    assert_unchanged,
)

BEFORE = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
"""
AFTER = """\
func.func @f(%a: i32) -> i32 {
  %sum = arith.addi %a, %a : i32
  %product = arith.muli %sum, %sum : i32
  return %product : i32
}
"""
FUNCTIONS = "builtin.module(func.func(cse))"


class Complain(OperationPass[PassOptions]):
    anchor: ClassVar[str] = "func.func"
    argument = "complain"
    num_seen = statistic("num-seen", "Functions seen.")

    def run_on_operation(self) -> None:
        self.num_seen += 1
        self.emit_warning("odd")
        for operation in self.operation.walk():
            if isinstance(operation, arith.MuliOp):
                self.emit_error("no multiplication", operation)
                self.signal_pass_failure()


class RenameNeighbour(OperationPass[PassOptions]):
    """Breaks a rule: it changes IR outside of its operation."""

    anchor: ClassVar[str] = "func.func"

    def run_on_operation(self) -> None:
        module = self.operation.parent_op()
        for operation in module.body.block.ops:
            if operation is not self.operation and isinstance(operation, func.FuncOp):
                operation.attributes["seen"] = operation.sym_name


def difference(error: pytest.ExceptionInfo[AssertionError]) -> list[str]:
    lines = str(error.value).splitlines()
    return [
        line
        for line in lines
        if line[:1] in {"-", "+"} and line[:3] not in {"---", "+++"}
    ]


@pytest.mark.parametrize(
    "pipeline", [CSE(), FUNCTIONS, OpPassManager("builtin.module"), "cse"]
)
def test_pipeline_is_a_pass_a_manager_or_a_text(
    pipeline: CSE | OpPassManager | str,
) -> None:
    if isinstance(pipeline, OpPassManager):
        pipeline.nest("func.func").add_pass(CSE())
    if pipeline == "cse":
        pipeline = PassManager(XDSLContext())
        pipeline.add_pass(CSE())

    run = assert_rewrites(pipeline, BEFORE, AFTER)

    assert run.text.startswith("builtin.module {\n  func.func @f(%x: i32)")
    assert run.statistics == {"num-cse'd": 2, "num-dce'd": 0}


def test_names_and_layout_do_not_matter_and_operands_do() -> None:
    assert_rewrites(FUNCTIONS, BEFORE, AFTER.replace("  ", " ").replace("%a", "%b"))

    with pytest.raises(AssertionError, match="the IR differs:") as error:
        assert_rewrites(FUNCTIONS, BEFORE, AFTER.replace("%sum, %sum", "%sum, %a"))

    assert difference(error) == [
        "-    %1 = arith.muli %0, %x : i32",
        "+    %1 = arith.muli %0, %0 : i32",
    ]


def test_unchanged_ir_has_no_difference() -> None:
    assert_unchanged(FUNCTIONS, AFTER)

    with pytest.raises(AssertionError, match="the IR differs:") as error:
        assert_unchanged(FUNCTIONS, BEFORE)

    assert difference(error) == [
        "-    %old_1 = arith.addi %x, %x : i32",
        "-    %1 = arith.muli %0, %old_1 : i32",
        "+    %1 = arith.muli %0, %0 : i32",
    ]


def test_changed_locations_are_changes() -> None:
    ir = f'{AFTER.rstrip()} loc("a.py":1:1)\n'

    with pytest.raises(AssertionError, match="the pipeline changed") as error:
        assert_unchanged("builtin.module(strip-debuginfo)", ir)

    assert any('"a.py":1:1' in line for line in difference(error))


def test_failure_is_expected_by_its_text() -> None:
    run = assert_fails(Complain(), BEFORE, match="no mul.*ion")

    assert "pass 'complain' failed on 'func.func' operation: @f" in str(run.error)
    with pytest.raises(AssertionError, match="found no match of 'x y' in\nbefore:1:1"):
        assert_fails(Complain(), BEFORE, match="x y")
    with pytest.raises(
        AssertionError,
        match="expected a failure, but the pipeline succeeded with\nbuilt",
    ):
        assert_fails(FUNCTIONS, BEFORE, match="")


def test_failure_that_is_not_expected_shows_the_diagnostics() -> None:
    with pytest.raises(AssertionError) as error:
        assert_unchanged(Complain(), BEFORE)

    assert str(error.value).startswith(
        "the pipeline failed:\nbefore:1:1: warning: odd\n"
    )
    assert "\nbefore:4:8: error: no multiplication\n" in str(error.value)


def test_error_wrong_pipeline_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="'nix' does not refer to a registered"):
        assert_unchanged("builtin.module(nix)", AFTER)


def test_statistics_and_diagnostics_are_compared() -> None:
    sums = BEFORE.replace("muli", "addi")

    assert_unchanged(
        Complain(), sums, statistics={"num-seen": 1}, diagnostics=["warning: odd$"]
    )
    with pytest.raises(AssertionError, match="the statistics differ:") as error:
        assert_unchanged(Complain(), sums, statistics={"num-seen": 2})
    assert difference(error) == ["-num-seen: 2", "+num-seen: 1"]
    with pytest.raises(AssertionError, match="the diagnostics differ:") as error:
        assert_unchanged(Complain(), sums, diagnostics=[])
    assert difference(error) == ["+before:1:1: warning: odd"]


def test_diagnostics_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert_fails(Complain(), BEFORE, match="")

    assert capsys.readouterr() == ("", "")


def test_runs_are_audited_unless_told_otherwise() -> None:
    two = AFTER + AFTER.replace("@f", "@g")
    changed = two.replace("-> i32 {", "-> i32 attributes {seen = SYM} {")
    changed = changed.replace("SYM", '"f"', 1).replace("SYM", '"g"', 1)

    with pytest.raises(
        AssertionError, match="the rule: a pass changes only its operation"
    ):
        assert_rewrites(RenameNeighbour(), two, changed)

    PassTester(audit=False).assert_rewrites(RenameNeighbour(), two, changed)


def test_tester_shares_a_context_and_a_registry() -> None:
    registry = PassRegistry()
    registry.register_pass(Complain)
    context = XDSLContext(allow_unregistered=True)
    handler = context.diagnostic_handler
    tester = PassTester(context, registry)

    tester.assert_unchanged("any(func.func(complain))", '"un.known"() : () -> ()')

    assert context.diagnostic_handler is handler
    with pytest.raises(AssertionError, match="'cse' does not refer"):
        tester.assert_unchanged("any(cse)", AFTER)


@pytest.mark.parametrize(("before", "after"), [("nix", AFTER), (BEFORE, "nix")])
def test_error_text_that_is_no_ir(before: str, after: str) -> None:
    with pytest.raises(IRError):
        assert_rewrites(FUNCTIONS, before, after)


def test_ir_of_an_unknown_dialect_fails_with_its_place_and_without_a_stack() -> None:
    with pytest.raises(IRError, match=r"(?s)before:1:1.*register_dialect") as caught:
        assert_rewrites("canonicalize", '"mine.op"() : () -> ()', "")

    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
