"""Verification of patterns on operations whose semantics their pass declares."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)

from passgen_runtime.errors import PassError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import RewritePattern
from passgen_tools.verify import report, verify_patterns
from tests.pattern_cases import pass_of, pattern
from tests.tools.verify.planted_patterns import Planted

Bits: TypeAlias = Any


@irdl_op_definition
class DoubleOp(IRDLOperation):
    name = "toy.double"
    value = operand_def(IntegerType)
    result = result_def(IntegerType)


@irdl_op_definition
class SumOp(IRDLOperation):
    name = "toy.sum"
    values = var_operand_def(IntegerType)
    result = result_def(IntegerType)


@irdl_op_definition
class ScaleOp(IRDLOperation):
    name = "toy.scale"
    value = operand_def(IntegerType)
    factor = prop_def()
    result = result_def(IntegerType)


@pytest.fixture
def context() -> XDSLContext:
    context = XDSLContext()
    context.register_dialect("toy", lambda: Dialect("toy", [DoubleOp, SumOp, ScaleOp]))
    return context


def rewrite(before: str, after: str) -> RewritePattern:
    """Return a pattern of one operation that becomes another."""
    before, after = (f"%0 = {operation}" for operation in (before, after))
    return RewritePattern(name="example", before=before, after=after)


def double(value: Bits) -> Bits:
    return value + value


def first_value(value: Bits, _: Bits) -> Bits:
    return value


def text(
    context: XDSLContext, rewritten: RewritePattern, **semantics: Callable[..., Bits]
) -> str:
    named = tuple((f"toy.{name}", function) for name, function in semantics.items())
    return report(verify_patterns(pass_of(rewritten, semantics=named), context))


ADD_TO_DOUBLE = rewrite("arith.addi %x, %x : i8", '"toy.double"(%x) : (i8) -> i8')


def test_an_operation_is_proved_by_its_semantics(context: XDSLContext) -> None:
    found = text(context, ADD_TO_DOUBLE, double=double)
    assert found == "  example: proved: i8\n"


@pytest.mark.parametrize(
    "wrong", [lambda x: x + 1, lambda x: x | x, lambda _: 2, lambda x: -double(x)]
)
def test_wrong_semantics_have_a_counterexample(
    wrong: Callable[[Bits], Bits], context: XDSLContext
) -> None:
    found = text(context, ADD_TO_DOUBLE, double=wrong)
    assert found.startswith("  example: wrong: i8\n")
    assert '"toy.double"(%0)' in found


def test_without_semantics_an_operation_is_not_checked(context: XDSLContext) -> None:
    assert "'toy.double' has no semantics" in text(context, ADD_TO_DOUBLE)


def leave(_: Bits) -> Bits:
    sys.exit(0)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda: 0, "TypeError: "),
        (lambda _: 1 // 0, "ZeroDivisionError: "),
        (lambda _: None, "TypeError: expected bits, found None"),
        (lambda _: True, "TypeError: expected bits, found True"),
        (lambda _: 2.5, "TypeError: expected bits, found 2.5"),
        (lambda x: (x, x), "TypeError: expected bits, found ("),
        (leave, "SystemExit: "),
        (lambda x: x // 2, "TypeError: unsupported operand type(s) for //"),
        (lambda x: x < 2, "TypeError: expected bits, found "),
        (lambda x: x if x < 2 else 0, "TypeError: a comparison of all values"),
        (lambda x: x if x + 1 != 1 + x else 0, "TypeError: a comparison of all"),
    ],
)
def test_a_function_that_fails_is_a_verdict(
    function: Callable[..., Bits], reason: str, context: XDSLContext
) -> None:
    found = text(context, ADD_TO_DOUBLE, double=function)
    assert found.startswith("  example: not checked: i8\n")
    assert f"the semantics of 'toy.double' return no i8: {reason}" in found


def test_a_function_gets_as_many_operands_as_the_operation(
    context: XDSLContext,
) -> None:
    given: set[int] = set()

    def add_all(*values: Bits) -> Bits:
        given.add(len(values))
        return sum(values)

    rewritten = rewrite(
        '"toy.sum"(%x, %y, %x) : (i8, i8, i8) -> i8',
        '"toy.sum"(%y, %x, %x) : (i8, i8, i8) -> i8',
    )
    assert text(context, rewritten, sum=add_all) == "  example: proved: i8\n"
    assert given == {3}


def test_an_attribute_has_no_semantics(context: XDSLContext) -> None:
    scaled = '"toy.scale"(%x) <{factor = 2 : i8}> : (i8) -> i8'
    found = text(context, rewrite(scaled, "arith.addi %x, %x : i8"), scale=double)
    assert "an operand or attribute of 'toy.scale' has no semantics" in found


def test_poison_of_any_operand_is_that_of_the_result(context: XDSLContext) -> None:
    of_two = '"toy.sum"(%x, %y) : (i8, i8) -> i8'
    rewritten = rewrite("arith.select %true, %x, %y : i8", of_two)
    true = "%true = arith.constant true"
    rewritten = replace(rewritten, before=f"{true}\n{rewritten.before}")
    assert "// poison" in text(context, rewritten, sum=first_value)
    assert "proved: i8" in text(context, rewrite(of_two, "%x"), sum=first_value)


def test_semantics_of_the_pass_come_before_those_that_are_shipped() -> None:
    planted = Planted(is_right=True, type="i8", text="addi x y => maxsi x y")
    named = (("arith.maxsi", lambda x, y: x + y),)
    class_ = pass_of(pattern(planted.pdl()), semantics=named)
    assert "proved: i8" in report(verify_patterns(class_))


def test_a_function_that_does_not_exist_is_an_error(context: XDSLContext) -> None:
    class_ = pass_of(ADD_TO_DOUBLE, semantics=(("toy.double", "operator:duoble"),))
    with pytest.raises(PassError, match="'operator' has no function 'duoble'"):
        list(verify_patterns(class_, context))
