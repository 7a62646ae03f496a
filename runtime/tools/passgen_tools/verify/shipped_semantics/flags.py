"""Truths as bits, and the flags that exclude overflow."""

from __future__ import annotations

from typing import Final

from passgen_tools.verify.semantics import Bits, Engine, Truth

_NSW: Final = 0
_NUW: Final = 1
"""The places of the flags in the bits of `overflowFlags`."""


def is_set(engine: Engine, bits: Bits, place: int) -> Truth:
    """Return whether the bit at `place` is 1; the least bit is at 0."""
    return engine.Extract(place, place, bits) == 1


def as_i1(engine: Engine, truth: Truth) -> Bits:
    """Return a truth as one bit."""
    return engine.If(truth, engine.BitVecVal(1, 1), engine.BitVecVal(0, 1))


def is_excluded_overflow(
    engine: Engine, flags: Bits, *, signed_wraps: Truth, unsigned_wraps: Truth
) -> Truth:
    """Return whether a result wraps in a way that its flags exclude.

    Args:
        engine: makes the terms.
        flags: the bits of `overflowFlags`.
        signed_wraps: whether the signed result wraps, which `nsw` excludes.
        unsigned_wraps: whether the unsigned result wraps, which `nuw` excludes.
    """
    has_nsw = is_set(engine, flags, _NSW)
    has_nuw = is_set(engine, flags, _NUW)
    return (has_nsw & signed_wraps) | (has_nuw & unsigned_wraps)
