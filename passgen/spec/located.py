"""The tree of located values that `loader` builds, `schema` validates, `resolve` reads.

It holds the data of a YAML file with the location of each key and value, and knows
neither the syntax of YAML nor what a pass is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from passgen.source import Location

ScalarValue: TypeAlias = bool | int | float | str | None

Node: TypeAlias = "Scalar | Sequence | Mapping"


@dataclass(frozen=True)
class Scalar:
    """A text, number, truth value or null."""

    value: ScalarValue
    location: Location
    """Of its first line, quotes included; of the key where no value is written."""

    @property
    def spelling(self) -> str:
        """The first line of the value as it is written in the spec."""
        return text_at(self.location)


@dataclass(frozen=True)
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    location: Location
    """Of the first line of a list in brackets; of the first dash of a block list."""


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
    """Of the first line of a mapping in braces; of the first key of a block mapping."""

    included: tuple[Mapping, ...] = ()
    """At the top level: the included files, each after those that it includes."""


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
    """Return the words of a diagnostic for `node`: `the integer 5`, `a list`."""
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


T = TypeVar("T")


class Keys:
    """The entries of a mapping, each of which `resolve` takes once."""

    def __init__(self, node: Node) -> None:
        """Begin with all entries of the mapping `node`."""
        assert isinstance(node, Mapping)
        self._entries = dict(node.entries)
        self.location = node.location

    def __contains__(self, key: str) -> bool:
        """Return whether there is a `key` that has not been taken."""
        return key in self._entries

    def take(self, key: str) -> Node | None:
        """Return the value under `key` if there is one."""
        entry = self._entries.pop(key, None)
        return entry.value if entry else None

    def take_text(self, key: str) -> tuple[str, Location]:
        """Return the text under the required `key`, and its location."""
        node = self.take(key)
        assert node is not None
        return text_of(node)

    def take_line(self, key: str, otherwise: str = "") -> str:
        """Return the text under `key` without the line end of a block scalar."""
        node = self.take(key)
        if node is None:
            return otherwise
        return text_of(node)[0].removesuffix("\n")

    def take_exact(self, key: str) -> str | None:
        """Return the text under `key` as it is, `None` if there is none."""
        node = self.take(key)
        return None if node is None else text_of(node)[0]

    def take_keys(self, key: str) -> Keys:
        """Return the mapping under `key`, an empty one if there is none."""
        node = self.take(key)
        return Keys(Mapping({}, self.location) if node is None else node)

    def take_rest(self) -> dict[str, Node]:
        """Return all entries that have not been taken, for keys that authors name."""
        rest = {key: entry.value for key, entry in self._entries.items()}
        self._entries.clear()
        return rest

    def take_items(self, key: str) -> tuple[Node, ...]:
        """Return the items of the list under `key`, none if there is none."""
        node = self.take(key)
        if node is None:
            return ()
        assert isinstance(node, Sequence)
        return node.items

    def done(self, made: T) -> T:
        """Return `made`, which is made of the entries: all must have been taken."""
        assert not self._entries, f"keys that nothing reads: {list(self._entries)}"
        return made


def text_of(node: Node) -> tuple[str, Location]:
    """Return the text of the scalar `node`, and its location."""
    assert isinstance(node, Scalar)
    assert isinstance(node.value, str)
    return node.value, node.location
