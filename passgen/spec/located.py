"""The tree of located values that `loader` builds, `schema` validates, `resolve` reads.

It holds the data of a YAML file with the location of each key and value, and knows
neither the syntax of YAML nor what a pass is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from passgen.source import Location, SourceFile

ScalarValue: TypeAlias = bool | int | float | str | None

Node: TypeAlias = "Scalar | Sequence | Mapping"


@dataclass(frozen=True)
class Scalar:
    """A text, number, truth value or null."""

    value: ScalarValue
    location: Location
    """The place of its first line, quotes included, or of the key without a value."""

    @property
    def spelling(self) -> str:
        """The first line of the value as it is written in the spec."""
        return text_at(self.location)


@dataclass(frozen=True)
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    location: Location
    """The first line of a list in brackets, or the first dash of a block list."""


@dataclass(frozen=True)
class Entry:
    """A value, and the location of its key."""

    key: Location
    value: Node


@dataclass(frozen=True)
class Mapping:
    """A mapping from text, in the order of the spec."""

    entries: dict[str, Entry]
    location: Location
    """The first line of a mapping in braces, or the first key of a block mapping."""

    included: tuple[Mapping, ...] = ()
    """At the top level: the included files, each after those that it includes."""

    ir_files: dict[str, SourceFile] = field(default_factory=dict)
    """At the top level: the files that hold patterns and examples, by path."""


def text_at(location: Location) -> str:
    """Return the text that `location` spans."""
    start = location.column - 1
    return location.source.line_text(location.line)[start : start + location.length]


def plain(node: Node) -> Any:  # noqa: ANN401 - JSON data has no narrower type
    """Return `node` as plain dictionaries, lists and scalars, without locations."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [plain(element) for element in node.items]
    return {key: plain(entry.value) for key, entry in node.entries.items()}


def describe(node: Node) -> str:
    """Return `node` as messages describe it: `the integer 5`, `a list`."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node.value, str):
        return f"'{shorten(node.value)}'"
    if node.value is None:
        return "null"
    return f"the {_TYPE_NAMES[type(node.value)]} {shorten(node.spelling)}"


_TYPE_NAMES: Final = {bool: "truth value", int: "integer", float: "number"}

_SHOWN_CHARACTERS: Final = 60


def shorten(text: str) -> str:
    """Return the part of `text` that a message of one line can show."""
    first = next(iter(text.splitlines()), "")[:_SHOWN_CHARACTERS]
    return first if first == text else first + "..."
