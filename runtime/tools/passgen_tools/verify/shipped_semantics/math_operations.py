"""The semantics of the dialect `math`: counts of bits, and absolute values."""

from __future__ import annotations

from typing import Final

from passgen_tools.verify.semantics import Bits, Engine, Semantics
from passgen_tools.verify.shipped_semantics.flags import is_set


def _num_leading_zeros(engine: Engine, bits: Bits) -> Bits:
    width = bits.size()
    count = engine.BitVecVal(width, width)
    for place in range(width):  # the highest bit that is set decides, and comes last
        num_zeros_above = engine.BitVecVal(width - 1 - place, width)
        count = engine.If(is_set(engine, bits, place), num_zeros_above, count)
    return count


def _num_trailing_zeros(engine: Engine, bits: Bits) -> Bits:
    width = bits.size()
    count = engine.BitVecVal(width, width)
    for place in reversed(range(width)):  # the lowest bit that is set comes last
        num_zeros_below = engine.BitVecVal(place, width)
        count = engine.If(is_set(engine, bits, place), num_zeros_below, count)
    return count


def _num_ones(engine: Engine, bits: Bits) -> Bits:
    width = bits.size()
    count = engine.BitVecVal(0, width)
    for place in range(width):
        count = engine.If(is_set(engine, bits, place), count + 1, count)
    return count


def _absolute(engine: Engine, bits: Bits) -> Bits:
    return engine.If(bits < 0, -bits, bits)


MATH_OPERATIONS: Final = {
    "math.absi": Semantics(types="a:a", value=_absolute),
    "math.ctlz": Semantics(types="a:a", value=_num_leading_zeros),
    "math.ctpop": Semantics(types="a:a", value=_num_ones),
    "math.cttz": Semantics(types="a:a", value=_num_trailing_zeros),
}
"""The semantics by the name of the operation."""
