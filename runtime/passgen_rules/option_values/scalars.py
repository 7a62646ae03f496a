"""Texts of booleans and numbers.

Messages and accepted spellings are those of llvm/lib/Support/CommandLine.cpp.
Patterns are compiled when the first text is read, and not when this is imported.
"""

from __future__ import annotations

import math
import re
import sys
from typing import Final

from .option_type import OptionType

_TRUE: Final = ("", "true", "TRUE", "True", "1")
_FALSE: Final = ("false", "FALSE", "False", "0")
BOOL_TEXTS: Final = (*_TRUE[1:], *_FALSE)
"""The texts of booleans, besides the empty one, which is true."""


def parse_bool(text: str) -> bool:
    """Return the boolean that `text` spells.

    Raises:
        ValueError: it spells none.
    """
    if text in (*_TRUE, *_FALSE):
        return text in _TRUE
    raise ValueError(f"'{text}' is invalid value for boolean argument! Try 0 or 1")


_INTEGER: Final = (
    r"-?(?:0[xX](?P<x>[0-9a-fA-F]+)|0[bB](?P<b>[01]+)|0o?(?P<o>[0-7]+)|(?P<d>0|[1-9][0-9]*))"
)


def _parse_integer(text: str) -> int:
    """Return the integer in `text`: decimal, or with the prefix 0x, 0b, 0o or 0."""
    match = re.fullmatch(_INTEGER, text)
    if match is None:
        raise ValueError(text)
    bases = {"x": 16, "b": 2, "o": 8, "d": 10}
    value = next(int(match[base], bases[base]) for base in bases if match[base])
    return -value if text.startswith("-") else value


def integer_type(name: str, integers: range, llvm_name: str) -> OptionType[int]:
    """Return the option type of `integers`, which messages call `llvm_name`."""
    minimum, maximum = integers[0], integers[-1]

    def parse(text: str) -> int:
        message = f"'{text}' value invalid for {llvm_name} argument!"
        try:
            value = _parse_integer(text)
        except ValueError:
            raise ValueError(message) from None
        if (text.startswith("-") and minimum >= 0) or value not in integers:
            raise ValueError(message)
        return value

    def accepts(value: object) -> bool:
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return minimum <= value <= maximum

    limits = f"{minimum} to {maximum}"
    return OptionType(
        name,
        zero=0,
        parse=parse,
        accepts=accepts,
        expected=f"an integer of {limits}, decimal or prefixed 0x, 0b, 0o or 0",
        literal="int",
        integers=integers,
    )


_NUMBER: Final = (
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
    match = re.fullmatch(_NUMBER, text)
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


def floating_point_type(name: str, precision: int, exponent: int) -> OptionType[float]:
    """Return the option type of binary numbers below 2 to the `exponent`.

    Args:
        name: its spelling in specs.
        precision: the number of significant bits.
        exponent: the least exponent that is too large.
    """
    unit = 2.0 ** (exponent - precision)
    largest = (2**precision - 1) * unit
    overflow = largest + unit / 2  # rounds to an even number, which is infinite

    def representable(value: float) -> float:
        """Return `value`, or infinity if it is too large for the type."""
        if math.isnan(value):
            return math.nan  # the same object, so that lists and tuples of it are equal
        number = float(value)
        return number if abs(number) < overflow else math.copysign(math.inf, number)

    def accepts(value: object) -> bool:
        if isinstance(value, int) and not isinstance(value, bool):
            return abs(value) <= sys.float_info.max
        return isinstance(value, float)

    return OptionType(
        name,
        zero=0.0,
        parse=lambda text: representable(_parse_number(text)),
        accepts=accepts,
        print=lambda value: repr(float(value)),
        expected="a number",
        normalize=representable,
        literal="float",
        largest=largest,
    )
