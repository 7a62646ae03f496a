"""Exhaustion: bit vectors on which operations are tried for all values at once.

A bit is a truth table: an integer with a bit for each assignment of the free ones.
Whatever is calculated from bit vectors is thus calculated for every assignment, by
bitwise operations on long integers. A truth is a bit vector of one bit.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import islice, starmap
from operator import and_, eq, invert, or_, xor
from types import SimpleNamespace
from typing import NoReturn


class TooManyBitsError(Exception):
    """More bits would be free than tables are made for."""


def _bitwise(of: Callable[[int, int], int]) -> Callable[..., BitVector]:
    def apply(self: BitVector, other: BitVector | int) -> BitVector:
        pairs = zip(self.tables, self.like(other).tables, strict=True)
        return BitVector(of(a, b) for a, b in pairs)

    return apply


def _negation(of: Callable[..., BitVector]) -> Callable[..., BitVector]:
    return lambda self, other: ~of(self, other)


def _reflect(name: str) -> Callable[[BitVector, int], BitVector]:
    of = getattr(operator, name)
    return lambda self, other: of(self.like(other), self)


class BitVector:  # noqa: PLW1641 - what is equal is a table, not a truth
    """A bit vector with the operators of z3: `/`, `%`, `<` and `>>` are signed."""

    def __init__(self, tables: Iterable[int]) -> None:
        """Make one of the tables of its bits, the least bit first."""
        self.tables = tuple(tables)

    def size(self) -> int:
        """Return the number of bits."""
        return len(self.tables)

    def as_signed_long(self) -> int:
        """Return the number, which depends on no free bit."""
        number = sum(bit & (1 << place) for place, bit in enumerate(self.tables))
        return number + (self.tables[-1] << self.size())

    def __bool__(self) -> NoReturn:
        """Raise: it is true for some assignments only."""
        raise TypeError("a comparison of all values at once has no truth value")

    def like(self, other: BitVector | int) -> BitVector:
        """Return `other` as a bit vector, of the size of this one if it is a number."""
        found = other if isinstance(other, BitVector) else _number(other, self.size())
        if found.size() != self.size():
            raise TypeError(f"expected {self.size()} bits, found {found.size()}")
        return found

    def _plus(self, other: BitVector, carry: int) -> BitVector:
        total = []
        for a, b in zip(self.tables, other.tables, strict=True):
            total.append(a ^ b ^ carry)
            carry = (a & b) | (carry & (a ^ b))
        return BitVector(total)

    def __invert__(self) -> BitVector:
        return BitVector(map(invert, self.tables))

    __and__, __or__, __xor__ = map(_bitwise, (and_, or_, xor))

    def __add__(self, other: BitVector | int) -> BitVector:
        return self._plus(self.like(other), 0)

    def __mul__(self, other: BitVector | int) -> BitVector:
        rows = (
            BitVector(bit & table for bit in self.tables) << place
            for place, table in enumerate(self.like(other).tables)
        )
        return reduce(BitVector.__add__, rows)

    __radd__, __rmul__ = __add__, __mul__
    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __sub__(self, other: BitVector | int) -> BitVector:
        return self._plus(~self.like(other), -1)

    def __neg__(self) -> BitVector:
        return 0 - self

    def __lshift__(self, places: BitVector | int) -> BitVector:
        moved = _shift(BitVector(self.tables[::-1]), self.like(places), 0)
        return BitVector(moved.tables[::-1])

    def __rshift__(self, places: BitVector | int) -> BitVector:
        return _shift(self, self.like(places), self.tables[-1])

    def __truediv__(self, other: BitVector | int) -> BitVector:
        quotient, _ = _divide(_absolute(self), _absolute(self.like(other)))
        return _choose((self ^ other) < 0, -quotient, quotient)

    def __mod__(self, other: BitVector | int) -> BitVector:
        rest = _remainder(self, other := self.like(other))
        return _choose((rest != 0) & ((rest ^ other) < 0), rest + other, rest)

    __rsub__, __rlshift__, __rrshift__ = map(_reflect, ("sub", "lshift", "rshift"))
    __rtruediv__, __rmod__ = map(_reflect, ("truediv", "mod"))

    def __eq__(self, other: BitVector | int) -> BitVector:  # type: ignore[override]
        return BitVector([reduce(and_, (~(self ^ other)).tables)])

    def __lt__(self, other: BitVector | int) -> BitVector:
        a, b = (_extend(side, 1, side.tables[-1]) for side in (self, self.like(other)))
        return BitVector((a - b).tables[-1:])

    def __gt__(self, other: BitVector | int) -> BitVector:
        return self.like(other) < self

    __le__, __ge__, __ne__ = map(_negation, (__gt__, __lt__, __eq__))  # type: ignore[assignment]


def _number(value: int, size: int) -> BitVector:
    return BitVector(-(value >> place & 1) for place in range(size))


def _choose(truth: BitVector, then: BitVector, other: BitVector) -> BitVector:
    mask = BitVector(truth.tables * then.size())
    return (mask & then) | (~mask & other)


def _extend(a: BitVector, places: int, table: int) -> BitVector:
    return BitVector((*a.tables, *[table] * places))


def _is_below(a: BitVector, b: BitVector | int) -> BitVector:
    return _extend(a, 1, 0) < _extend(a.like(b), 1, 0)


def _absolute(a: BitVector) -> BitVector:
    return _choose(a < 0, -a, a)


def _shift(a: BitVector, places: BitVector, filling: int) -> BitVector:
    """Return `a` with its bits moved to the least one."""
    for power, table in enumerate(places.tables):
        step = min(1 << power, a.size())
        moved = BitVector((*a.tables[step:], *[filling] * step))
        a = _choose(BitVector([table]), moved, a)
    return a


def _divide(a: BitVector, b: BitVector) -> tuple[BitVector, BitVector]:
    """Return the unsigned quotient and remainder: all ones and `a`, if `b` is 0."""
    divisor, rest, quotient = _extend(b, 1, 0), _number(0, b.size() + 1), list[int]()
    for bit in reversed(a.tables):
        rest = BitVector((bit, *rest.tables[:-1]))
        fits = ~_is_below(rest, divisor)
        rest = _choose(fits, rest - divisor, rest)
        quotient[:0] = fits.tables
    return BitVector(quotient), BitVector(rest.tables[:-1])


def _remainder(a: BitVector, b: BitVector) -> BitVector:
    """Return the remainder of a signed division, with the sign of `a`."""
    _, rest = _divide(_absolute(a), _absolute(b))
    return _choose(a < 0, -rest, rest)


def exhaustion(num_free_bits: int) -> SimpleNamespace:
    """Return an engine that has what is used of the module `z3`.

    Tables have 2 to the power of `num_free_bits` bits.
    """
    free = _free_bits(num_free_bits)
    return SimpleNamespace(
        sat=True,
        unknown=None,
        SolverFor=lambda _logic: _Solver(num_free_bits),
        is_true=BitVector.as_signed_long,
        substitute=lambda truth, *pairs: reduce(and_, starmap(eq, pairs), truth),
        FreshConst=lambda size: BitVector(islice(free, size)),
        FreshBool=lambda: BitVector([next(free)]),
        BitVecSort=int,
        BitVecVal=_number,
        BoolVal=lambda value: _number(value, 1),
        Not=invert,
        If=_choose,
        ULT=_is_below,
        UDiv=lambda a, b: _divide(a, b)[0],
        URem=lambda a, b: _divide(a, b)[1],
        SRem=_remainder,
        LShR=lambda a, places: _shift(a, places, 0),
        Extract=lambda high, low, a: BitVector(a.tables[low : high + 1]),
        ZeroExt=lambda places, a: _extend(a, places, 0),
        SignExt=lambda places, a: _extend(a, places, a.tables[-1]),
    )


def _free_bits(count: int) -> Iterator[int]:
    """Yield bits that have both values beside all values of the others."""
    for place in range(count):
        table = (1 << (1 << place)) - 1
        for power in range(place + 1, count):
            table |= table << (1 << power)
        yield table
    raise TooManyBitsError


class _Solver:
    """A solver, which searches an assignment of the free bits without a time limit."""

    def __init__(self, num_free_bits: int) -> None:
        self._found = (1 << (1 << num_free_bits)) - 1

    def set(self, _name: str, _value: object) -> None:
        pass

    def add(self, *truths: BitVector) -> None:
        self._found = reduce(and_, (truth.tables[0] for truth in truths), self._found)

    def check(self) -> bool:
        return self._found > 0

    def model(self) -> _Solver:
        return self

    def eval(self, value: BitVector, **_: bool) -> BitVector:
        """Return the number that `value` is in the first assignment."""
        place = (self._found & -self._found).bit_length() - 1
        return BitVector(-(table >> place & 1) for table in value.tables)
