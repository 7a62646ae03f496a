"""Bit vectors with a case for each assignment of free bits."""

from __future__ import annotations

from collections.abc import Iterable

from passgen_tools.verify.bit_tables import BitVector


def side_by_side(numbers: Iterable[int], width: int) -> BitVector:
    """Return a bit vector that has one of `numbers` in each assignment."""
    texts = [f"{number % (1 << width):0{width}b}" for number in numbers]
    columns = list(zip(*reversed(texts), strict=True))
    return BitVector(int("".join(bits), base=2) for bits in reversed(columns))


def numbers_of(vector: BitVector, count: int) -> list[int]:
    """Return the numbers, without signs, that a bit vector has in `count` assignments."""
    bits = [f"{table % (1 << count):0{count}b}" for table in reversed(vector.tables)]
    return [int("".join(column), base=2) for column in zip(*bits, strict=True)][::-1]
