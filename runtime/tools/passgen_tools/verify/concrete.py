"""Bit vectors of known numbers: the engine that evaluates operations one by one.

`exhaustion` calculates all values at once, bit by bit; for a single one, Python's
integers are a hundred times as fast.
"""

from __future__ import annotations

from operator import not_
from types import SimpleNamespace
from typing import Final, TypeAlias, TypeVar

_Known = TypeVar("_Known", bool, "Number")
_Operand: TypeAlias = "Number | int"


class Number:  # noqa: PLW1641 - z3's bit vectors are equal by their values, too
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

    # Arithmetic operators; results wrap.

    def __add__(self, other: _Operand) -> Number:
        return Number(self.signed + self.like(other).signed, self._size)

    def __sub__(self, other: _Operand) -> Number:
        return Number(self.signed - self.like(other).signed, self._size)

    def __mul__(self, other: _Operand) -> Number:
        return Number(self.signed * self.like(other).signed, self._size)

    def __neg__(self) -> Number:
        return Number(-self.unsigned, self._size)

    def __truediv__(self, other: _Operand) -> Number:
        divisor = self.like(other)
        quotient = _divide(_absolute(self), _absolute(divisor))
        return -quotient if (self ^ divisor) < 0 else quotient

    # Bitwise operators.

    def __and__(self, other: _Operand) -> Number:
        return Number(self.signed & self.like(other).signed, self._size)

    def __or__(self, other: _Operand) -> Number:
        return Number(self.signed | self.like(other).signed, self._size)

    def __xor__(self, other: _Operand) -> Number:
        return Number(self.signed ^ self.like(other).signed, self._size)

    def __lshift__(self, places: _Operand) -> Number:
        count = min(self.like(places).unsigned, self._size)
        return Number(self.unsigned << count, self._size)

    def __rshift__(self, places: _Operand) -> Number:
        count = min(self.like(places).unsigned, self._size)
        return Number(self.signed >> count, self._size)

    # Comparisons.

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Number | int):
            return NotImplemented
        return self.signed == self.like(other).signed

    def __lt__(self, other: _Operand) -> bool:
        return self.signed < self.like(other).signed

    def __le__(self, other: _Operand) -> bool:
        return self.signed <= self.like(other).signed

    def __gt__(self, other: _Operand) -> bool:
        return self.signed > self.like(other).signed

    def __ge__(self, other: _Operand) -> bool:
        return self.signed >= self.like(other).signed


def _absolute(number: Number) -> Number:
    return -number if number < 0 else number


def _divide(dividend: Number, divisor: Number) -> Number:
    """Return the unsigned quotient: all ones, if the divisor is 0."""
    if not divisor.unsigned:
        return Number(-1, dividend.size())
    return Number(dividend.unsigned // divisor.unsigned, dividend.size())


def _remainder(dividend: Number, divisor: Number) -> Number:
    """Return the remainder of an unsigned division: the dividend, if by 0."""
    if not divisor.unsigned:
        return dividend
    return Number(dividend.unsigned % divisor.unsigned, dividend.size())


def _signed_remainder(dividend: Number, divisor: Number) -> Number:
    """Return the remainder of a signed division, with the sign of the dividend."""
    rest = _remainder(_absolute(dividend), _absolute(divisor))
    return -rest if dividend < 0 else rest


def _if(truth: bool, then: _Known, other: _Known) -> _Known:  # noqa: FBT001 - as z3's
    return then if truth else other


def _is_below(left: Number, right: _Operand) -> bool:
    """Return whether `left` is less than `right`, both unsigned."""
    return left.unsigned < left.like(right).unsigned


def _logical_shift_right(bits: Number, places: Number) -> Number:
    count = min(places.unsigned, bits.size())
    return Number(bits.unsigned >> count, bits.size())


def _extract(high: int, low: int, bits: Number) -> Number:
    """Return the bits from `low` to `high`, which belongs to them."""
    return Number(bits.unsigned >> low, high + 1 - low)


CONCRETE: Final = SimpleNamespace(
    BitVecVal=Number,
    BoolVal=bool,
    Not=not_,
    If=_if,
    ULT=_is_below,
    UDiv=_divide,
    URem=_remainder,
    SRem=_signed_remainder,
    LShR=_logical_shift_right,
    Extract=_extract,
    ZeroExt=lambda num_bits, bits: Number(bits.unsigned, bits.size() + num_bits),
    SignExt=lambda num_bits, bits: Number(bits.signed, bits.size() + num_bits),
)
"""What semantics use of the module `z3`; a truth is a Boolean."""
