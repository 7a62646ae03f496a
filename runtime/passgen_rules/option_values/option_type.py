"""Types of option values: how values are read, checked and written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar, cast

from ..pipeline_text import TextSlice, quote

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

LiteralForm = Literal["bool", "int", "float", "string", "pipeline", "enum"]
"""The forms in which specs write values."""

LiteralValue: TypeAlias = bool | int | float | str
"""A value as specs write it; text for enums and pipelines."""

_ZEROS: Final[dict[LiteralForm, LiteralValue]] = {
    "bool": False,
    "int": 0,
    "float": 0.0,
    "string": "",
    "pipeline": "",
}


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

    literal: LiteralForm = "string"
    """The form of values in specs; of types that specs do not name, texts."""

    integers: range = range(0)
    """The values of an integer type; empty for other types."""

    largest: float = 0.0
    """The largest finite number of a floating-point type; 0 for other types."""

    @property
    def expectation(self) -> tuple[str, ...]:
        """A note on the values that the type expects, if it describes them."""
        return (f"expected {self.expected}",) if self.expected else ()

    @property
    def zero_literal(self) -> LiteralValue | None:
        """The zero as specs write it; `None` for an enum, which may have any."""
        return _ZEROS.get(self.literal)

    def includes(self, other: OptionType[Any]) -> bool:
        """Return whether all values of `other`, as specs write them, are of this type.

        It is about numbers: a text that both types take may mean something else.
        """
        if self.integers and other.integers:
            first, last = other.integers[0], other.integers[-1]
            return first in self.integers and last in self.integers
        return 0 < other.largest <= self.largest

    def read_literal(self, literal: LiteralValue) -> T:
        """Return the value that a spec writes as `literal`.

        Raises:
            ValueError: it is none of this type, or no finite number.
        """
        if self.literal in {"string", "pipeline", "enum"}:
            if isinstance(literal, str):
                return self.parse(literal)
        elif self.accepts(literal):
            value = cast("T", literal)
            value = value if self.normalize is None else self.normalize(value)
            if not isinstance(value, float) or math.isfinite(value):
                return value
        raise ValueError(f"{literal!r} is no value of {self.name}")

    def print_literal(self, literal: LiteralValue) -> str:
        """Return the text in pipelines of a value that a spec writes as `literal`."""
        if isinstance(literal, str):
            return self.print(self.parse(literal))
        return self.print(cast("T", literal))

    def __repr__(self) -> str:
        """Return the name: most fields are functions."""
        return f"<OptionType {self.name}>"


ENUM: Final[OptionType[Any]] = OptionType(
    "enum",
    zero="",
    parse=str,
    accepts=lambda value: isinstance(value, str),
    print=lambda value: quote(str(value)),
    literal="enum",
)
"""The type of the texts of an enum whose values are not known."""


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

    return replace(
        ENUM,
        zero=next(iter(values.values())),
        parse=parse,
        accepts=accepts,
        choices=tuple(values),
        expected=f"one of {', '.join(values)}",
    )


def literal_text(literal: LiteralValue) -> str:
    """Return the text in pipelines of a value whose type is not known."""
    if isinstance(literal, bool):
        return "true" if literal else "false"
    text = str(literal)
    return text and quote(text)
