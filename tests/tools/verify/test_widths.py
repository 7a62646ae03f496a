"""The widths on which a pattern is tried, and how they are reported."""

from __future__ import annotations

from typing import Final

import pytest

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.verify import pattern_check, report, verify_patterns
from passgen_tools.verify.judgements import types_text
from tests.pattern_cases import pass_of, pattern
from tests.pattern_example_cases import INTEGER, shown
from tests.tools.verify.planted_patterns import Planted

COMMUTED: Final = Planted(is_right=True, type="T", text="addi x y => addi y x")


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
