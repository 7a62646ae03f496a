"""Lines of what a spec declares about a pass, for declarations without a place.

Generated classes hold the lines of the texts of patterns. Other lines are searched for
in the text of the spec, as people do: no parser of YAML is needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class SpecLines:
    """The lines of a spec that declare a pass; none if it cannot be read."""

    lines: tuple[str, ...] = ()
    start: int = 0
    """The index in the file of the first one."""

    @classmethod
    def of_pass(cls, path: Path, argument: str) -> Self:
        """Return the lines of a pass."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return cls()
        return cls(tuple(lines)).mapping_with(value_of("argument", argument))

    def mapping_with(self, text: str) -> Self:
        """Return the lines of the first mapping with a line that has `text`.

        Args:
            text: a regular expression; there are no lines if none has it.
        """
        index = self._index_of(text)
        if index is None:
            return type(self)()
        column = _column(self.lines[index])
        start, end = index, index + 1
        while not self._begins_item(start) and self._is_inside(start - 1, column):
            start -= 1
        while self._is_inside(end, column) and not self._begins_item(end, column):
            end += 1
        return type(self)(self.lines[start:end], self.start + start)

    def line_of(self, *texts: str) -> int | None:
        """Return the number of a line, counted from 1.

        Args:
            texts: regular expressions, each searched from the line of the one before.
                The line is that of the last; `None` if there is none.
        """
        index: int | None = 0
        for text in texts:
            index = self._index_of(text, index or 0)
            if index is None:
                return None
        return self.start + (index or 0) + 1

    def _index_of(self, text: str, start: int = 0) -> int | None:
        expression = re.compile(text)
        found = (
            index
            for index, line in enumerate(self.lines[start:], start)
            if expression.search(line)
        )
        return next(found, None)

    def _is_inside(self, index: int, column: int) -> bool:
        """Return whether there is a line, and it belongs to keys at a column."""
        if not 0 <= index < len(self.lines):
            return False
        line = self.lines[index]
        return not line.strip() or _column(line) >= column

    def _begins_item(self, index: int, column: int | None = None) -> bool:
        """Return whether a line begins an item of a list, with keys at a column."""
        line = self.lines[index]
        is_item = line.lstrip().startswith("- ")
        return is_item and column in {None, _column(line)}


def _column(line: str) -> int:
    """Return the column of the first key of a line, behind the dash of an item."""
    return len(line) - len(line.lstrip(" -{"))


def key(name: str) -> str:
    """Return the expression of a key."""
    return rf"(?:^|[ {{,]){re.escape(name)}:"


def value_of(name: str, value: str) -> str:
    """Return the expression of a key, or one of several, with a value."""
    return rf"(?:^|[ {{,])(?:{name}): *{_scalar(value)}(?:$|[ ,}}])"


def word(text: str) -> str:
    """Return the expression of a word."""
    return rf"(?<![\w-]){re.escape(text)}(?![\w-])"


def _scalar(text: str) -> str:
    return rf"""["']?{re.escape(text)}["']?"""
