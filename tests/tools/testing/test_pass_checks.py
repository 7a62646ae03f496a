"""A check of the whole IR after each pass, in assertions about pipelines."""

from __future__ import annotations

import re
from typing import ClassVar

import pytest
from xdsl.dialects import arith
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.rewriter import Rewriter

from passgen_runtime import (
    OperationPass,
    OpPassManager,
    Pass,
    PassOptions,
)
from passgen_runtime.context import Context, Operation
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_tools.testing import (
    PassTester,
    assert_fails,
    assert_rewrites,
    assert_unchanged,
    round_trip,
    same_results,
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
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.muli %0, %0 : i32
  return %1 : i32
}
"""
WRONG = AFTER.replace("muli", "addi")


class Miscompile(OperationPass[PassOptions]):
    """Adds where the function multiplies."""

    argument = "miscompile"
    anchor: ClassVar[str] = "func.func"

    def run_on_operation(self) -> None:
        for operation in self.operation.walk():
            if isinstance(operation, arith.MuliOp):
                Rewriter.replace_op(operation, arith.AddiOp(*operation.operands))


@irdl_attr_definition
class Unread(ParametrizedAttribute):
    """An attribute that no context knows."""

    name = "unknown.unread"


def functions(*passes: Pass) -> OpPassManager:
    manager = OpPassManager("builtin.module")
    for pass_ in passes:
        manager.nest("func.func").add_pass(pass_)
    return manager


def has_two_additions(operation: Operation, _context: Context) -> None:
    count = sum(isinstance(inside, arith.AddiOp) for inside in operation.walk())
    assert count == 2, f"{count} additions"


def test_a_check_sees_the_module_before_the_first_pass_and_after_each() -> None:
    seen: list[str] = []

    def note(operation: Operation, context: Context) -> None:
        seen.append(context.name(operation))

    assert_rewrites(functions(CSE(), Canonicalizer()), BEFORE, AFTER, check=note)

    assert seen == ["builtin.module"] * 3


def test_the_pass_is_named_after_which_a_check_fails_first() -> None:
    pipeline = functions(Canonicalizer(), CSE(), Canonicalizer())
    text = "fails after pass 'cse' on 'func.func' operation: @f at before:1:1:\n1 add"
    with pytest.raises(AssertionError, match=re.escape(text)) as error:
        assert_rewrites(pipeline, BEFORE, AFTER, check=has_two_additions)

    assert "and 1 more times after it" in str(error.value)
    assert str(error.value.__cause__).startswith("1 additions")


def test_failures_may_be_expected_by_pass() -> None:
    pipeline = functions(CSE(), Miscompile())
    expected = {"cse": "1 additions"}
    check = has_two_additions
    assert_rewrites(pipeline, BEFORE, WRONG, check=check, fails_after=expected)

    with pytest.raises(AssertionError, match="after pass 'cse'"):
        assert_rewrites(
            pipeline, BEFORE, WRONG, check=check, fails_after={"cse": "3 additions"}
        )
    with pytest.raises(AssertionError, match="expected the check to fail after 'cse'"):
        assert_unchanged(functions(CSE()), WRONG, check=check, fails_after=expected)


def test_what_is_wrong_before_the_passes_is_not_the_fault_of_one() -> None:
    with pytest.raises(AssertionError, match="before the first pass: 1 additions"):
        assert_unchanged(functions(CSE()), AFTER, check=has_two_additions)


def test_a_check_runs_up_to_the_pass_that_fails() -> None:
    class Fail(OperationPass[PassOptions]):
        argument = "fail"

        def run_on_operation(self) -> None:
            self.emit_error("in vain")
            self.signal_pass_failure()

    with pytest.raises(AssertionError, match="after pass 'miscompile'"):
        assert_fails(
            functions(Miscompile(), Fail()),
            BEFORE,
            match="in vain",
            check=same_results("f", [(3,)]),
        )


def test_the_interpreter_finds_the_pass_that_changes_results() -> None:
    check = same_results("f", [(0,), (3,)])
    assert_rewrites(functions(CSE(), Canonicalizer()), BEFORE, AFTER, check=check)

    pipeline = functions(CSE(), Miscompile())
    text = (
        "after pass 'miscompile' on 'func.func' operation: @f at before:1:1:\n@f(3,) "
    )
    with pytest.raises(AssertionError, match=re.escape(text)):
        assert_rewrites(pipeline, BEFORE, WRONG, check=same_results("f", [(0,), (3,)]))


def test_a_round_trip_finds_the_pass_whose_ir_cannot_be_parsed() -> None:
    class Spell(OperationPass[PassOptions]):
        """Gives an operation an attribute of an unknown dialect."""

        argument = "spell"
        anchor: ClassVar[str] = "func.func"

        def run_on_operation(self) -> None:
            self.operation.attributes["unread"] = Unread()

    assert_rewrites(functions(CSE()), BEFORE, AFTER, check=round_trip)
    with pytest.raises(AssertionError, match="after pass 'spell'"):
        PassTester(audit=False).assert_unchanged(
            functions(Spell()), AFTER, check=round_trip
        )
