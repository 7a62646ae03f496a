"""The semantics of comparisons, and of operations that choose one of their operands."""

from __future__ import annotations

from typing import Final

from passgen_tools.verify.semantics import Bits, Engine, Semantics, Truth, Value
from passgen_tools.verify.shipped_semantics.flags import as_i1


def _compared(engine: Engine, left: Bits, right: Bits, predicate: Bits) -> Bits:
    """Return the result of `cmpi`, as one bit."""
    is_less_unsigned = engine.ULT(left, right)
    is_greater_unsigned = engine.ULT(right, left)
    truths_by_predicate = (
        left == right,  # eq
        left != right,  # ne
        left < right,  # slt
        left <= right,  # sle
        right < left,  # sgt
        right <= left,  # sge
        is_less_unsigned,  # ult
        engine.Not(is_greater_unsigned),  # ule
        is_greater_unsigned,  # ugt
    )
    holds = engine.Not(is_less_unsigned)  # uge, the last predicate
    for number, truth in enumerate(truths_by_predicate):
        holds = engine.If(predicate == number, truth, holds)
    return as_i1(engine, holds)


def _signed_maximum(engine: Engine, left: Bits, right: Bits) -> Bits:
    return engine.If(right < left, left, right)


def _unsigned_maximum(engine: Engine, left: Bits, right: Bits) -> Bits:
    return engine.If(engine.ULT(right, left), left, right)


def _signed_minimum(engine: Engine, left: Bits, right: Bits) -> Bits:
    return engine.If(left < right, left, right)


def _unsigned_minimum(engine: Engine, left: Bits, right: Bits) -> Bits:
    return engine.If(engine.ULT(left, right), left, right)


def _selected(engine: Engine, condition: Bits, then: Bits, other: Bits) -> Bits:
    return engine.If(condition == 1, then, other)


def _selected_poison(
    engine: Engine, condition: Value, then: Value, other: Value
) -> Truth:
    """Return whether the result of `select` is poison.

    Poison of the operand that it does not select makes no difference.
    """
    is_then = condition.bits == 1
    return condition.poison | engine.If(is_then, then.poison, other.poison)


COMPARISONS: Final = {
    "arith.cmpi": Semantics(types="aa:1", attribute="predicate", value=_compared),
    "arith.maxsi": Semantics(value=_signed_maximum),
    "arith.maxui": Semantics(value=_unsigned_maximum),
    "arith.minsi": Semantics(value=_signed_minimum),
    "arith.minui": Semantics(value=_unsigned_minimum),
    "arith.select": Semantics(types="1aa:a", value=_selected, spread=_selected_poison),
}
"""The semantics by the name of the operation."""
