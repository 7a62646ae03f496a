"""Patterns with one fault each, and the rule that each breaks.

They match `arith.addi` unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from xdsl.dialects import arith, func, scf, test
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i32, i64
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter

from passgen_tools.adaptors import (
    BY_REWRITER,
    CHANGES_NOTHING,
    CHANGES_SOMETHING,
    NO_USE_OF_ERASED,
    UNDOES_NOTHING,
    VALID_BETWEEN,
)

IR = """
func.func @other() {
  return
}
func.func @f(%x: i32, %n: index) -> i32 {
  %two = arith.constant 2 : i32
  %sum = arith.addi %x, %two : i32
  %twice = arith.muli %sum, %two : i32
  "test.op"() : () -> ()
  %for = scf.for %i = %n to %n step %n iter_args(%last = %twice) -> (i32) {
    scf.yield %sum : i32
  }
  return %for : i32
}
"""

Do = Callable[[Any, PatternRewriter], object]


class Planted(NamedTuple):
    """What a pattern does to operations of a kind."""

    do: Do
    kind: type[Operation] = arith.AddiOp

    def pattern(self) -> RewritePattern:
        """Return the pattern, whose class has the name of the function."""
        do, kind = self

        def match_and_rewrite(
            _self: RewritePattern, op: Operation, rewriter: PatternRewriter, /
        ) -> None:
            if isinstance(op, kind):
                do(op, rewriter)

        members = {"match_and_rewrite": match_and_rewrite}
        made: Any = type(do.__name__, (RewritePattern,), members)
        pattern: RewritePattern = made()
        return pattern


class Fault(NamedTuple):
    """Patterns with a fault, and what the audit has to say about it."""

    patterns: tuple[Planted, ...]
    rule: str
    found: str
    """How the message goes on after the name of the pattern."""

    name: str = ""
    """The name of the pattern that is to be accused."""


FAULTS: list[Fault] = []


def fault(rule: str, found: str) -> Callable[[Do], Do]:
    """Add a function to the faults, of patterns that match `arith.addi`."""

    def add(do: Do) -> Do:
        FAULTS.append(Fault((Planted(do),), rule, found, do.__name__))
        return do

    return add


def function_of(op: Operation) -> func.FuncOp:
    """Return the function around an operation."""
    around = op.parent_op()
    while not isinstance(around, func.FuncOp):
        assert around is not None
        around = around.parent_op()
    return around


def user_of(op: Operation) -> Operation:
    """Return the first operation that uses the result of `op`."""
    user: Operation = next(iter(op.results[0].uses)).operation
    return user


# Success without a change.

SUCCESS = "reports success, but changes nothing"


@fault(CHANGES_SOMETHING, SUCCESS)
def says_so(_op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.has_done_action = True


@fault(CHANGES_SOMETHING, SUCCESS)
def notifies_alone(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.notify_op_modified(op)


@fault(CHANGES_SOMETHING, SUCCESS)
def sets_the_same_constant(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    op.rhs.owner.properties["value"] = IntegerAttr(2, i32)  # type: ignore[union-attr]
    rewriter.notify_op_modified(op.rhs.owner)  # type: ignore[arg-type]


@fault(CHANGES_SOMETHING, SUCCESS)
def sets_the_same_operands(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    op.operands = (op.lhs, op.rhs)
    rewriter.notify_op_modified(op)


@fault(CHANGES_SOMETHING, "reports success, but replaces 'arith.addi' operation")
def replaces_by_its_equal(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, op.clone())


@fault(CHANGES_SOMETHING, "reports success, but replaces 'arith.addi' operation")
def makes_the_same_sum(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    two = rewriter.insert(arith.ConstantOp(IntegerAttr(2, i32)))
    rewriter.replace(op, arith.AddiOp(op.lhs, two))


@fault(CHANGES_SOMETHING, SUCCESS)
def erases_what_it_inserts(_op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.erase(rewriter.insert(arith.ConstantOp(IntegerAttr(3, i32))))


@fault(CHANGES_SOMETHING, "reports success, but replaces 'scf.yield' operation")
def replaces_a_yield_by_its_equal(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    user = user_of(op)
    rewriter.replace(user, scf.YieldOp(*user.operands))


def moves_its_regions(op: scf.ForOp, rewriter: PatternRewriter) -> None:
    body = op.detach_region(op.body)
    rewriter.replace(op, scf.ForOp(op.lb, op.ub, op.step, op.iter_args, body))


FAULTS.append(
    Fault(
        (Planted(moves_its_regions, scf.ForOp),),
        CHANGES_SOMETHING,
        "reports success, but replaces 'scf.for' operation",
        "moves_its_regions",
    )
)


# A change with "no match".


@fault(CHANGES_NOTHING, "does not match, but changes 'arith.addi' operation")
def marks_what_it_visits(op: arith.AddiOp, _rewriter: PatternRewriter) -> None:
    op.attributes["visited"] = UnitAttr()


@fault(CHANGES_NOTHING, "does not match, but changes 'arith.constant' operation")
def changes_its_operand(op: arith.AddiOp, _rewriter: PatternRewriter) -> None:
    op.rhs.owner.properties["value"] = IntegerAttr(3, i32)  # type: ignore[union-attr]


@fault(CHANGES_NOTHING, "does not match, but changes 'scf.yield' operation")
def changes_its_user(op: arith.AddiOp, _rewriter: PatternRewriter) -> None:
    user_of(op).attributes["fed"] = UnitAttr()


@fault(CHANGES_NOTHING, "does not match, but changes 'arith.addi' operation")
def exchanges_operands(op: arith.AddiOp, _rewriter: PatternRewriter) -> None:
    op.operands = (op.rhs, op.lhs)


@fault(CHANGES_NOTHING, "does not match, but changes 'func.func' operation: @f")
def marks_its_function(op: arith.AddiOp, _rewriter: PatternRewriter) -> None:
    function_of(op).attributes["has_sum"] = UnitAttr()


@fault(CHANGES_NOTHING, "does not match, but changes 'func.func' operation: @other")
def marks_another_function(op: arith.AddiOp, _rewriter: PatternRewriter) -> None:
    function_of(op).prev_op.attributes["seen"] = UnitAttr()  # type: ignore[union-attr]


@fault(CHANGES_NOTHING, "does not match, but adds 'arith.constant' operation")
def leaves_a_constant(op: arith.AddiOp, _rewriter: PatternRewriter) -> None:
    constant = arith.ConstantOp(IntegerAttr(0, i32))
    Rewriter.insert_op(constant, InsertPoint.before(op))


@fault(CHANGES_NOTHING, "does not match, but erases 'test.op' operation")
def erases_a_neighbour(op: arith.AddiOp, _rewriter: PatternRewriter) -> None:
    for each in list(function_of(op).walk()):
        if isinstance(each, test.TestOp):
            Rewriter.erase_op(each)


@fault(CHANGES_NOTHING, "does not match, but changes 'arith.muli' operation")
def replaces_by_the_static_rewriter(
    op: arith.AddiOp, _rewriter: PatternRewriter
) -> None:
    Rewriter.replace_op(op, arith.AddiOp(op.rhs, op.lhs))


@fault(CHANGES_NOTHING, "does not match, but adds, erases or moves operations")
def moves_its_operation(op: arith.AddiOp, _rewriter: PatternRewriter) -> None:
    block, after = op.parent_block(), op.next_op
    assert block is not None
    assert after is not None
    block.detach_op(op)
    block.insert_op_after(op, after)


# A change past the rewriter.


@fault(BY_REWRITER, "changes 'arith.constant' operation at planted.mlir:6:10 without")
def changes_a_constant_beside(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    op.rhs.owner.properties["value"] = IntegerAttr(4, i32)  # type: ignore[union-attr]
    rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))


@fault(BY_REWRITER, "changes 'func.func' operation: @f at planted.mlir:5:1 without")
def marks_the_function_beside(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    function_of(op).attributes["rewritten"] = UnitAttr()
    rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))


@fault(BY_REWRITER, "changes 'func.func' operation: @other at planted.mlir:2:1 without")
def marks_a_far_function(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    function_of(op).prev_op.attributes["far"] = UnitAttr()  # type: ignore[union-attr]
    rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))


@fault(BY_REWRITER, "changes 'arith.muli' operation at planted.mlir:8:12 without")
def replaces_uses_itself(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    new = rewriter.insert(arith.SubiOp(op.lhs, op.rhs))
    op.result.replace_all_uses_with(new.result)
    rewriter.erase(op)


@fault(BY_REWRITER, "erases 'test.op' operation at planted.mlir:9:3 without")
def erases_past_the_rewriter(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    for each in list(function_of(op).walk()):
        if isinstance(each, test.TestOp):
            Rewriter.erase_op(each)
    rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))


@fault(BY_REWRITER, "adds 'arith.constant' operation")
def adds_past_the_rewriter(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    three = arith.ConstantOp(IntegerAttr(3, i32))
    Rewriter.insert_op(three, InsertPoint.before(op))
    rewriter.replace(op, arith.SubiOp(op.lhs, three.result))


# IR that is invalid between two patterns.


@fault(VALID_BETWEEN, "leaves invalid IR: ")
def adds_other_types(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    wide = rewriter.insert(arith.ConstantOp(IntegerAttr(2, i64)))
    new = arith.AddiOp.create(
        operands=[op.lhs, wide.result],
        result_types=[i32],
        properties=op.properties.copy(),
    )
    rewriter.replace(op, new)


@fault(VALID_BETWEEN, "leaves invalid IR: ")
def drops_a_property(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    constant = op.rhs.owner
    assert isinstance(constant, Operation)
    del constant.properties["value"]
    rewriter.notify_op_modified(constant)


@fault(VALID_BETWEEN, "leaves invalid IR: ")
def changes_the_type_of_its_result(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.replace_value_with_new_type(op.result, i64)


@fault(VALID_BETWEEN, "leaves invalid IR: ")
def erases_the_terminator(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    block = op.parent_block()
    assert block is not None
    last = block.last_op
    assert last is not None
    rewriter.erase(last)


@fault(VALID_BETWEEN, "leaves invalid IR: ")
def ends_the_block_with_a_sum(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    block = op.parent_block()
    assert block is not None
    new = arith.AddiOp(op.lhs, op.lhs)
    rewriter.insert(new, InsertPoint.at_end(block))


@fault(VALID_BETWEEN, "leaves invalid IR: ")
def empties_a_block_inside(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.erase(user_of(op))


@fault(VALID_BETWEEN, "leaves invalid IR: ")
def yields_twice(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    last = user_of(op)
    rewriter.insert(scf.YieldOp(*last.operands), InsertPoint.after(last))


@fault(VALID_BETWEEN, "leaves invalid IR: ")
def yields_too_much(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    for each in list(function_of(op).walk()):
        if isinstance(each, scf.YieldOp):
            each.operands = (*each.operands, op.lhs)
            rewriter.notify_op_modified(each)
            return


# An operation that is used after it was replaced or erased.


@fault(NO_USE_OF_ERASED, "changes 'arith.addi' operation at planted.mlir:7:10, which")
def notifies_of_what_is_erased(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))
    rewriter.notify_op_modified(op)


@fault(NO_USE_OF_ERASED, "changes 'arith.addi' operation at planted.mlir:7:10, which")
def marks_what_is_erased(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))
    op.attributes["old"] = UnitAttr()


@fault(NO_USE_OF_ERASED, "leaves 'arith.muli' operation at planted.mlir:8:12 with a")
def erases_what_is_used(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.erase(op, safe_erase=False)


@fault(NO_USE_OF_ERASED, "leaves 'arith.subi' operation at planted.mlir:7:10 with a")
def uses_the_old_result(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    new = arith.SubiOp(op.lhs, op.rhs)
    new.location = op.location
    old = op.result
    rewriter.replace(op, new)
    new.operands = (old, new.operands[1])
    rewriter.notify_op_modified(new)


@fault(NO_USE_OF_ERASED, "changes 'arith.addi' operation at planted.mlir:7:10, which")
def erases_twice(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))
    rewriter.erase(op)


# An application that another undoes.


def to_sub(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))


def to_add(op: arith.SubiOp, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, arith.AddiOp(op.lhs, op.rhs))


def to_mul(op: arith.SubiOp, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, arith.MuliOp(op.lhs, op.rhs))


def from_mul(op: arith.MuliOp, rewriter: PatternRewriter) -> None:
    if op.lhs is not op.rhs and not isinstance(op.lhs.owner, arith.AddiOp):
        rewriter.replace(op, arith.AddiOp(op.lhs, op.rhs))


def to_sum_of_copy(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    constant = op.rhs.owner
    assert isinstance(constant, arith.ConstantOp)
    copy = rewriter.insert(arith.ConstantOp(constant.value))
    rewriter.replace(op, arith.SubiOp(op.lhs, copy.result))


def from_sum_of_copy(op: arith.SubiOp, rewriter: PatternRewriter) -> None:
    constant = op.rhs.owner
    assert isinstance(constant, arith.ConstantOp)
    copy = rewriter.insert(arith.ConstantOp(constant.value))
    rewriter.replace(op, arith.AddiOp(op.lhs, copy.result))


def exchanges_its_operands(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    op.operands = (op.rhs, op.lhs)
    rewriter.notify_op_modified(op)


def turns_its_flag(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    if "flag" in op.attributes:
        del op.attributes["flag"]
    else:
        op.attributes["flag"] = UnitAttr()
    rewriter.notify_op_modified(op)


FAULTS += [
    Fault(
        (Planted(to_sub), Planted(to_add, arith.SubiOp)),
        UNDOES_NOTHING,
        "undoes what 'to_sub' has done",
        "to_add",
    ),
    Fault(
        (
            Planted(to_sub),
            Planted(to_mul, arith.SubiOp),
            Planted(from_mul, arith.MuliOp),
        ),
        UNDOES_NOTHING,
        "undoes what 'to_sub' has done",
        "from_mul",
    ),
    Fault(
        (Planted(to_sum_of_copy), Planted(from_sum_of_copy, arith.SubiOp)),
        UNDOES_NOTHING,
        "undoes what 'to_sum_of_copy' has done",
        "from_sum_of_copy",
    ),
    Fault(
        (Planted(exchanges_its_operands),),
        UNDOES_NOTHING,
        "undoes what 'exchanges_its_operands' has done",
        "exchanges_its_operands",
    ),
    Fault(
        (Planted(turns_its_flag),),
        UNDOES_NOTHING,
        "undoes what 'turns_its_flag' has done",
        "turns_its_flag",
    ),
]
