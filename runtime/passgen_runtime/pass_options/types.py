"""The types of pass options: how values are read, checked and written.

Messages and accepted spellings are those of llvm/lib/Support/CommandLine.cpp;
`OptionType.expected` describes the values in words.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar, cast

from passgen_runtime.errors import PipelineError
from passgen_runtime.textual_pipeline import (
    TextSlice,
    TextualPipeline,
    braced_text,
    parse_elements,
    quote,
)

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class OptionType(Generic[T]):
    """A type of option values: how pipelines spell them, and which are valid."""

    name: str
    """The spelling in specs and help texts."""

    zero: T
    """The default of an option that declares none."""

    parse: Callable[[str], T]
    """Converts text without outer quotes; raises `ValueError` with the reason."""

    accepts: Callable[[object], bool]
    """Whether a Python value is one of this type."""

    print: Callable[[T], str] = str
    """Converts a value to text that `parse` reads back, quoted if necessary."""

    bare: str | None = None
    """The text that a bare option stands for; `None`: a value is required."""

    choices: tuple[str, ...] = ()
    """The texts to suggest, if the values are few."""

    expected: str = ""
    """The texts that `parse` takes, in words that follow "expected "."""

    normalize: Callable[[T], T] | None = None
    """Makes values equal that print the same; `None`: they are equal already."""

    parse_slice: Callable[[TextSlice], T] | None = None
    """Parses a structured value without its outer braces; its errors have places."""

    is_mutable: bool = False
    """Whether values can be changed, so that each option gets a copy of the default."""

    @property
    def expectation(self) -> tuple[str, ...]:
        """A note on the values that the type expects, if it describes them."""
        return (f"expected {self.expected}",) if self.expected else ()

    def __repr__(self) -> str:
        """Return the name: most fields are functions."""
        return f"<OptionType {self.name}>"


def enum_type(enum: type[E]) -> OptionType[E]:
    """Return the option type of the members of `enum`; pipelines spell the values."""
    members = {member.value: member for member in enum}
    return choice_type(members, lambda value: isinstance(value, enum))


def choice_type(
    values: Mapping[str, T], accepts: Callable[[object], bool]
) -> OptionType[T]:
    """Return the option type of a few `values` by their texts, the first the zero."""

    def parse(text: str) -> T:
        if text not in values:
            raise ValueError(f"Cannot find option named '{text}'!")
        return values[text]

    return OptionType(
        "enum",
        zero=next(iter(values.values())),
        parse=parse,
        accepts=accepts,
        print=lambda value: quote(str(value)),
        choices=tuple(values),
        expected=f"one of {', '.join(values)}",
    )


_TRUE = ("", "true", "TRUE", "True", "1")
_FALSE = ("false", "FALSE", "False", "0")


def parse_bool(text: str) -> bool:
    """Return the boolean that `text` spells.

    Raises:
        ValueError: it spells none.
    """
    if text in (*_TRUE, *_FALSE):
        return text in _TRUE
    raise ValueError(f"'{text}' is invalid value for boolean argument! Try 0 or 1")


_INTEGER = re.compile(
    r"-?(?:0[xX](?P<x>[0-9a-fA-F]+)|0[bB](?P<b>[01]+)|0o?(?P<o>[0-7]+)|(?P<d>0|[1-9][0-9]*))"
)


def _parse_integer(text: str) -> int:
    """Return the integer in `text`: decimal, or with the prefix 0x, 0b, 0o or 0."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        raise ValueError(text)
    bases = {"x": 16, "b": 2, "o": 8, "d": 10}
    value = next(int(match[base], bases[base]) for base in bases if match[base])
    return -value if text.startswith("-") else value


def _integer(name: str, bits: int, *, signed: bool, llvm_name: str) -> OptionType[int]:
    minimum = -(1 << (bits - 1)) if signed else 0
    maximum = (1 << (bits - 1 if signed else bits)) - 1

    def parse(text: str) -> int:
        message = f"'{text}' value invalid for {llvm_name} argument!"
        try:
            value = _parse_integer(text)
        except ValueError:
            raise ValueError(message) from None
        if (text.startswith("-") and not signed) or not minimum <= value <= maximum:
            raise ValueError(message)
        return value

    def accepts(value: object) -> bool:
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return minimum <= value <= maximum

    limits = f"{minimum} to {maximum}"
    expected = f"an integer of {limits}, decimal or prefixed 0x, 0b, 0o or 0"
    return OptionType(name, 0, parse, accepts, expected=expected)


_NUMBER = re.compile(
    r"[ \t\n\v\f\r]*[+-]?(?:"
    r"(?P<hexadecimal>0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)"
    r"(?:[pP][+-]?[0-9]+)?)"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
    r"|(?P<nan>[nN][aA][nN](?:\([0-9a-zA-Z_]*\))?)"
    r")?"
)
"""The syntax of C's `strtod`; an empty text is zero."""


def _parse_number(text: str) -> float:
    match = _NUMBER.fullmatch(text)
    if match is None or text[-1:] in ("+", "-"):
        raise ValueError(f"'{text}' value invalid for floating point argument!")
    if match["nan"]:
        return math.nan
    if match["hexadecimal"]:
        try:
            return float.fromhex(text)
        except OverflowError:
            return -math.inf if "-" in text.partition("0")[0] else math.inf
    return float(text) if text.strip() else 0.0


def _floating_point(name: str, struct_format: str) -> OptionType[float]:
    def representable(value: float) -> float:
        """Return `value`, or infinity if it is too large for the type."""
        if math.isnan(value):
            return math.nan  # the same object, so that lists and tuples of it are equal
        try:
            struct.pack(struct_format, value)
        except OverflowError:
            return math.copysign(math.inf, value)
        return float(value)

    def accepts(value: object) -> bool:
        if isinstance(value, int) and not isinstance(value, bool):
            return abs(value) <= _LARGEST_DOUBLE
        return isinstance(value, float)

    return OptionType(
        name,
        0.0,
        parse=lambda text: representable(_parse_number(text)),
        accepts=accepts,
        print=lambda value: repr(float(value)),
        expected="a number",
        normalize=representable,
    )


_LARGEST_DOUBLE: Final = (2 - 2**-52) * 2.0**1023


def _parse_pipeline(text: str | TextSlice) -> TextualPipeline:
    try:
        return parse_elements(text)
    except PipelineError as error:
        if isinstance(text, TextSlice):
            raise
        raise ValueError(error.message) from error


BOOL: Final = OptionType(
    "bool",
    zero=False,
    parse=parse_bool,
    accepts=lambda value: isinstance(value, bool),
    print=lambda value: "true" if value else "false",
    bare="true",
    choices=("true", "false"),
    expected=f"{', '.join((*_TRUE[1:], *_FALSE))}, or no value for true",
)
OPTIONAL_BOOL: Final[OptionType[bool | None]] = replace(
    cast("OptionType[Any]", BOOL),
    name="optional bool",
    zero=None,
    parse=lambda text: parse_bool(text) if text else None,
    accepts=lambda value: value is None or BOOL.accepts(value),
    print=lambda value: "" if value is None else BOOL.print(value),
)
INT8: Final = _integer("int8", 8, signed=True, llvm_name="integer")
INT16: Final = _integer("int16", 16, signed=True, llvm_name="integer")
INT32: Final = _integer("int32", 32, signed=True, llvm_name="integer")
INT64: Final = _integer("int64", 64, signed=True, llvm_name="long")
UINT8: Final = _integer("uint8", 8, signed=False, llvm_name="uint")
UINT16: Final = _integer("uint16", 16, signed=False, llvm_name="uint")
UINT32: Final = _integer("uint32", 32, signed=False, llvm_name="uint")
UINT64: Final = _integer("uint64", 64, signed=False, llvm_name="ulong")
FLOAT: Final = _floating_point("float", "<f")
DOUBLE: Final = _floating_point("double", "<d")
STRING: Final = OptionType(
    "string",
    zero="",
    parse=str,
    accepts=lambda value: isinstance(value, str),
    print=lambda value: quote(value) if value else "",
)
PIPELINE: Final = OptionType(
    "pipeline",
    zero=TextualPipeline(()),
    parse=_parse_pipeline,
    accepts=lambda value: isinstance(value, TextualPipeline),
    print=lambda value: braced_text(str(value)),
    expected="a pipeline, or its elements separated by commas",
    parse_slice=_parse_pipeline,
)
OPTION_TYPES: Final[tuple[OptionType[Any], ...]] = (
    *(BOOL, DOUBLE, FLOAT, PIPELINE, STRING),
    *(INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64),
)
"""The types that specs name."""
