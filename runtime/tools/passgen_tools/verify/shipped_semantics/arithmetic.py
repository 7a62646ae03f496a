"""The semantics of sums, products, shifts and bitwise operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from passgen_tools.verify.semantics import Bits, Engine, Semantics, Truth
from passgen_tools.verify.shipped_semantics.flags import as_i1, is_excluded_overflow


def _wrapping(calculate: Callable[[Bits, Bits], Bits]) -> Semantics:
    """Return the semantics of an addition, a subtraction or a multiplication.

    Args:
        calculate: returns the result for two operands; it wraps.
    """

    def value(_engine: Engine, left: Bits, right: Bits, _flags: Bits) -> Bits:
        return calculate(left, right)

    def wraps(extend: Callable[[int, Bits], Bits], left: Bits, right: Bits) -> Truth:
        """Return whether the exact result differs from the one that wraps."""
        num_more_bits = left.size()  # the exact product has twice as many bits
        exact = calculate(extend(num_more_bits, left), extend(num_more_bits, right))
        return exact != extend(num_more_bits, calculate(left, right))

    def poison(engine: Engine, left: Bits, right: Bits, flags: Bits) -> Truth:
        return is_excluded_overflow(
            engine,
            flags,
            signed_wraps=wraps(engine.SignExt, left, right),
            unsigned_wraps=wraps(engine.ZeroExt, left, right),
        )

    return Semantics(attribute="overflowFlags", value=value, poison=poison)


def _sum_and_carry(engine: Engine, left: Bits, right: Bits) -> tuple[Bits, Bits]:
    total = left + right
    has_carry = engine.ULT(total, left)
    return total, as_i1(engine, has_carry)


def _signed_wide_product(engine: Engine, left: Bits, right: Bits) -> tuple[Bits, Bits]:
    return _wide_product(engine, engine.SignExt, left, right)


def _unsigned_wide_product(
    engine: Engine, left: Bits, right: Bits
) -> tuple[Bits, Bits]:
    return _wide_product(engine, engine.ZeroExt, left, right)


def _wide_product(
    engine: Engine, extend: Callable[[int, Bits], Bits], left: Bits, right: Bits
) -> tuple[Bits, Bits]:
    """Return the low and the high half of a product of twice as many bits."""
    width = left.size()
    product = extend(width, left) * extend(width, right)
    low = engine.Extract(width - 1, 0, product)
    high = engine.Extract(2 * width - 1, width, product)
    return low, high


def _shifted_left(_engine: Engine, bits: Bits, places: Bits, _flags: Bits) -> Bits:
    return bits << places


def _shifted_right_signed(
    _engine: Engine, bits: Bits, places: Bits, _is_exact: Bits
) -> Bits:
    return bits >> places


def _shifted_right_unsigned(
    engine: Engine, bits: Bits, places: Bits, _is_exact: Bits
) -> Bits:
    return engine.LShR(bits, places)


def _left_shift_poison(engine: Engine, bits: Bits, places: Bits, flags: Bits) -> Truth:
    is_too_far = engine.Not(engine.ULT(places, bits.size()))
    shifted = bits << places
    is_overflow = is_excluded_overflow(
        engine,
        flags,
        signed_wraps=shifted >> places != bits,
        unsigned_wraps=engine.LShR(shifted, places) != bits,
    )
    return is_too_far | is_overflow


def _right_shift_poison(
    engine: Engine, bits: Bits, places: Bits, is_exact: Bits
) -> Truth:
    is_too_far = engine.Not(engine.ULT(places, bits.size()))
    loses_bits = engine.LShR(bits, places) << places != bits
    return is_too_far | ((is_exact == 1) & loses_bits)


ARITHMETIC: Final = {
    "arith.addi": _wrapping(lambda left, right: left + right),
    "arith.subi": _wrapping(lambda left, right: left - right),
    "arith.muli": _wrapping(lambda left, right: left * right),
    "arith.addui_extended": Semantics(types="aa:a1", value=_sum_and_carry),
    "arith.mulsi_extended": Semantics(types="aa:aa", value=_signed_wide_product),
    "arith.mului_extended": Semantics(types="aa:aa", value=_unsigned_wide_product),
    "arith.shli": Semantics(
        attribute="overflowFlags",
        value=_shifted_left,
        poison=_left_shift_poison,
    ),
    "arith.shrsi": Semantics(
        attribute="isExact",
        value=_shifted_right_signed,
        poison=_right_shift_poison,
    ),
    "arith.shrui": Semantics(
        attribute="isExact",
        value=_shifted_right_unsigned,
        poison=_right_shift_poison,
    ),
    "arith.andi": Semantics(value=lambda _engine, left, right: left & right),
    "arith.ori": Semantics(value=lambda _engine, left, right: left | right),
    "arith.xori": Semantics(value=lambda _engine, left, right: left ^ right),
}
"""The semantics by the name of the operation."""
