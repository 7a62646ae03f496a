"""Integers of more than 64 bits, which the bindings give in their text alone."""

from __future__ import annotations

import pytest

from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.generated.arith_passes import (
    ArithStrengthReductionPassBase,
)
from passgen_runtime.patterns import PatternVariable
from tests.pattern_cases import pass_of, run_pass
from tests.pattern_example_cases import function, shown

pytestmark = pytest.mark.bindings

WIDE = PatternVariable(name="T", examples=("i128", "i200"), any="integer")
BOTH = pytest.mark.parametrize("make_context", [XDSLContext, MLIRContext])


@BOTH
@pytest.mark.parametrize(
    ("literal", "type_", "count"),
    [
        (-1, "i64", 1),
        (-1, "i65", 1),
        (-1, "i200", 1),
        (-1, "index", 1),
        (2**63, "i64", 1),
        (2**63, "i65", 1),
        (2**64 - 1, "i128", 1),
        (2**64, "i128", 1),
        (2**64, "i64", 0),
        (2**127, "i128", 1),
    ],
)
def test_a_literal_is_matched_and_made_in_wide_types(
    literal: int, type_: str, count: int, make_context: type[Context]
) -> None:
    matched = shown(
        f"%c = arith.constant {literal} : $T\n%0 = arith.addi %x, %c : $T",
        f"%c2 = arith.constant {literal} : $T\n%0 = arith.subi %x, %c2 : $T",
        WIDE,
    )
    pass_ = pass_of(matched)()
    number = literal if count else 5
    body = f"%c = arith.constant {number} : {type_}\n%0 = arith.addi %x, %c : {type_}"

    ir = run_pass(pass_, make_context(), function(body, f"%x: {type_}", "%0", type_))

    assert pass_.pattern_counts() == {"shown": count}
    constants = [line.split("= ")[1] for line in ir.splitlines() if "constant" in line]
    assert len({*constants}) == 1, "the old constant and the new one are equal"


@BOTH
@pytest.mark.parametrize(("number", "count"), [(2**64, 1), (2**64 + 1, 0), (-1, 0)])
def test_a_shipped_pattern_looks_at_wide_constants(
    number: int, count: int, make_context: type[Context]
) -> None:
    pass_ = ArithStrengthReductionPassBase()
    body = f"%c = arith.constant {number} : i128\n%0 = arith.muli %x, %c : i128"

    ir = run_pass(pass_, make_context(), function(body, "%x: i128", "%0", "i128"))

    assert pass_.pattern_counts()["mulToShift"] == count
    assert ("64 : i128" in ir) == bool(count)
