"""The passes of the toy compiler that are patterns."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from passgen_runtime.operation_pass import Pass
from passgen_tools.testing import assert_rewrites, assert_unchanged
from tests.pattern_example_cases import function
from tests.toy_compiler.generated.toy_compiler_passes import Scope
from tests.toy_compiler.scalars import MultiplyByShifts, SimplifyScalars


def masked(type_: str, *more: str) -> str:
    lines = (
        f"%a = arith.andi %x, %m : {type_}",
        f"%b = arith.andi %y, %m : {type_}",
        *more,
    )
    return "\n".join(lines)


def of_masked(body: str, type_: str, result: str = "%0") -> str:
    return function(body, f"%x: {type_}, %y: {type_}, %m: {type_}", result, type_)


def differing(type_: str, result: str = "%0") -> str:
    after = (
        f"%c = arith.xori %x, %y : {type_}",
        f"%0 = arith.andi %c, %m : {type_}",
    )
    return of_masked(masked(type_, *after), type_, result)


def negated(type_: str, last: str) -> str:
    body = (
        f"%zero = arith.constant 0 : {type_}\n"
        f"%y = arith.subi %zero, %n overflow<nsw> : {type_}\n"
        f"%0 = arith.{last} : {type_}"
    )
    return function(body, f"%x: {type_}, %n: {type_}", "%0", type_)


def compared(type_: str, last: str) -> str:
    body = (
        "%true = arith.constant true\n"
        f"%less = arith.cmpi slt, %x, %y : {type_}\n"
        f"%0 = arith.{last}"
    )
    return function(body, f"%x: {type_}, %y: {type_}", "%0", "i1")


def multiplied(type_: str, factor: int, last: str = "%0 = arith.muli %x, %c") -> str:
    body = f"%c = arith.constant {factor} : {type_}\n{last} : {type_}"
    return function(body, f"%x: {type_}", "%0", type_)


XOR_OF_MASKED = "%0 = arith.xori %a, %b :"
OR_OF_NOT = "xori %less, %true : i1"
REWRITES: Mapping[str, tuple[Pass, str, str]] = {
    "two masked values": (
        SimplifyScalars(),
        of_masked(masked("i8", f"{XOR_OF_MASKED} i8"), "i8"),
        differing("i8"),
    ),
    "the subtraction of a negative value": (
        SimplifyScalars(),
        negated("i64", "subi %x, %y overflow<nsw>"),
        negated("i64", "addi %x, %n"),
    ),
    "the addition of a negative value": (
        SimplifyScalars(),
        negated("i64", "addi %x, %y overflow<nsw>"),
        negated("i64", "subi %x, %n overflow<nsw>"),
    ),
    "a value without itself": (
        SimplifyScalars(),
        function("%0 = arith.subi %x, %x : i8", "%x: i8", "%0", "i8"),
        function("%0 = arith.constant 0 : i8", "%x: i8", "%0", "i8"),
    ),
    "what is not less": (
        SimplifyScalars(),
        compared("i8", OR_OF_NOT),
        compared("i8", "cmpi sge, %x, %y : i8"),
    ),
    "a multiplication by two": (
        MultiplyByShifts(),
        multiplied("i32", 2),
        function("%0 = arith.addi %x, %x : i32", "%x: i32", "%0", "i32"),
    ),
    "a multiplication by eight": (
        MultiplyByShifts(),
        multiplied("i32", 8),
        multiplied("i32", 3, "%0 = arith.shli %x, %c"),
    ),
}
UNCHANGED: Mapping[str, tuple[Pass, str]] = {
    "a masked value that has another use": (
        SimplifyScalars(),
        of_masked(
            masked("i8", f"{XOR_OF_MASKED} i8", "%1 = arith.addi %0, %a : i8"),
            "i8",
            "%1",
        ),
    ),
    "another masked value that has another use": (
        SimplifyScalars(),
        of_masked(
            masked("i8", f"{XOR_OF_MASKED} i8", "%1 = arith.addi %0, %b : i8"),
            "i8",
            "%1",
        ),
    ),
    "the subtraction of a negative value of another type": (
        SimplifyScalars(),
        negated("i8", "subi %x, %y overflow<nsw>"),
    ),
    "the addition of a negative value of another type": (
        SimplifyScalars(),
        negated("i8", "addi %x, %y overflow<nsw>"),
    ),
    "a multiplication by six": (MultiplyByShifts(), multiplied("i32", 6)),
    "a multiplication of another type": (MultiplyByShifts(), multiplied("i64", 8)),
    "a public function": (
        MultiplyByShifts(scope=Scope.PRIVATE),
        multiplied("i32", 8),
    ),
}


@pytest.mark.parametrize("case", REWRITES)
def test_is_replaced(case: str) -> None:
    pass_, before, after = REWRITES[case]
    assert_rewrites(pass_, before, after)


@pytest.mark.parametrize("case", UNCHANGED)
def test_is_left(case: str) -> None:
    pass_, ir = UNCHANGED[case]
    assert_unchanged(pass_, ir)


@pytest.mark.parametrize(
    ("pass_", "last"),
    [
        (SimplifyScalars(), "subi %x, %x overflow<nsw>"),
        (SimplifyScalars(rounds=2), "constant 0"),
    ],
)
def test_new_operations_are_visited_in_the_next_round(pass_: Pass, last: str) -> None:
    def ir(text: str) -> str:
        body = (
            "%zero = arith.constant 0 : i32\n"
            "%y = arith.subi %zero, %x overflow<nsw> : i32\n"
            f"%0 = arith.{text} : i32"
        )
        return function(body, "%x: i32", "%0", "i32")

    assert_rewrites(pass_, ir("addi %x, %y overflow<nsw>"), ir(last))


@pytest.mark.parametrize("class_", [SimplifyScalars, MultiplyByShifts])
def test_needs_ir_without_tensors(class_: type[Pass]) -> None:
    ir = function(
        "%0 = tensor.extract %t[] : tensor<i32>", "%t: tensor<i32>", "%0", "i32"
    )
    with pytest.raises(AssertionError, match=f"'{class_.argument}' needs 'noTensors'"):
        assert_unchanged(class_(), ir)
