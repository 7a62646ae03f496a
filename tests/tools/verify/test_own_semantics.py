"""Verification of patterns on operations whose semantics their pass declares."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import PatternVariable, RewritePattern
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


@irdl_op_definition
class FreeOp(IRDLOperation):
    name = "toy.free"
    value = operand_def(IntegerType)
    factor = opt_prop_def()
    result = result_def(IntegerType)


@pytest.fixture
def context() -> XDSLContext:
    context = XDSLContext()
    operations: list[type[Operation]] = [DoubleOp, SumOp, ScaleOp, FreeOp]
    context.register_dialect("toy", lambda: Dialect("toy", operations))
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


SCALED = '"toy.scale"(%x) <{factor = 2 : i8}> : (i8) -> i8'


def test_an_attribute_that_a_function_does_not_get_has_no_semantics(
    context: XDSLContext,
) -> None:
    found = text(context, rewrite(SCALED, "arith.addi %x, %x : i8"), scale=double)
    assert "an operand or attribute of 'toy.scale' has no semantics" in found


def scale(value: Bits, *, factor: Bits) -> Bits:
    return value * factor


def scale_or_not(value: Bits, *, factor: Bits = 1) -> Bits:
    return value * factor


@pytest.mark.parametrize("function", [scale, scale_or_not])
def test_a_function_gets_attributes_by_name(
    function: Callable[..., Bits], context: XDSLContext
) -> None:
    right = rewrite(SCALED, "arith.addi %x, %x : i8")
    assert text(context, right, scale=function) == "  example: proved: i8\n"
    wrong = text(context, rewrite(SCALED, "%x"), scale=function)
    assert wrong.startswith("  example: wrong: i8\n")
    assert '"toy.scale"(%0) {factor = 2 : i8} : (i8) -> i8' in wrong


def test_attributes_that_vary_are_variables(context: XDSLContext) -> None:
    twice = RewritePattern(
        name="example",
        before='%a = "toy.scale"(%x) <{factor = $c : i8}> : (i8) -> i8\n'
        '%0 = "toy.scale"(%a) <{factor = $d : i8}> : (i8) -> i8',
        after='%0 = "toy.scale"(%x) <{factor = $e : i8}> : (i8) -> i8',
        variables=tuple(
            PatternVariable(
                name=name, examples=("1", "0"), is_attribute=True, make=make
            )
            for name, make in {"c": "", "d": "", "e": "mul(c, d)"}.items()
        ),
    )
    assert text(context, twice, scale=scale) == "  example: proved: i8\n"
    wrong = tuple(
        replace(known, make=known.make.replace("mul", "sub"), examples=("1", "0"))
        for known in twice.variables
    )
    varied = replace(
        twice, variables=(*wrong[:2], replace(wrong[2], examples=("0", "1")))
    )
    assert text(context, varied, scale=scale).startswith("  example: wrong: i8\n")


def test_an_attribute_that_is_no_integer_has_no_semantics(
    context: XDSLContext,
) -> None:
    shown_as_text = '"toy.scale"(%x) <{factor = "two"}> : (i8) -> i8'
    found = text(context, rewrite(shown_as_text, "%x"), scale=scale)
    assert "the attribute 'factor' of 'toy.scale' is no integer" in found


FREE = '"toy.free"(%x) : (i8) -> i8'


@pytest.mark.parametrize(
    ("function", "verdict"),
    [
        (scale_or_not, "proved: i8"),
        (scale, "the attribute 'factor' of 'toy.free' is not shown"),
    ],
)
def test_a_new_operation_may_lack_an_attribute_with_a_default(
    function: Callable[..., Bits], verdict: str, context: XDSLContext
) -> None:
    found = text(context, rewrite("arith.ori %x, %x : i8", FREE), free=function)
    assert verdict in found


def test_an_operation_that_is_matched_shows_its_attributes(
    context: XDSLContext,
) -> None:
    found = text(context, rewrite(FREE, "%x"), free=scale_or_not)
    assert "the attribute 'factor' of 'toy.free' is not shown" in found


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


POISON = "%p = ub.poison : i8\n"


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (
            f"{POISON}%0 = arith.addi %x, %p : i8",
            f"{POISON}%0 = arith.muli %p, %p : i8",
            "proved",
        ),
        (f"{POISON}%0 = arith.addi %x, %p : i8", "%0 = %x", "proved"),
        ("%0 = arith.xori %x, %x : i8", "%0 = ub.poison : i8", "wrong"),
        (f"{POISON}%0 = arith.divui %x, %p : i8", "%0 = ub.poison : i8", "proved"),
        (f"{POISON}%0 = arith.select %c, %x, %p : i8", "%0 = %x", "proved"),
        (f"{POISON}%0 = arith.select %c, %x, %p : i8", "%0 = ub.poison : i8", "wrong"),
    ],
)
@pytest.mark.parametrize(
    "make_context", [XDSLContext, pytest.param(MLIRContext, marks=pytest.mark.bindings)]
)
def test_poison_is_an_operation(
    before: str, after: str, verdict: str, make_context: Callable[[], Context]
) -> None:
    after = after.replace("%p", "%q")
    rewritten = RewritePattern(name="example", before=before, after=after)
    judged, *_ = verify_patterns(pass_of(rewritten), make_context())
    assert judged.verdict == verdict, judged.reason
