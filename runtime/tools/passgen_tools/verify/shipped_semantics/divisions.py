"""The semantics of divisions and remainders.

Python's `/` on bits of an engine is the signed division that rounds towards zero.
"""

from __future__ import annotations

from typing import Final

from passgen_tools.verify.semantics import Bits, Engine, Semantics, Truth, Value


def _signed_quotient(
    _engine: Engine, dividend: Bits, divisor: Bits, _is_exact: Bits
) -> Bits:
    return dividend / divisor


def _unsigned_quotient(
    engine: Engine, dividend: Bits, divisor: Bits, _is_exact: Bits
) -> Bits:
    return engine.UDiv(dividend, divisor)


def _signed_ceiling(engine: Engine, dividend: Bits, divisor: Bits) -> Bits:
    quotient = dividend / divisor
    has_remainder = engine.SRem(dividend, divisor) != 0
    is_positive = (dividend < 0) == (divisor < 0)
    was_rounded_down = has_remainder & is_positive
    return engine.If(was_rounded_down, quotient + 1, quotient)


def _unsigned_ceiling(engine: Engine, dividend: Bits, divisor: Bits) -> Bits:
    quotient = engine.UDiv(dividend, divisor)
    has_remainder = engine.URem(dividend, divisor) != 0
    return engine.If(has_remainder, quotient + 1, quotient)


def _signed_floor(engine: Engine, dividend: Bits, divisor: Bits) -> Bits:
    quotient = dividend / divisor
    has_remainder = engine.SRem(dividend, divisor) != 0
    is_negative = (dividend < 0) != (divisor < 0)
    was_rounded_up = has_remainder & is_negative
    return engine.If(was_rounded_up, quotient - 1, quotient)


def _signed_remainder(engine: Engine, dividend: Bits, divisor: Bits) -> Bits:
    return engine.SRem(dividend, divisor)


def _unsigned_remainder(engine: Engine, dividend: Bits, divisor: Bits) -> Bits:
    return engine.URem(dividend, divisor)


def _inexact_signed(
    engine: Engine, dividend: Bits, divisor: Bits, is_exact: Bits
) -> Truth:
    """Return whether a division that is declared exact leaves a remainder."""
    return (is_exact == 1) & (engine.SRem(dividend, divisor) != 0)


def _inexact_unsigned(
    engine: Engine, dividend: Bits, divisor: Bits, is_exact: Bits
) -> Truth:
    """Return whether a division that is declared exact leaves a remainder."""
    return (is_exact == 1) & (engine.URem(dividend, divisor) != 0)


def _by_zero(_engine: Engine, _dividend: Value, divisor: Value) -> Truth:
    """Return whether the divisor is 0, which poison may stand for."""
    return divisor.poison | (divisor.bits == 0)


def _by_zero_or_too_large(engine: Engine, dividend: Value, divisor: Value) -> Truth:
    """Return whether a signed quotient is undefined, or too large for its type.

    The latter is the quotient of the minimum and -1.
    """
    minimum = 1 << (dividend.type.width - 1)
    may_be_minimum = dividend.poison | (dividend.bits == minimum)
    is_too_large = may_be_minimum & (divisor.bits == -1)
    return _by_zero(engine, dividend, divisor) | is_too_large


DIVISIONS: Final = {
    "arith.divsi": Semantics(
        attribute="isExact",
        value=_signed_quotient,
        poison=_inexact_signed,
        undefined=_by_zero_or_too_large,
    ),
    "arith.divui": Semantics(
        attribute="isExact",
        value=_unsigned_quotient,
        poison=_inexact_unsigned,
        undefined=_by_zero,
    ),
    "arith.ceildivsi": Semantics(
        value=_signed_ceiling, undefined=_by_zero_or_too_large
    ),
    "arith.ceildivui": Semantics(value=_unsigned_ceiling, undefined=_by_zero),
    "arith.floordivsi": Semantics(value=_signed_floor, undefined=_by_zero_or_too_large),
    "arith.remsi": Semantics(value=_signed_remainder, undefined=_by_zero),
    "arith.remui": Semantics(value=_unsigned_remainder, undefined=_by_zero),
}
"""The semantics by the name of the operation."""
