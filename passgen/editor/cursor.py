"""The value of a spec that a cursor is on, found in a text that may be wrong elsewhere.

    elements: [canon|        the path pipelines, Lowering, elements, 0; the text 'canon'

The events of YAML's parser lead to it: what is wrong behind the cursor is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import yaml

Path: TypeAlias = tuple[str | int | None, ...]

_MARK: Final = "\ue000"
"""The end of a word that is typed, so that the parser reads a value there."""

_ENDS: Final = ("", ":", '"', "'")
"""What may complete the text before the cursor: a key, or a text in quotes."""

_WORD: Final = re.compile(r"[\w.-]*")

_PARSER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Cursor:
    """The value or the key that a cursor is on."""

    path: Path
    """The keys and indices that lead to it, its own key included."""

    text: str
    """The text: up to the cursor if it is being typed."""

    word: str
    """The word of the text that the cursor is on; in a pipeline, one of its names."""

    column: int
    """The column where the word begins, from 0."""

    is_key: bool
    earlier: Mapping[Path, str]
    """The texts before it, by their paths."""


class _Scalar(NamedTuple):
    path: Path
    is_key: bool
    event: yaml.ScalarEvent


def cursor_on(text: str, line: int, column: int) -> Cursor | None:
    """Return what stands at a place of `text`, counted from 0."""
    earlier: dict[Path, str] = {}
    for path, is_key, event in _scalars(text):
        start, end = event.start_mark, event.end_mark
        assert start is not None  # only the stubs allow it
        assert end is not None
        if start.line > line:
            return None
        if end.line == line and start.column <= column <= end.column:
            row = text.split("\n")[line]
            first = start.column if start.line == line else 0
            begin, stop = _word_around(row, column, first, end.column)
            return Cursor(path, event.value, row[begin:stop], begin, is_key, earlier)
        if not is_key:
            earlier[path] = event.value
    return None


def cursor_typing(text: str, line: int, column: int) -> Cursor | None:
    """Return what is being typed at a place of `text`, counted from 0."""
    rows = text.split("\n")[: line + 1]
    rows[-1] = rows[-1][:column]
    begin, _ = _word_around(rows[-1], column, 0, column)
    typed = "\n".join(rows) + _MARK
    for end in _ENDS:
        earlier: dict[Path, str] = {}
        for path, is_key, event in _scalars(typed + end):
            found = event.value.removesuffix(_MARK)
            if found != event.value:
                own = (*path[:-1], found) if is_key else path
                return Cursor(own, found, rows[-1][begin:], begin, is_key, earlier)
            if not is_key:
                earlier[path] = event.value
    return None


def _word_around(row: str, column: int, first: int, last: int) -> tuple[int, int]:
    """Return the columns of the word at `column`, which is between two others."""
    begin = column
    while begin > first and _WORD.fullmatch(row[begin - 1]):
        begin -= 1
    found = _WORD.match(row, column, last)
    return begin, found.end() if found else column


class _Steps:
    """The keys and indices that lead to the current event of the parser."""

    def __init__(self) -> None:
        self.path: list[str | int | None] = []
        """`None`: the next value is the key of a mapping."""

    def begin(self) -> bool:
        """Enter a value; return whether it is a key."""
        if self.path and isinstance(self.path[-1], int):
            self.path[-1] += 1
        return bool(self.path) and self.path[-1] is None

    def end(self, key: str | None = None) -> None:
        """Leave a value, or the key `key`."""
        if self.path and not isinstance(self.path[-1], int):
            self.path[-1] = key


def _scalars(text: str) -> Iterator[_Scalar]:
    """Yield the keys and the scalar values of `text`, as far as it can be read."""
    steps = _Steps()
    try:
        for event in yaml.parse(text, Loader=_PARSER):
            if isinstance(event, yaml.CollectionEndEvent):
                steps.path.pop()
                steps.end()
            elif isinstance(event, yaml.NodeEvent):
                is_key = steps.begin()
                if isinstance(event, yaml.ScalarEvent):
                    key = event.value if is_key else None
                    own = (*steps.path[:-1], key) if is_key else tuple(steps.path)
                    yield _Scalar(own, is_key, event)
                    steps.end(key)
                elif isinstance(event, yaml.AliasEvent):
                    steps.end("" if is_key else None)
                else:
                    is_list = isinstance(event, yaml.SequenceStartEvent)
                    steps.path.append(-1 if is_list else None)
    except (yaml.YAMLError, ValueError):
        return
