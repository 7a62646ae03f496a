"""The widths on which a pattern is tried, and how they are reported."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import pytest

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import PatternVariable
from passgen_tools.verify import pattern_check, report, verify_patterns
from passgen_tools.verify.judgements import types_text
from tests.pattern_cases import pass_of, pattern
from tests.pattern_example_cases import INTEGER, shown
from tests.tools.verify.planted_patterns import Planted

COMMUTED: Final = Planted(is_right=True, type="T", text="maxsi x y => maxsi y x")


def test_all_widths_to_8_are_tried_then_powers_of_two() -> None:
    judged = verify_patterns(pass_of(pattern(COMMUTED.pdl())))

    assert [row.types for row in judged] == [
        *(f"i{width}" for width in (1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64)),
        "index(32)",
        "index(64)",
    ]


def test_a_width_that_is_not_decided_does_not_end_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pattern_check, "WIDE_LIMIT_S", 0)
    found = report(verify_patterns(pass_of(pattern(COMMUTED.pdl()))))

    assert found == (
        "  squareToSelf: proved: i1 to i8\n"
        "  squareToSelf: unknown: i16, i32, i64, index(32), index(64)\n"
        "    the time limit is met\n"
    )


def test_a_counterexample_on_many_bits_has_small_numbers() -> None:
    wrong = shown(
        "%a = arith.muli %x, %y : i32\n%0 = arith.addi %a, %z : i32",
        "%b = arith.muli %x, %z : i32\n%0 = arith.addi %b, %y : i32",
    )

    row, *_ = verify_patterns(pass_of(wrong))

    assert row.verdict == "wrong"
    operands = re.findall(r"arith.constant (-?\d+) : i32", row.reason)
    assert len(operands) == 3
    assert max(abs(int(number)) for number in operands) <= 2


CAST_AND_BACK: Final = shown(
    "%a = arith.index_cast %x : $T to index\n%0 = arith.index_cast %a : index to $T",
    "%0 = %x",
    INTEGER,
)


def test_a_pattern_may_be_right_for_one_width_of_index_alone() -> None:
    found = report(verify_patterns(pass_of(CAST_AND_BACK), XDSLContext()))

    proved, wrong, *_ = found.splitlines()
    assert wrong == "  shown: wrong: i64/index(32)"
    assert proved == (
        "  shown: proved: i1/index(32) to i8/index(32), i16/index(32), i32/index(32), "
        "i1/index(64) to i8/index(64), i16/index(64), i32/index(64), i64/index(64)"
    )


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["i1"], "i1"),
        (["i1", "i2"], "i1, i2"),
        (["i1", "i2", "i3", "i8"], "i1 to i3, i8"),
        (["i1", "i1", "i2", "i3"], "i1 to i3"),
        (["i1/i2", "i1/i3", "i1/i4", "i2/i4", "i3/i4"], "i1/i2 to i1/i4, i2/i4, i3/i4"),
        (["i1", "i1/i2", "i1/i3"], "i1, i1/i2, i1/i3"),
        (
            [f"i{width}" for width in range(1, 40, 2)],
            "20 choices of types, i1 to i39",
        ),
    ],
)
def test_types_are_reported_as_ranges(types: list[str], expected: str) -> None:
    assert types_text(types) == expected


@pytest.mark.parametrize(
    "text",
    [
        "addi x y => addi y x",
        "addi x y nsw => addi x y",
        "a = addi x y; subi a y => x",
        "a = muli x y; b = muli x z; addi a b => c = addi y z; muli x c",
        "a = subi x y; b = addi x y; muli a b => c = muli x x; d = muli y y; subi c d",
        "a = andi x y; ori a x => x",
        "a = xori x y; xori a y => x",
        "select c/i1 x x => x",
    ],
)
def test_identities_and_bitwise_patterns_are_proved_for_all_widths(text: str) -> None:
    planted = Planted(is_right=True, type="T", text=text)

    first, *others = verify_patterns(pass_of(pattern(planted.pdl())))

    assert (first.types, first.verdict) == ("all widths", "proved")
    assert {row.verdict for row in others} <= {"may-not-end-by-greedy"}


@pytest.mark.parametrize(
    "text",
    [
        "addi x y nsw => addi y x nsw",
        "a = andi x y; b = ori x y; addi a b => addi x y",
        "subi x x => xori x x",
        "c = cmpi slt x y:i1; select c/i1 x y => minsi x y",
    ],
)
def test_other_patterns_are_proved_width_by_width(text: str) -> None:
    planted = Planted(is_right=True, type="T", text=text)

    judged = verify_patterns(pass_of(pattern(planted.pdl())))

    assert next(judged).types.startswith("i1")


LITERALS: Final = [
    (
        """\
%m = arith.constant -1 : $T
%a = arith.muli %x, %m : $T
%0 = arith.addi %a, %y : $T""",
        "%0 = arith.subi %y, %x : $T",
        "all widths",
    ),
    (
        """\
%c = arith.constant 5 : $T
%0 = arith.muli %x, %c : $T""",
        """\
%d = arith.constant 4 : $T
%a = arith.muli %x, %d : $T
%0 = arith.addi %a, %x : $T""",
        "all widths",
    ),
    (
        """\
%m = arith.constant -1 : $T
%0 = arith.andi %x, %m : $T""",
        "%0 = %x",
        "all widths",
    ),
    (
        """\
%c = arith.constant 1 : $T
%0 = arith.andi %c, %c : $T""",
        "%0 = arith.constant 1 : $T",
        "i1",
    ),
]


@pytest.mark.parametrize(("before", "after", "types"), LITERALS)
def test_literals_may_be_parts_of_what_is_proved_for_all_widths(
    before: str, after: str, types: str
) -> None:
    judged = verify_patterns(pass_of(shown(before, after, INTEGER)))

    first = next(judged)
    assert (first.types, first.verdict) == (types, "proved")


def test_a_constant_that_depends_on_the_width_is_proved_width_by_width() -> None:
    least = PatternVariable(
        name="c",
        examples=("31", "63"),
        is_attribute=True,
        where="isWidthDifference(c, T, B)",
    )
    bit = PatternVariable(name="B", examples=("i1",))
    wide = replace(INTEGER, examples=("i32", "i64"))
    rewritten = shown(
        "%c = arith.constant $c : $T\n%0 = arith.andi %c, %c : $T",
        "%0 = arith.constant $c : $T",
        wide,
        bit,
        least,
    )

    judged = verify_patterns(pass_of(rewritten))

    assert next(judged).types == "i1"


def test_operations_with_a_meaning_of_their_own_are_proved_width_by_width() -> None:
    own = (("arith.addi", lambda x, y: x | y),)
    planted = Planted(is_right=True, type="T", text="addi x y => addi y x")

    judged = verify_patterns(pass_of(pattern(planted.pdl()), semantics=own))

    assert next(judged).types == "i1"


def test_a_type_that_is_listed_leaves_time_for_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pattern_check, "WIDE_LIMIT_S", 0)
    listed = replace(INTEGER, any="", examples=("i16", "i8"))
    pattern_of_two = shown(
        "%0 = arith.maxsi %x, %y : $T", "%0 = arith.maxsi %y, %x : $T", listed
    )

    judged = verify_patterns(pass_of(pattern_of_two))

    verdicts = [(row.types, row.verdict) for row in judged]
    assert verdicts[:2] == [("i16", "unknown"), ("i8", "proved")]
