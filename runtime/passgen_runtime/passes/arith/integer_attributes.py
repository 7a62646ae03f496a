"""Integer attributes in patterns, on xDSL's IR and on MLIR's."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

IntegerAttribute: TypeAlias = Any
"""`IntegerAttr` of xDSL, or of MLIR's bindings."""

_MAX_WIDTH_READ: Final = 64
"""The width of integers that the bindings read; of others, they end the process."""


def is_power_of_two(attribute: IntegerAttribute) -> bool:
    """Return whether `attribute` is a power of two, and more than 1."""
    value = _integer(attribute)
    return value is not None and value > 1 and value.bit_count() == 1


def log2(rewriter: object, attribute: IntegerAttribute) -> IntegerAttribute:
    """Return the logarithm of `attribute`, a power of two, in the same type."""
    del rewriter
    exponent = (_integer(attribute) or 1).bit_length() - 1
    cls, type_ = type(attribute), attribute.type
    return cls.get(type_, exponent) if hasattr(cls, "get") else cls(exponent, type_)


def _integer(attribute: IntegerAttribute) -> int | None:
    """Return the value of `attribute`; `None` if it is no integer."""
    if type(attribute).__name__ != "IntegerAttr":
        return None
    if not hasattr(type(attribute), "get"):  # xDSL's
        return int(attribute.value.data)
    if getattr(attribute.type, "width", 0) > _MAX_WIDTH_READ:
        return int(str(attribute).partition(" ")[0])
    return int(attribute.value)
