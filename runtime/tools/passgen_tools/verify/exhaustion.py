"""Exhaustion: an engine that tries operations on all values at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from operator import invert
from types import SimpleNamespace

from passgen_tools.verify.bit_tables import (
    NONE,
    BitVector,
    choose,
    divide,
    is_below,
    signed_remainder,
)


class TooManyBitsError(Exception):
    """More bits would be free than tables are made for."""


def exhaustion(num_free_bits: int) -> SimpleNamespace:
    """Return an engine that has what is used of the module `z3`.

    Tables have 2 to the power of `num_free_bits` bits.
    """
    free_tables = _free_tables(num_free_bits)

    def fresh_bits(size: int) -> BitVector:
        return BitVector(islice(free_tables, size))

    def fresh_truth() -> BitVector:
        return BitVector([next(free_tables)])

    return SimpleNamespace(
        # The search.
        SolverFor=lambda _logic: _Solver(num_free_bits),
        sat=True,
        unknown=None,  # it always finds out
        is_true=BitVector.as_signed_long,
        substitute=_restrict,
        # Bits and truths.
        FreshConst=fresh_bits,
        FreshBool=fresh_truth,
        BitVecSort=int,
        BitVecVal=BitVector.of_number,
        BoolVal=_truth,
        # What semantics calculate with.
        Not=invert,
        If=choose,
        ULT=is_below,
        UDiv=_quotient,
        URem=_remainder,
        SRem=signed_remainder,
        LShR=_shift_right,
        Extract=_extract,
        ZeroExt=_extend_by_zeros,
        SignExt=_extend_by_sign,
    )


def _restrict(truth: BitVector, *pairs: tuple[BitVector, BitVector]) -> BitVector:
    """Return `truth` in the assignments in which the bits of each pair are equal."""
    for bits, known in pairs:
        truth &= bits == known
    return truth


def _truth(value: bool) -> BitVector:  # noqa: FBT001 - as z3's
    return BitVector.of_number(value, 1)


def _quotient(dividend: BitVector, divisor: BitVector) -> BitVector:
    return divide(dividend, divisor)[0]


def _remainder(dividend: BitVector, divisor: BitVector) -> BitVector:
    return divide(dividend, divisor)[1]


def _shift_right(bits: BitVector, places: BitVector) -> BitVector:
    return bits.shifted_right(places, NONE)


def _extract(high: int, low: int, bits: BitVector) -> BitVector:
    """Return the bits from `low` to `high`, which belongs to them."""
    return BitVector(bits.tables[low : high + 1])


def _extend_by_zeros(num_bits: int, bits: BitVector) -> BitVector:
    return bits.extended(num_bits, NONE)


def _extend_by_sign(num_bits: int, bits: BitVector) -> BitVector:
    return bits.extended(num_bits, bits.sign)


def _free_tables(count: int) -> Iterator[int]:
    """Yield the tables of bits that have both values beside all values of the others.

    Raises:
        TooManyBitsError: more than `count` are taken.
    """
    for place in range(count):
        # The bit changes its value after every 2 ** place assignments.
        table = (1 << (1 << place)) - 1
        for power in range(place + 1, count):
            table |= table << (1 << power)
        yield table
    raise TooManyBitsError


class _Solver:
    """A solver, which searches an assignment of the free bits without a time limit."""

    def __init__(self, num_free_bits: int) -> None:
        self._found = (1 << (1 << num_free_bits)) - 1
        """The assignments in which all added truths are set, as a table."""

    def set(self, _name: str, _value: object) -> None:
        pass

    def add(self, *truths: BitVector) -> None:
        for truth in truths:
            self._found &= truth.tables[0]

    def check(self) -> bool:
        return self._found > 0

    def model(self) -> _Solver:
        return self

    def eval(self, value: BitVector, **_: bool) -> BitVector:
        """Return the number that `value` is in the first assignment found."""
        first = (self._found & -self._found).bit_length() - 1
        number = sum(
            (table >> first & 1) << place for place, table in enumerate(value.tables)
        )
        return BitVector.of_number(number, value.size())
