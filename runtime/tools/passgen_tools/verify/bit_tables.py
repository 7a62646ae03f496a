"""Bit vectors that hold their value for each assignment of some free bits.

A bit is a truth table: an integer with one bit for each assignment. What is calculated
from bit vectors is thus calculated for all assignments at once, by bitwise operations
on long integers. A truth is a bit vector of one bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import and_, or_, xor
from typing import Final, NoReturn, TypeAlias

ALL: Final = -1
"""The table of a bit that is set in every assignment."""

NONE: Final = 0
"""The table of a bit that is set in no assignment."""

Operand: TypeAlias = "BitVector | int"


class BitVector:  # noqa: PLW1641 - what is equal is a table, not a truth
    """A bit vector with the operators of z3: `/`, `%`, `<` and `>>` are signed."""

    def __init__(self, tables: Iterable[int]) -> None:
        """Make one of the tables of its bits, the least bit first."""
        self.tables = tuple(tables)

    @classmethod
    def of_number(cls, number: int, size: int) -> BitVector:
        """Return the bits of `number`, the same in every assignment."""
        return cls(ALL if number >> place & 1 else NONE for place in range(size))

    def size(self) -> int:
        """Return the number of bits."""
        return len(self.tables)

    def as_signed_long(self) -> int:
        """Return the number, which depends on no free bit."""
        number = sum(bit & (1 << place) for place, bit in enumerate(self.tables))
        return number + (self.tables[-1] << self.size())

    @property
    def sign(self) -> int:
        """The table of the greatest bit."""
        return self.tables[-1]

    def like(self, other: Operand) -> BitVector:
        """Return `other` as a bit vector, of the size of this one if it is a number.

        Raises:
            TypeError: it is a bit vector of another size.
        """
        if not isinstance(other, BitVector):
            return BitVector.of_number(other, self.size())
        if other.size() != self.size():
            raise TypeError(f"expected {self.size()} bits, found {other.size()}")
        return other

    def extended(self, num_bits: int, filling: int) -> BitVector:
        """Return it with `num_bits` more bits of one table, the greatest ones."""
        return BitVector((*self.tables, *[filling] * num_bits))

    def shifted_right(self, places: BitVector, filling: int) -> BitVector:
        """Return it with its bits moved to the least one, and others of one table."""
        shifted = self
        for power, table in enumerate(places.tables):
            step = min(1 << power, self.size())
            moved = BitVector((*shifted.tables[step:], *[filling] * step))
            shifted = choose(BitVector([table]), moved, shifted)
        return shifted

    def __bool__(self) -> NoReturn:
        """Raise: it is true for some assignments only."""
        raise TypeError("a comparison of all values at once has no truth value")

    # Bitwise operators.

    def _combined(
        self, other: Operand, combine: Callable[[int, int], int]
    ) -> BitVector:
        return BitVector(map(combine, self.tables, self.like(other).tables))

    def __invert__(self) -> BitVector:
        return BitVector(~table for table in self.tables)

    def __and__(self, other: Operand) -> BitVector:
        return self._combined(other, and_)

    def __or__(self, other: Operand) -> BitVector:
        return self._combined(other, or_)

    def __xor__(self, other: Operand) -> BitVector:
        return self._combined(other, xor)

    def __lshift__(self, places: Operand) -> BitVector:
        mirrored = BitVector(reversed(self.tables))
        shifted = mirrored.shifted_right(self.like(places), NONE)
        return BitVector(reversed(shifted.tables))

    def __rshift__(self, places: Operand) -> BitVector:
        return self.shifted_right(self.like(places), self.sign)

    # Arithmetic operators; results wrap.

    def _sum(self, other: BitVector, carry: int) -> BitVector:
        """Return the sum of two bit vectors and the table of a carry."""
        total = []
        for own, theirs in zip(self.tables, other.tables, strict=True):
            differs = own ^ theirs
            total.append(differs ^ carry)
            carry = (own & theirs) | (carry & differs)
        return BitVector(total)

    def __add__(self, other: Operand) -> BitVector:
        return self._sum(self.like(other), NONE)

    def __sub__(self, other: Operand) -> BitVector:
        # In two's complement, -b is ~b + 1.
        return self._sum(~self.like(other), ALL)

    def __neg__(self) -> BitVector:
        return 0 - self

    def __mul__(self, other: Operand) -> BitVector:
        product = BitVector.of_number(0, self.size())
        for place, table in enumerate(self.like(other).tables):
            partial_product = BitVector(bit & table for bit in self.tables)
            product += partial_product << place
        return product

    def __truediv__(self, other: Operand) -> BitVector:
        divisor = self.like(other)
        quotient, _ = divide(_absolute(self), _absolute(divisor))
        return choose((self ^ divisor) < 0, -quotient, quotient)

    def __mod__(self, other: Operand) -> BitVector:
        """Return the remainder with the sign of `other`."""
        divisor = self.like(other)
        rest = signed_remainder(self, divisor)
        has_other_sign = (rest != 0) & ((rest ^ divisor) < 0)
        return choose(has_other_sign, rest + divisor, rest)

    # Operators of a number and a bit vector.

    __radd__ = __add__
    __rmul__ = __mul__
    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __rsub__(self, other: int) -> BitVector:
        return self.like(other) - self

    def __rlshift__(self, other: int) -> BitVector:
        return self.like(other) << self

    def __rrshift__(self, other: int) -> BitVector:
        return self.like(other) >> self

    def __rtruediv__(self, other: int) -> BitVector:
        return self.like(other) / self

    def __rmod__(self, other: int) -> BitVector:
        return self.like(other) % self

    # Comparisons.

    def __eq__(self, other: Operand) -> BitVector:  # type: ignore[override]
        differences = self ^ other
        return BitVector([reduce(and_, (~differences).tables)])

    def __ne__(self, other: Operand) -> BitVector:  # type: ignore[override]
        return ~(self == other)

    def __lt__(self, other: Operand) -> BitVector:
        right = self.like(other)
        # With one bit more, the difference does not wrap.
        difference = self.extended(1, self.sign) - right.extended(1, right.sign)
        return BitVector([difference.sign])

    def __gt__(self, other: Operand) -> BitVector:
        return self.like(other) < self

    def __le__(self, other: Operand) -> BitVector:
        return ~(self > other)

    def __ge__(self, other: Operand) -> BitVector:
        return ~(self < other)


def choose(truth: BitVector, then: BitVector, other: BitVector) -> BitVector:
    """Return `then` in the assignments in which `truth` is set, `other` in the rest."""
    mask = BitVector(truth.tables * then.size())
    return (mask & then) | (~mask & other)


def is_below(left: BitVector, right: Operand) -> BitVector:
    """Return whether `left` is less than `right`, both unsigned."""
    return left.extended(1, NONE) < left.like(right).extended(1, NONE)


def divide(dividend: BitVector, divisor: BitVector) -> tuple[BitVector, BitVector]:
    """Return the unsigned quotient and remainder, by long division.

    If the divisor is 0, they are all ones, and the dividend.
    """
    wide_divisor = divisor.extended(1, NONE)
    rest = BitVector.of_number(0, wide_divisor.size())
    quotient_tables: list[int] = []  # the greatest bit first
    for bit in reversed(dividend.tables):
        rest = BitVector((bit, *rest.tables[:-1]))
        fits = ~is_below(rest, wide_divisor)
        rest = choose(fits, rest - wide_divisor, rest)
        quotient_tables += fits.tables
    return BitVector(reversed(quotient_tables)), BitVector(rest.tables[:-1])


def signed_remainder(dividend: BitVector, divisor: BitVector) -> BitVector:
    """Return the remainder of a signed division, with the sign of the dividend."""
    _, rest = divide(_absolute(dividend), _absolute(divisor))
    return choose(dividend < 0, -rest, rest)


def _absolute(number: BitVector) -> BitVector:
    return choose(number < 0, -number, number)
