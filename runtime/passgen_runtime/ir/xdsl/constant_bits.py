"""The bits of constants: floats with their NaNs, and MLIR's bytes of dense elements.

An attribute of xDSL holds a float as a Python float. Its types and Python's `struct`
lose the payload of a NaN, and set the quiet bit of some. Here, a NaN keeps its sign and
has its payload in the high bits of the Python float, which operations and workers carry
unchanged.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence
from fractions import Fraction
from math import copysign, inf, isfinite, isnan, ldexp
from typing import Final, NamedTuple

from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    FloatNonfiniteBehavior,
    IntegerType,
    ReducedPrecisionFloatType,
)
from xdsl.ir import Attribute

_DOUBLE: Final = struct.Struct("<d")
_DOUBLE_BITS: Final = struct.Struct("<Q")
_DOUBLE_MANTISSA: Final = 52
_DOUBLE_EXPONENT: Final = 0x7FF << _DOUBLE_MANTISSA
_QUIET: Final = 1 << (_DOUBLE_MANTISSA - 1)

_WIDE_BIAS: Final = 16383
_WIDE_EXPONENT: Final = 0x7FFF


def too_many_digits() -> str:
    """Return the message about an integer that Python does not convert to a text."""
    limit = sys.get_int_max_str_digits()
    return f"an integer has more than {limit:,} decimal digits"


class _Format(NamedTuple):
    """The parts of an IEEE format from the sign on; f80 has an integer bit as well."""

    exponent_bits: int
    mantissa_bits: int
    integer_bits: int = 0


_FORMATS: Final[dict[type[Attribute], _Format]] = {
    BFloat16Type: _Format(8, 7),
    Float16Type: _Format(5, 10),
    Float32Type: _Format(8, 23),
    Float64Type: _Format(11, 52),
    Float80Type: _Format(15, 63, integer_bits=1),
    Float128Type: _Format(15, 112),
}


def float_from_bits(bits: int, type_: AnyFloat) -> float:
    """Return the value that `bits` stand for in `type_`.

    Raises:
        ValueError: a Python float cannot hold the value.
    """
    if isinstance(type_, Float80Type | Float128Type):
        return _wide_float(bits, type_)
    data = bits.to_bytes(type_.size, "little")
    (value,) = type_.unpack(data, 1)
    return _nan(bits, type_) if isnan(value) else value


def float_bits(value: float, type_: AnyFloat) -> int:
    """Return the bits of `value` in `type_`; f80 and f128 only if it is not finite."""
    layout = _ieee_format(type_)
    if layout is None or isfinite(value):
        return int.from_bytes(type_.pack((value,)), "little")
    double: int = _DOUBLE_BITS.unpack(_DOUBLE.pack(value))[0]
    mantissa_bits = layout.mantissa_bits
    mantissa = _shifted(
        double & ((1 << _DOUBLE_MANTISSA) - 1), mantissa_bits - _DOUBLE_MANTISSA
    )
    if isnan(value) and not mantissa:
        mantissa = 1 << (mantissa_bits - 1)
    exponent = ((1 << layout.exponent_bits) - 1) << layout.integer_bits
    head = (exponent | layout.integer_bits) << mantissa_bits
    return (double >> 63) << (type_.bitwidth - 1) | head | mantissa


def rounded(value: float, type_: AnyFloat) -> float:
    """Return the value of `type_` nearest to `value`; infinity if it is too large.

    Raises:
        ValueError: the type has no value for it.
    """
    if isnan(value) or isinstance(type_, Float80Type | Float128Type):
        return value
    try:
        data = type_.pack((value,))
    except OverflowError:
        return copysign(inf, value)
    (found,) = type_.unpack(data, 1)
    return _nan(int.from_bytes(data, "little"), type_) if isnan(found) else found


def packed_floats(values: Sequence[float], type_: AnyFloat) -> bytes:
    """Return the bytes of values of `type_`, in which xDSL's attributes hold them."""
    data = bytearray(type_.pack(values))
    size = type_.size
    for index, value in enumerate(values):
        if isnan(value):
            bits = float_bits(value, type_)
            data[index * size : (index + 1) * size] = bits.to_bytes(size, "little")
    return bytes(data)


def unpacked_floats(data: bytes, type_: AnyFloat) -> list[float]:
    """Return the values in bytes of xDSL's attributes."""
    size = type_.size
    values = list(type_.unpack(data, len(data) // size))
    for index, value in enumerate(values):
        if isnan(value):
            bits = int.from_bytes(data[index * size : (index + 1) * size], "little")
            values[index] = _nan(bits, type_)
    return values


def can_be_packed(type_: AnyDenseElement) -> bool:
    """Return whether xDSL has bytes for values of `type_`."""
    try:
        return type_.compile_time_size > 0
    except NotImplementedError:
        return False


def hex_size(type_: AnyDenseElement, count: int) -> int:
    """Return the number of bytes that MLIR has for `count` elements."""
    if _is_bool(type_):
        return (count + 7) // 8
    return count * _mlir_size(type_)


def from_hex_bytes(data: bytes, type_: AnyDenseElement, count: int) -> bytes | None:
    """Return xDSL's bytes for MLIR's, `None` if their number is wrong.

    The bytes of one element stand for all, as MLIR has it.
    """
    if _is_bool(type_):
        true = _true_byte(type_)
        if len(data) == 1 and data[0] in {0, 0xFF}:
            return bytes([data[0] & true]) * count
        if len(data) != hex_size(type_, count):
            return None
        bits = int.from_bytes(data, "little")
        return bytes(true * (bits >> index & 1) for index in range(count))
    if len(data) == _mlir_size(type_) > 0:
        data *= count
    elif len(data) != hex_size(type_, count):
        return None
    return _resized(data, type_, _mlir_size(_part(type_)), _size(_part(type_)))


def to_hex_bytes(data: bytes, type_: AnyDenseElement) -> bytes:
    """Return MLIR's bytes for elements in xDSL's bytes."""
    if _is_bool(type_):
        bits = sum(1 << index for index, byte in enumerate(data) if byte)
        return bits.to_bytes(hex_size(type_, len(data)), "little")
    return _resized(data, type_, _size(_part(type_)), _mlir_size(_part(type_)))


def _resized(data: bytes, type_: AnyDenseElement, old: int, new: int) -> bytes:
    """Return `data` with `new` bytes for each number; bits outside of its type go."""
    part = _part(type_)
    width = part.bitwidth if isinstance(part, IntegerType | AnyFloat) else 8 * old
    if old == new and width == 8 * old:
        return data
    is_signed = isinstance(part, IntegerType) and part.normalized_value(-1) is not None
    mask, sign = (1 << width) - 1, 1 << (width - 1)

    def number(chunk: bytes) -> bytes:
        bits = int.from_bytes(chunk, "little") & mask
        if is_signed and bits & sign:
            bits |= (1 << 8 * new) - 1 ^ mask
        return bits.to_bytes(new, "little")

    return b"".join(number(data[at : at + old]) for at in range(0, len(data), old))


def _part(type_: AnyDenseElement) -> AnyDenseElement:
    """Return the type of the numbers in an element: a complex one has two."""
    return type_.element_type if isinstance(type_, ComplexType) else type_


def _size(type_: AnyDenseElement) -> int:
    return type_.compile_time_size


def _mlir_size(type_: AnyDenseElement) -> int:
    """Return the number of bytes of an element in MLIR: as few as hold its bits."""
    if isinstance(type_, ComplexType):
        return 2 * _mlir_size(type_.element_type)
    return type_.size if isinstance(type_, IntegerType) else type_.compile_time_size


def _is_bool(type_: AnyDenseElement) -> bool:
    """Return whether MLIR has eight elements in a byte."""
    return isinstance(type_, IntegerType) and type_.bitwidth == 1


def _true_byte(type_: AnyDenseElement) -> int:
    """Return xDSL's byte for a set bit: the number 1 if unsigned, otherwise -1."""
    is_unsigned = isinstance(type_, IntegerType) and type_.normalized_value(-1) is None
    return 1 if is_unsigned else 0xFF


def _ieee_format(type_: AnyFloat) -> _Format | None:
    """Return the format of a type with infinities and many NaNs, `None` for others."""
    if not isinstance(type_, ReducedPrecisionFloatType):
        return _FORMATS[type(type_)]
    semantics = type_.SEMANTICS
    if semantics.nonfinite is not FloatNonfiniteBehavior.IEEE:
        return None
    return _Format(semantics.exponent_bits, semantics.mantissa_bits)


def _nan(bits: int, type_: AnyFloat) -> float:
    """Return the NaN that `bits` stand for in `type_`."""
    layout = _ieee_format(type_)
    is_negative = bool(bits >> (type_.bitwidth - 1))
    if layout is not None:
        mantissa = bits & ((1 << layout.mantissa_bits) - 1)
        payload = _shifted(mantissa, _DOUBLE_MANTISSA - layout.mantissa_bits)
        return _double_nan(payload, is_negative=is_negative)
    assert isinstance(type_, ReducedPrecisionFloatType)
    # One NaN, or one for each sign.
    positive = type_.encode_bits(_double_nan(_QUIET, is_negative=False))
    return _double_nan(_QUIET, is_negative=bits != positive)


def _double_nan(payload: int, *, is_negative: bool) -> float:
    bits = is_negative << 63 | _DOUBLE_EXPONENT | payload
    (value,) = _DOUBLE.unpack(_DOUBLE_BITS.pack(bits))
    assert isinstance(value, float)
    return value


def _shifted(bits: int, places: int) -> int:
    """Return `bits` shifted left, or right if `places` are negative."""
    return bits << places if places >= 0 else bits >> -places


def _wide_float(bits: int, type_: Float80Type | Float128Type) -> float:
    """Return the value of `bits` in a type with more values than a Python float."""
    layout = _FORMATS[type(type_)]
    is_negative = bool(bits >> (type_.bitwidth - 1))
    fraction_bits = layout.mantissa_bits + layout.integer_bits
    exponent = bits >> fraction_bits & _WIDE_EXPONENT
    significand = bits & ((1 << fraction_bits) - 1)
    implied = 1 << layout.mantissa_bits
    if layout.integer_bits and bool(exponent) != bool(significand & implied):
        raise _no_python_float(bits, type_)
    if exponent == _WIDE_EXPONENT:
        mantissa = significand & (implied - 1)
        payload = _shifted(mantissa, _DOUBLE_MANTISSA - layout.mantissa_bits)
        if _shifted(payload, layout.mantissa_bits - _DOUBLE_MANTISSA) != mantissa:
            raise _no_python_float(bits, type_)
        if not payload:
            return -inf if is_negative else inf
        return _double_nan(payload, is_negative=is_negative)
    if exponent:
        significand |= implied
    power = max(exponent, 1) - _WIDE_BIAS - layout.mantissa_bits
    try:
        value = ldexp(significand, power)
    except OverflowError:
        raise _no_python_float(bits, type_) from None
    if Fraction(value) != significand * Fraction(2) ** power:
        raise _no_python_float(bits, type_)
    return -value if is_negative else value


def _no_python_float(bits: int, type_: AnyFloat) -> ValueError:
    message = (
        f"xDSL cannot hold the {type_.name} 0x{bits:X}: "
        "expected a value that an f64 has, too"
    )
    return ValueError(message)
