"""The functions of the pattern language that read and make constants of an IR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from passgen_rules.pattern_functions import (
    CONSTANT_FUNCTIONS,
    WIDTH_DIFFERENCE,
    ConstantFunction,
)
from passgen_runtime.patterns.ir_reader import Attribute, IRReader

_INDEX_WIDTH = 64
"""The width in which numbers of the type `index` are kept."""


@dataclass(frozen=True, slots=True)
class AreConstants:
    """Tests whether a function in `CONSTANT_FUNCTIONS` can be applied to attributes."""

    name: str

    def holds(self, reader: IRReader, *attributes: object) -> bool:
        """Return whether it can: they are of its kind, and of one type."""
        return _values(reader, CONSTANT_FUNCTIONS[self.name], attributes) is not None

    def why_not(self, *attributes: str) -> str:
        """Return a message that it fails, given texts of the arguments."""
        return f"`{self.name}` does not apply to {' and '.join(attributes)}"

    def __str__(self) -> str:
        """Return a name that says what it tests."""
        return f"passgen.applies {self.name}"


@dataclass(frozen=True, slots=True)
class MakeConstant:
    """Makes an attribute by a function in `CONSTANT_FUNCTIONS`."""

    name: str

    def apply(self, reader: IRReader, *attributes: Attribute) -> object:
        """Return the attribute; a condition says that the function applies."""
        function = CONSTANT_FUNCTIONS[self.name]
        result = function.apply(*_values(reader, function, attributes) or ())
        if function.kind == "flags":
            return reader.with_flags(attributes[0], result)
        type_ = reader.type_of(attributes[0])
        return reader.constant(_wrapped(result, reader.element(type_).width), type_)

    def __str__(self) -> str:
        """Return a name that says what it makes."""
        return f"passgen.{self.name}"


@dataclass(frozen=True, slots=True)
class IsWidthDifference:
    """Tests whether a constant is the number of bits by which a type is wider."""

    def holds(
        self, reader: IRReader, attribute: object, wide: object, narrow: object
    ) -> bool:
        """Return whether it is; of widths that are not known, no constant is."""
        widths = reader.element(wide).width, reader.element(narrow).width
        known = [width for width in widths if width is not None]
        return known[1:] != [] and reader.number(attribute) == known[0] - known[1]

    def why_not(self, attribute: str, wide: str, narrow: str) -> str:
        """Return a message that it fails, given texts of the arguments."""
        return f"{attribute} is not the width of {wide} without that of {narrow}"

    def __str__(self) -> str:
        """Return a name that says what it tests."""
        return f"passgen.{WIDTH_DIFFERENCE}"


def _values(
    reader: IRReader, function: ConstantFunction, attributes: Sequence[Attribute]
) -> list[Any] | None:
    """Return what a function gets for attributes; `None` if it does not apply."""
    if function.kind == "flags":
        sets = [reader.flags(attribute) for attribute in attributes]
        return None if None in sets else sets
    numbers = [reader.number(attribute) for attribute in attributes]
    types = [reader.type_of(attribute) for attribute in attributes]
    is_known = all(isinstance(number, int) for number in numbers)
    if not is_known or any(type_ != types[0] for type_ in types):
        return None
    if function.cases and any(
        number not in range(len(function.cases)) for number in numbers
    ):
        return None
    return numbers


def _wrapped(number: int, width: int | None) -> int:
    """Return a number as a signed integer of so many bits."""
    size = 1 << (width or _INDEX_WIDTH)
    return (number + size // 2) % size - size // 2
