"""Bit vectors with a case for each assignment of free bits."""

from __future__ import annotations

from collections.abc import Iterable

from passgen_tools.verify.exhaustion import BitVector


def side_by_side(numbers: Iterable[int], width: int) -> BitVector:
    """Return a bit vector that has one of `numbers` in each assignment."""
    rows = list(numbers)
    return BitVector(
        int("".join(str(row >> place & 1) for row in reversed(rows)), base=2)
        for place in range(width)
    )


def numbers_of(vector: BitVector, count: int) -> list[int]:
    """Return the numbers, without signs, that a bit vector has in `count` assignments."""
    bits = [f"{table % (1 << count):0{count}b}" for table in reversed(vector.tables)]
    return [int("".join(column), base=2) for column in zip(*bits, strict=True)][::-1]
