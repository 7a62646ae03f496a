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
        key = re.compile(rf"( *)(?:argument:|- argument:) *{_scalar(argument)}$")
        for index, line in enumerate(lines):
            if found := key.match(line):
                start, end = _block(lines, index, len(found[1]))
                return cls(tuple(lines[start:end]), start)
        return cls()

    def line_of(self, *texts: str) -> int | None:
        """Return the number of a line, counted from 1.

        Args:
            texts: regular expressions, each searched from the line of the one before.
                The line is that of the last; `None` if there is none.
        """
        index = 0
        for text in texts:
            expression = re.compile(text)
            found = (
                at
                for at, line in enumerate(self.lines[index:], index)
                if expression.search(line)
            )
            index = next(found, -1)
            if index < 0:
                return None
        return self.start + index + 1


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


def _block(lines: list[str], index: int, indentation: int) -> tuple[int, int]:
    """Return the indices of the lines of a mapping that has the line at `index`."""

    def is_inside(line: str) -> bool:
        return not line.strip() or len(line) - len(line.lstrip()) >= indentation

    start = end = index
    while start > 0 and is_inside(lines[start - 1]):
        start -= 1
    while end < len(lines) and is_inside(lines[end]):
        end += 1
    return start, end
