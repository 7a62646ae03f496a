"""The semantics of casts from one type to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from passgen_tools.verify.semantics import Bits, Engine, Semantics, Truth, Type
from passgen_tools.verify.shipped_semantics.flags import is_excluded_overflow


def _resized_signed(engine: Engine, bits: Bits, width: int) -> Bits:
    return _resized(engine, engine.SignExt, bits, width)


def _resized_unsigned(engine: Engine, bits: Bits, width: int) -> Bits:
    return _resized(engine, engine.ZeroExt, bits, width)


def _resized(
    engine: Engine, extend: Callable[[int, Bits], Bits], bits: Bits, width: int
) -> Bits:
    """Return `bits` extended, or without the high ones, so that `width` are left."""
    num_more_bits = max(width - bits.size(), 0)
    return _lowest(engine, extend(num_more_bits, bits), width)


def _lowest(engine: Engine, bits: Bits, width: int) -> Bits:
    return engine.Extract(width - 1, 0, bits)


def _truncated(engine: Engine, bits: Bits, _flags: Bits, width: int) -> Bits:
    return _lowest(engine, bits, width)


def _truncation_poison(engine: Engine, bits: Bits, flags: Bits, width: int) -> Truth:
    kept = _lowest(engine, bits, width)
    num_dropped_bits = bits.size() - width
    return is_excluded_overflow(
        engine,
        flags,
        signed_wraps=engine.SignExt(num_dropped_bits, kept) != bits,
        unsigned_wraps=engine.ZeroExt(num_dropped_bits, kept) != bits,
    )


def _widens(operand: Type, result: Type) -> bool:
    has_index = "index" in {operand.text, result.text}
    return operand.width < result.width and not has_index


def _narrows(operand: Type, result: Type) -> bool:
    return _widens(result, operand)


def _one_is_index(operand: Type, result: Type) -> bool:
    return (operand.text == "index") != (result.text == "index")


CASTS: Final = {
    "arith.extsi": Semantics(types="a:b", fits=_widens, value=_resized_signed),
    "arith.extui": Semantics(types="a:b", fits=_widens, value=_resized_unsigned),
    "arith.trunci": Semantics(
        types="a:b",
        fits=_narrows,
        attribute="overflowFlags",
        value=_truncated,
        poison=_truncation_poison,
    ),
    "arith.index_cast": Semantics(
        types="a:b", fits=_one_is_index, value=_resized_signed
    ),
    "arith.index_castui": Semantics(
        types="a:b", fits=_one_is_index, value=_resized_unsigned
    ),
    "arith.bitcast": Semantics(types="a:a", value=lambda _engine, bits: bits),
}
"""The semantics by the name of the operation."""
