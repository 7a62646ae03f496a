"""The functions in Python that imported rewrites of tests call."""

from __future__ import annotations

from typing import Any

Attribute = Any


def _number(attribute: Attribute) -> int:
    value = attribute.value
    return int(getattr(value, "data", value))


def bitwise_difference(
    _rewriter: object, one: Attribute, other: Attribute
) -> Attribute:
    """Return the integer whose bits are those in which two integers differ."""
    number, class_ = _number(one) ^ _number(other), type(one)
    is_mlir = hasattr(class_, "get")
    return class_.get(one.type, number) if is_mlir else class_(number, one.type)


def is_even(attribute: Attribute) -> bool:
    """Return whether an integer is even."""
    return _number(attribute) % 2 == 0
