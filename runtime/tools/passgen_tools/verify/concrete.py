"""Bit vectors of known numbers: the engine that evaluates operations one by one.

`exhaustion` calculates all values at once, bit by bit; for a single one, Python's
integers are a hundred times as fast.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, and_, eq, ge, gt, le, lt, mul, ne, not_, or_, sub, xor
from types import SimpleNamespace
from typing import TypeAlias, TypeVar

_Known = TypeVar("_Known", bool, "Number")
_Operand: TypeAlias = "Number | int"


def _arithmetic(of: Callable[[int, int], int]) -> Callable[..., Number]:
    """Return an operator on numbers that wrap."""
    return lambda a, b: Number(of(a.signed, a.like(b).signed), a.size())


def _comparison(of: Callable[[int, int], bool]) -> Callable[..., bool]:
    return lambda a, b: of(a.signed, a.like(b).signed)


class Number:
    """A bit vector of a known value with the operators of z3: they are signed."""

    def __init__(self, value: int, size: int) -> None:
        """Make one of `size` bits; `value` wraps."""
        self.unsigned = value % (1 << size)
        self._size = size

    def size(self) -> int:
        """Return the number of bits."""
        return self._size

    @property
    def signed(self) -> int:
        """The number in two's complement."""
        is_negative = self.unsigned >> (self._size - 1)
        return self.unsigned - (is_negative << self._size)

    def like(self, other: _Operand) -> Number:
        """Return `other` as a bit vector, of the size of this one if it is a number."""
        return other if isinstance(other, Number) else Number(other, self._size)

    __add__, __sub__, __mul__ = map(_arithmetic, (add, sub, mul))
    __and__, __or__, __xor__ = map(_arithmetic, (and_, or_, xor))
    __lt__, __le__, __gt__, __ge__ = map(_comparison, (lt, le, gt, ge))
    __eq__, __ne__ = map(_comparison, (eq, ne))

    def __neg__(self) -> Number:
        return Number(-self.unsigned, self._size)

    def __lshift__(self, places: _Operand) -> Number:
        count = min(self.like(places).unsigned, self._size)
        return Number(self.unsigned << count, self._size)

    def __rshift__(self, places: _Operand) -> Number:
        count = min(self.like(places).unsigned, self._size)
        return Number(self.signed >> count, self._size)

    def __truediv__(self, other: _Operand) -> Number:
        divisor = self.like(other)
        quotient = _divide(_absolute(self), _absolute(divisor))
        return -quotient if (self ^ divisor) < 0 else quotient


def _absolute(number: Number) -> Number:
    return -number if number < 0 else number


def _divide(a: Number, b: Number) -> Number:
    """Return the unsigned quotient: all ones, if `b` is 0."""
    quotient = a.unsigned // b.unsigned if b.unsigned else -1
    return Number(quotient, a.size())


def _rest(a: Number, b: Number) -> Number:
    """Return the remainder of an unsigned division: `a`, if `b` is 0."""
    return Number(a.unsigned % b.unsigned, a.size()) if b.unsigned else a


def _signed_rest(a: Number, b: Number) -> Number:
    """Return the remainder of a signed division, with the sign of `a`."""
    rest = _rest(_absolute(a), _absolute(b))
    return -rest if a < 0 else rest


def _if(truth: bool, then: _Known, other: _Known) -> _Known:  # noqa: FBT001 - as z3's
    return then if truth else other


def _shift_right(a: Number, places: Number) -> Number:
    return Number(a.unsigned >> min(places.unsigned, a.size()), a.size())


def _extract(high: int, low: int, a: Number) -> Number:
    return Number(a.unsigned >> low, high + 1 - low)


CONCRETE = SimpleNamespace(
    BitVecVal=Number,
    BoolVal=bool,
    Not=not_,
    If=_if,
    ULT=lambda a, b: a.unsigned < a.like(b).unsigned,
    UDiv=_divide,
    URem=_rest,
    SRem=_signed_rest,
    LShR=_shift_right,
    Extract=_extract,
    ZeroExt=lambda places, a: Number(a.unsigned, a.size() + places),
    SignExt=lambda places, a: Number(a.signed, a.size() + places),
)
"""What semantics use of the module `z3`; a truth is a Boolean."""
