"""The semantics of operations of MLIR's dialects `arith`, `math` and `ub`.

They are those that `ArithOps.td`, `MathOps.td` and `UBOps.td` describe. The first
argument of each function is the engine; `a` and `b` are operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from passgen_tools.verify.semantics import Bits, Engine, Semantics, Truth, Type, Value


def _bit(engine: Engine, truth: Truth) -> Bits:
    """Return a truth as an i1."""
    return engine.If(truth, engine.BitVecVal(1, 1), engine.BitVecVal(0, 1))


def _excluded_overflow(
    engine: Engine, flags: Bits, signed_wraps: Truth, unsigned_wraps: Truth
) -> Truth:
    """Return whether a wrap happens that `nsw`, bit 0, or `nuw`, bit 1, excludes."""
    nsw = _is_set(engine, flags, 0)
    nuw = _is_set(engine, flags, 1)
    return (nsw & signed_wraps) | (nuw & unsigned_wraps)


def _is_set(engine: Engine, a: Bits, place: int) -> Truth:
    return engine.Extract(place, place, a) == 1


# Sums and products


def _wrapping(apply: Callable[[Bits, Bits], Bits]) -> Semantics:
    """Return the semantics of `+`, `-` or `*`, which `apply` calculates."""

    def value(_: Engine, a: Bits, b: Bits, _flags: Bits) -> Bits:
        return apply(a, b)

    def wraps(extend: Callable[[int, Bits], Bits], a: Bits, b: Bits) -> Truth:
        """Return whether the exact result differs from the one that wraps."""
        num_more_bits = a.size()  # the exact product has twice as many bits
        exact = apply(extend(num_more_bits, a), extend(num_more_bits, b))
        return exact != extend(num_more_bits, apply(a, b))

    def poison(engine: Engine, a: Bits, b: Bits, flags: Bits) -> Truth:
        signed_wraps = wraps(engine.SignExt, a, b)
        unsigned_wraps = wraps(engine.ZeroExt, a, b)
        return _excluded_overflow(engine, flags, signed_wraps, unsigned_wraps)

    return Semantics(value, "overflowFlags", poison)


def _sum_and_carry(engine: Engine, a: Bits, b: Bits) -> tuple[Bits, Bits]:
    total = a + b
    return total, _bit(engine, engine.ULT(total, a))


def _wide_product(extension: str) -> Semantics:
    """Return the semantics of a product of twice as many bits, in two halves."""

    def value(engine: Engine, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        width = a.size()
        extend = getattr(engine, extension)
        product = extend(width, a) * extend(width, b)
        low = engine.Extract(width - 1, 0, product)
        high = engine.Extract(2 * width - 1, width, product)
        return low, high

    return Semantics(value, types="aa:aa")


# Shifts


def _left_shift_poison(engine: Engine, a: Bits, places: Bits, flags: Bits) -> Truth:
    is_too_far = engine.Not(engine.ULT(places, a.size()))
    shifted = a << places
    signed_wraps = shifted >> places != a
    unsigned_wraps = engine.LShR(shifted, places) != a
    return is_too_far | _excluded_overflow(engine, flags, signed_wraps, unsigned_wraps)


def _right_shift_poison(engine: Engine, a: Bits, places: Bits, exact: Bits) -> Truth:
    is_too_far = engine.Not(engine.ULT(places, a.size()))
    loses_bits = engine.LShR(a, places) << places != a
    return is_too_far | ((exact == 1) & loses_bits)


# Divisions: `/` is signed, and truncates


def _by_zero(_: Engine, _a: Value, b: Value) -> Truth:
    """Return whether a division has undefined behavior: `b` may be 0."""
    return b.poison | (b.bits == 0)


def _by_zero_or_too_large(engine: Engine, a: Value, b: Value) -> Truth:
    """Return whether a signed division has undefined behavior.

    The quotient of the minimum and -1 is too large for its type.
    """
    minimum = 1 << (a.type.width - 1)
    may_be_minimum = a.poison | (a.bits == minimum)
    return _by_zero(engine, a, b) | (may_be_minimum & (b.bits == -1))


def _inexact_signed(engine: Engine, a: Bits, b: Bits, exact: Bits) -> Truth:
    return (exact == 1) & (engine.SRem(a, b) != 0)


def _inexact_unsigned(engine: Engine, a: Bits, b: Bits, exact: Bits) -> Truth:
    return (exact == 1) & (engine.URem(a, b) != 0)


def _ceiling(engine: Engine, a: Bits, b: Bits) -> Bits:
    quotient = a / b
    was_rounded_down = (engine.SRem(a, b) != 0) & ((a < 0) == (b < 0))
    return engine.If(was_rounded_down, quotient + 1, quotient)


def _unsigned_ceiling(engine: Engine, a: Bits, b: Bits) -> Bits:
    quotient = engine.UDiv(a, b)
    return engine.If(engine.URem(a, b) != 0, quotient + 1, quotient)


def _floor(engine: Engine, a: Bits, b: Bits) -> Bits:
    quotient = a / b
    was_rounded_up = (engine.SRem(a, b) != 0) & ((a < 0) != (b < 0))
    return engine.If(was_rounded_up, quotient - 1, quotient)


# Comparison and choice


def _compare(engine: Engine, a: Bits, b: Bits, predicate: Bits) -> Bits:
    unsigned_less = engine.ULT(a, b)
    unsigned_greater = engine.ULT(b, a)
    tests = (
        a == b,  # eq
        a != b,  # ne
        a < b,  # slt
        a <= b,  # sle
        b < a,  # sgt
        b <= a,  # sge
        unsigned_less,  # ult
        engine.Not(unsigned_greater),  # ule
        unsigned_greater,  # ugt
    )
    holds = engine.Not(unsigned_less)  # uge, the last predicate
    for number, test in enumerate(tests):
        holds = engine.If(predicate == number, test, holds)
    return _bit(engine, holds)


def _chosen_poison(engine: Engine, condition: Value, a: Value, b: Value) -> Truth:
    """Return whether `select` brings poison: not from the value it does not choose."""
    return condition.poison | engine.If(condition.bits == 1, a.poison, b.poison)


# Casts


def _cast(extension: str, fits: Callable[[Type, Type], bool]) -> Semantics:
    """Return the semantics of a cast that extends, or drops the high bits."""

    def value(engine: Engine, a: Bits, width: int) -> Bits:
        num_more_bits = max(width - a.size(), 0)
        extended = getattr(engine, extension)(num_more_bits, a)
        return engine.Extract(width - 1, 0, extended)

    return Semantics(value, types="a:b", fits=fits)


def _truncate(engine: Engine, a: Bits, _flags: Bits, width: int) -> Bits:
    return engine.Extract(width - 1, 0, a)


def _truncation_poison(engine: Engine, a: Bits, flags: Bits, width: int) -> Truth:
    kept = engine.Extract(width - 1, 0, a)
    num_dropped_bits = a.size() - width
    signed_wraps = engine.SignExt(num_dropped_bits, kept) != a
    unsigned_wraps = engine.ZeroExt(num_dropped_bits, kept) != a
    return _excluded_overflow(engine, flags, signed_wraps, unsigned_wraps)


def _widens(operand: Type, result: Type) -> bool:
    has_index = "index" in {operand.text, result.text}
    return operand.width < result.width and not has_index


def _narrows(operand: Type, result: Type) -> bool:
    return _widens(result, operand)


def _is_index_cast(operand: Type, result: Type) -> bool:
    return (operand.text == "index") != (result.text == "index")


# Counts of bits


def _leading_zeros(engine: Engine, a: Bits) -> Bits:
    width = a.size()
    count = engine.BitVecVal(width, width)
    for place in range(width):  # the highest bit that is set decides, and comes last
        zeros = engine.BitVecVal(width - 1 - place, width)
        count = engine.If(_is_set(engine, a, place), zeros, count)
    return count


def _trailing_zeros(engine: Engine, a: Bits) -> Bits:
    width = a.size()
    count = engine.BitVecVal(width, width)
    for place in reversed(range(width)):  # the lowest bit that is set comes last
        zeros = engine.BitVecVal(place, width)
        count = engine.If(_is_set(engine, a, place), zeros, count)
    return count


def _count_ones(engine: Engine, a: Bits) -> Bits:
    width = a.size()
    count = engine.BitVecVal(0, width)
    for place in range(width):
        count = engine.If(_is_set(engine, a, place), count + 1, count)
    return count


_ARITH: Final = {
    "constant": Semantics(lambda _, value: value, "value", types=":a"),
    "addi": _wrapping(lambda a, b: a + b),
    "addui_extended": Semantics(_sum_and_carry, types="aa:a1"),
    "subi": _wrapping(lambda a, b: a - b),
    "muli": _wrapping(lambda a, b: a * b),
    "mulsi_extended": _wide_product("SignExt"),
    "mului_extended": _wide_product("ZeroExt"),
    "andi": Semantics(lambda _, a, b: a & b),
    "ori": Semantics(lambda _, a, b: a | b),
    "xori": Semantics(lambda _, a, b: a ^ b),
    "maxsi": Semantics(lambda engine, a, b: engine.If(b < a, a, b)),
    "maxui": Semantics(lambda engine, a, b: engine.If(engine.ULT(b, a), a, b)),
    "minsi": Semantics(lambda engine, a, b: engine.If(a < b, a, b)),
    "minui": Semantics(lambda engine, a, b: engine.If(engine.ULT(a, b), a, b)),
    "shli": Semantics(
        lambda _, a, places, _flags: a << places, "overflowFlags", _left_shift_poison
    ),
    "shrsi": Semantics(
        lambda _, a, places, _exact: a >> places, "isExact", _right_shift_poison
    ),
    "shrui": Semantics(
        lambda engine, a, places, _exact: engine.LShR(a, places),
        "isExact",
        _right_shift_poison,
    ),
    "divsi": Semantics(
        lambda _, a, b, _exact: a / b,
        "isExact",
        _inexact_signed,
        undefined=_by_zero_or_too_large,
    ),
    "divui": Semantics(
        lambda engine, a, b, _exact: engine.UDiv(a, b),
        "isExact",
        _inexact_unsigned,
        undefined=_by_zero,
    ),
    "ceildivsi": Semantics(_ceiling, undefined=_by_zero_or_too_large),
    "ceildivui": Semantics(_unsigned_ceiling, undefined=_by_zero),
    "floordivsi": Semantics(_floor, undefined=_by_zero_or_too_large),
    "remsi": Semantics(lambda engine, a, b: engine.SRem(a, b), undefined=_by_zero),
    "remui": Semantics(lambda engine, a, b: engine.URem(a, b), undefined=_by_zero),
    "cmpi": Semantics(_compare, "predicate", types="aa:1"),
    "select": Semantics(
        lambda engine, condition, a, b: engine.If(condition == 1, a, b),
        types="1aa:a",
        spread=_chosen_poison,
    ),
    "extsi": _cast("SignExt", _widens),
    "extui": _cast("ZeroExt", _widens),
    "trunci": Semantics(
        _truncate, "overflowFlags", _truncation_poison, types="a:b", fits=_narrows
    ),
    "index_cast": _cast("SignExt", _is_index_cast),
    "index_castui": _cast("ZeroExt", _is_index_cast),
    "bitcast": Semantics(lambda _, a: a, types="a:a"),
}
_MATH: Final = {
    "absi": Semantics(lambda engine, a: engine.If(a < 0, -a, a), types="a:a"),
    "ctlz": Semantics(_leading_zeros, types="a:a"),
    "ctpop": Semantics(_count_ones, types="a:a"),
    "cttz": Semantics(_trailing_zeros, types="a:a"),
}
_UB: Final = {
    "poison": Semantics(
        lambda _: 0, types=":a", poison=lambda engine: engine.BoolVal(1)
    ),
}
SEMANTICS: Final = {
    **{f"arith.{name}": semantics for name, semantics in _ARITH.items()},
    **{f"math.{name}": semantics for name, semantics in _MATH.items()},
    **{f"ub.{name}": semantics for name, semantics in _UB.items()},
}
"""The semantics of operations by name."""
