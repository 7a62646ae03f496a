"""The semantics of operations: results, poison and undefined behavior.

They are those that MLIR's `ArithOps.td`, `MathOps.td` and `UBOps.td` describe, on
single integers. Each function gets the module `z3` first, or what stands in its place:
`exhaustion` tries all values at once, `concrete` has a single one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from inspect import Parameter, signature
from operator import or_
from typing import Any, Final, NamedTuple, TypeAlias

from passgen_tools.verify.bit_tables import BitVector

Engine: TypeAlias = Any
Bits: TypeAlias = Any
Truth: TypeAlias = Any


class Type(NamedTuple):
    """A type of integers, or the name of another attribute, and its bits."""

    text: str
    width: int

    @property
    def is_integer(self) -> bool:
        """Whether it is a type of integers."""
        return self.text in {"index", f"i{self.width}"}

    def __str__(self) -> str:
        """Return the name in reports."""
        return f"index({self.width})" if self.text == "index" else self.text


class Value(NamedTuple):
    """The value of an operand, a result or an attribute."""

    bits: Bits
    poison: Truth
    type: Type


def _never(e: Engine, *_: object) -> Truth:
    return e.BoolVal(0)


def _any_poison(e: Engine, *operands: Value) -> Truth:
    return reduce(or_, (operand.poison for operand in operands), e.BoolVal(0))


def _fits_any(_operand: Type, _result: Type) -> bool:
    return True


@dataclass(frozen=True)
class Semantics:
    """The semantics of an operation.

    The functions get the engine first. `Bits` of the operands follow or, where poison
    of the operands matters, a `Value` of each.
    """

    value: Callable[..., Bits]
    """Returns the result, or a tuple of results.

    It gets the bits of the operands, those of the `attribute`, and the width of the
    result if `needs_width`.
    """

    attribute: str = ""
    """The name of the attribute with flags, a predicate or a value; empty if none."""

    poison: Callable[..., Truth] = _never
    """Returns whether the result is poison though no operand is; arguments as above."""

    undefined: Callable[..., Truth] = _never
    """Returns whether the behavior is undefined; gets values."""

    types: str = "aa:a"
    """A letter for each operand and, behind a colon, for each result.

    Equal letters are equal types; `1` is i1.
    """

    spread: Callable[..., Truth] = _any_poison
    """Returns whether operands make the result poison; gets values."""

    fits: Callable[[Type, Type], bool] = _fits_any
    """Returns whether the types of the first operand and the first result are valid."""

    keywords: Mapping[str, bool] = field(default_factory=dict)
    """The attributes of an operation of a pass, which `value` gets by name.

    Each has whether `value` has a default for it.
    """

    @property
    def num_operands(self) -> int:
        """The number of operands."""
        return self.types.index(":")

    @property
    def type_letters(self) -> str:
        """The letters of the types of the operands, then of the results."""
        return self.types.replace(":", "")

    @property
    def needs_width(self) -> bool:
        """Whether `value` and `poison` get the width of the result."""
        return self.types == "a:b"


def _bit(e: Engine, truth: Truth) -> Bits:
    """Return a truth as an i1."""
    return e.If(truth, e.BitVecVal(1, 1), e.BitVecVal(0, 1))


def _excluded_overflow(
    e: Engine, flags: Bits, signed_wraps: Truth, unsigned_wraps: Truth
) -> Truth:
    """Return whether a wrap happens that `nsw`, bit 0, or `nuw`, bit 1, excludes."""
    nsw = _is_set(e, flags, 0)
    nuw = _is_set(e, flags, 1)
    return (nsw & signed_wraps) | (nuw & unsigned_wraps)


def _is_set(e: Engine, a: Bits, place: int) -> Truth:
    return e.Extract(place, place, a) == 1


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

    def poison(e: Engine, a: Bits, b: Bits, flags: Bits) -> Truth:
        signed_wraps = wraps(e.SignExt, a, b)
        unsigned_wraps = wraps(e.ZeroExt, a, b)
        return _excluded_overflow(e, flags, signed_wraps, unsigned_wraps)

    return Semantics(value, "overflowFlags", poison)


def _sum_and_carry(e: Engine, a: Bits, b: Bits) -> tuple[Bits, Bits]:
    total = a + b
    return total, _bit(e, e.ULT(total, a))


def _wide_product(extension: str) -> Semantics:
    """Return the semantics of a product of twice as many bits, in two halves."""

    def value(e: Engine, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        width = a.size()
        extend = getattr(e, extension)
        product = extend(width, a) * extend(width, b)
        low = e.Extract(width - 1, 0, product)
        high = e.Extract(2 * width - 1, width, product)
        return low, high

    return Semantics(value, types="aa:aa")


# Shifts


def _left_shift_poison(e: Engine, a: Bits, places: Bits, flags: Bits) -> Truth:
    is_too_far = e.Not(e.ULT(places, a.size()))
    shifted = a << places
    signed_wraps = shifted >> places != a
    unsigned_wraps = e.LShR(shifted, places) != a
    return is_too_far | _excluded_overflow(e, flags, signed_wraps, unsigned_wraps)


def _right_shift_poison(e: Engine, a: Bits, places: Bits, exact: Bits) -> Truth:
    is_too_far = e.Not(e.ULT(places, a.size()))
    loses_bits = e.LShR(a, places) << places != a
    return is_too_far | ((exact == 1) & loses_bits)


# Divisions: `/` is signed, and truncates


def _by_zero(_: Engine, _a: Value, b: Value) -> Truth:
    """Return whether a division has undefined behavior: `b` may be 0."""
    return b.poison | (b.bits == 0)


def _by_zero_or_too_large(e: Engine, a: Value, b: Value) -> Truth:
    """Return whether a signed division has undefined behavior.

    The quotient of the minimum and -1 is too large for its type.
    """
    minimum = 1 << (a.type.width - 1)
    may_be_minimum = a.poison | (a.bits == minimum)
    return _by_zero(e, a, b) | (may_be_minimum & (b.bits == -1))


def _inexact_signed(e: Engine, a: Bits, b: Bits, exact: Bits) -> Truth:
    return (exact == 1) & (e.SRem(a, b) != 0)


def _inexact_unsigned(e: Engine, a: Bits, b: Bits, exact: Bits) -> Truth:
    return (exact == 1) & (e.URem(a, b) != 0)


def _ceiling(e: Engine, a: Bits, b: Bits) -> Bits:
    quotient = a / b
    was_rounded_down = (e.SRem(a, b) != 0) & ((a < 0) == (b < 0))
    return e.If(was_rounded_down, quotient + 1, quotient)


def _unsigned_ceiling(e: Engine, a: Bits, b: Bits) -> Bits:
    quotient = e.UDiv(a, b)
    return e.If(e.URem(a, b) != 0, quotient + 1, quotient)


def _floor(e: Engine, a: Bits, b: Bits) -> Bits:
    quotient = a / b
    was_rounded_up = (e.SRem(a, b) != 0) & ((a < 0) != (b < 0))
    return e.If(was_rounded_up, quotient - 1, quotient)


# Comparison and choice


def _compare(e: Engine, a: Bits, b: Bits, predicate: Bits) -> Bits:
    unsigned_less = e.ULT(a, b)
    unsigned_greater = e.ULT(b, a)
    tests = (
        a == b,  # eq
        a != b,  # ne
        a < b,  # slt
        a <= b,  # sle
        b < a,  # sgt
        b <= a,  # sge
        unsigned_less,  # ult
        e.Not(unsigned_greater),  # ule
        unsigned_greater,  # ugt
    )
    holds = e.Not(unsigned_less)  # uge, the last predicate
    for number, test in enumerate(tests):
        holds = e.If(predicate == number, test, holds)
    return _bit(e, holds)


def _chosen_poison(e: Engine, condition: Value, a: Value, b: Value) -> Truth:
    """Return whether `select` brings poison: not from the value it does not choose."""
    return condition.poison | e.If(condition.bits == 1, a.poison, b.poison)


# Casts


def _cast(extension: str, fits: Callable[[Type, Type], bool]) -> Semantics:
    """Return the semantics of a cast that extends, or drops the high bits."""

    def value(e: Engine, a: Bits, width: int) -> Bits:
        num_more_bits = max(width - a.size(), 0)
        extended = getattr(e, extension)(num_more_bits, a)
        return e.Extract(width - 1, 0, extended)

    return Semantics(value, types="a:b", fits=fits)


def _truncate(e: Engine, a: Bits, _flags: Bits, width: int) -> Bits:
    return e.Extract(width - 1, 0, a)


def _truncation_poison(e: Engine, a: Bits, flags: Bits, width: int) -> Truth:
    kept = e.Extract(width - 1, 0, a)
    num_dropped_bits = a.size() - width
    signed_wraps = e.SignExt(num_dropped_bits, kept) != a
    unsigned_wraps = e.ZeroExt(num_dropped_bits, kept) != a
    return _excluded_overflow(e, flags, signed_wraps, unsigned_wraps)


def _widens(operand: Type, result: Type) -> bool:
    has_index = "index" in {operand.text, result.text}
    return operand.width < result.width and not has_index


def _narrows(operand: Type, result: Type) -> bool:
    return _widens(result, operand)


def _is_index_cast(operand: Type, result: Type) -> bool:
    return (operand.text == "index") != (result.text == "index")


# Counts of bits


def _leading_zeros(e: Engine, a: Bits) -> Bits:
    width = a.size()
    count = e.BitVecVal(width, width)
    for place in range(width):  # the highest bit that is set decides, and comes last
        zeros = e.BitVecVal(width - 1 - place, width)
        count = e.If(_is_set(e, a, place), zeros, count)
    return count


def _trailing_zeros(e: Engine, a: Bits) -> Bits:
    width = a.size()
    count = e.BitVecVal(width, width)
    for place in reversed(range(width)):  # the lowest bit that is set comes last
        zeros = e.BitVecVal(place, width)
        count = e.If(_is_set(e, a, place), zeros, count)
    return count


def _count_ones(e: Engine, a: Bits) -> Bits:
    width = a.size()
    count = e.BitVecVal(0, width)
    for place in range(width):
        count = e.If(_is_set(e, a, place), count + 1, count)
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
    "maxsi": Semantics(lambda e, a, b: e.If(b < a, a, b)),
    "maxui": Semantics(lambda e, a, b: e.If(e.ULT(b, a), a, b)),
    "minsi": Semantics(lambda e, a, b: e.If(a < b, a, b)),
    "minui": Semantics(lambda e, a, b: e.If(e.ULT(a, b), a, b)),
    "shli": Semantics(
        lambda _, a, places, _flags: a << places, "overflowFlags", _left_shift_poison
    ),
    "shrsi": Semantics(
        lambda _, a, places, _exact: a >> places, "isExact", _right_shift_poison
    ),
    "shrui": Semantics(
        lambda e, a, places, _exact: e.LShR(a, places), "isExact", _right_shift_poison
    ),
    "divsi": Semantics(
        lambda _, a, b, _exact: a / b,
        "isExact",
        _inexact_signed,
        undefined=_by_zero_or_too_large,
    ),
    "divui": Semantics(
        lambda e, a, b, _exact: e.UDiv(a, b),
        "isExact",
        _inexact_unsigned,
        undefined=_by_zero,
    ),
    "ceildivsi": Semantics(_ceiling, undefined=_by_zero_or_too_large),
    "ceildivui": Semantics(_unsigned_ceiling, undefined=_by_zero),
    "floordivsi": Semantics(_floor, undefined=_by_zero_or_too_large),
    "remsi": Semantics(lambda e, a, b: e.SRem(a, b), undefined=_by_zero),
    "remui": Semantics(lambda e, a, b: e.URem(a, b), undefined=_by_zero),
    "cmpi": Semantics(_compare, "predicate", types="aa:1"),
    "select": Semantics(
        lambda e, condition, a, b: e.If(condition == 1, a, b),
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
    "absi": Semantics(lambda e, a: e.If(a < 0, -a, a), types="a:a"),
    "ctlz": Semantics(_leading_zeros, types="a:a"),
    "ctpop": Semantics(_count_ones, types="a:a"),
    "cttz": Semantics(_trailing_zeros, types="a:a"),
}
_UB: Final = {
    "poison": Semantics(lambda _: 0, types=":a", poison=lambda e: e.BoolVal(1)),
}
SEMANTICS: Final = {
    **{f"arith.{name}": semantics for name, semantics in _ARITH.items()},
    **{f"math.{name}": semantics for name, semantics in _MATH.items()},
    **{f"ub.{name}": semantics for name, semantics in _UB.items()},
}
"""The semantics of operations by name."""


def own_semantics(function: Callable[..., Bits], num_operands: int) -> Semantics:
    """Return the semantics of an operation whose result `function` calculates.

    Its keyword-only parameters are attributes.
    """

    def value(_: Engine, *operands: Bits, **attributes: Bits) -> Bits:
        # A condition is an error here; z3 may take terms that differ for unequal.
        function(
            *map(_zeros, operands),
            **{name: _zeros(bits) for name, bits in attributes.items()},
        )
        result = function(*operands, **attributes)
        if not (hasattr(result, "size") or type(result) is int):
            raise TypeError(f"expected bits, found {result!r}")
        return result

    operand_letters = "a" * num_operands
    return Semantics(value, types=f"{operand_letters}:a", keywords=_keywords(function))


def _zeros(bits: Bits) -> BitVector:
    """Return as many bits, all of them 0."""
    return BitVector([0] * bits.size())


def _keywords(function: Callable[..., Bits]) -> dict[str, bool]:
    """Return the keyword-only parameters, each with whether it has a default."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions in C have no signature
        return {}
    return {
        parameter.name: parameter.default is not Parameter.empty
        for parameter in parameters
        if parameter.kind is Parameter.KEYWORD_ONLY
    }
