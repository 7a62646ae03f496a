"""Lines of IR, split into the names of values and blocks and the text between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_NAME: Final = re.compile(r"([%^][\w$.-]+)", re.ASCII)
"""The name of a value or block."""

_STRING_OR_NAME: Final = re.compile(rf'"(?:[^"\\]|\\.)*"?|{_NAME.pattern}', re.ASCII)
"""A string, which may have `%` and `^` in it, or a name; only a name is a group."""

_OPERATION: Final = re.compile(r'(?:[%:\d, ]*= )?"?([\w$.]+)', re.ASCII)
"""The name of an operation, behind its results without their names: `%, %:2 = `."""

_RESULTS: Final = re.compile(
    r"\s*%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)* = ", re.ASCII
)
"""The results of an operation: `%0, %1:2 = `."""


class IRLine:
    """A line of IR, with the values and blocks that it names, known by numbers."""

    def __init__(self, text: str) -> None:
        """Split `text` at its names; `IRText` adds the values that they stand for."""
        self.text = text
        self._parts = _split(text)
        self.names = self._parts[1::2]
        self.values: list[int | None] = []
        """The value or block of each name; `None` if the text does not define it."""

        self.defined: list[int] = []
        """The values and blocks that the line defines, in order."""

        kinds = [name[0] for name in self.names]
        self.nameless = self.with_names(kinds).strip()
        """The line without names and indentation: `% = arith.addi %, % : i32`.

        It keeps the first character of each name, which is `^` for a block.
        """

        operation = _OPERATION.match(self.nameless)
        self.operation = operation[1] if operation else self.nameless
        """The name of the operation that begins here; `nameless` if there is none."""

    @property
    def num_results(self) -> int:
        """How many of the names, which are the first ones, are results."""
        results = _RESULTS.match(self.text)
        return results[0].count("%") if results else 0

    @property
    def is_label(self) -> bool:
        """Whether the line is the label of a block, with its arguments."""
        return self.text.lstrip().startswith("^")

    @property
    def closes_region(self) -> bool:
        """Whether a region ends at the begin of the line."""
        return self.text.lstrip().startswith("}")

    @property
    def opens_region(self) -> bool:
        """Whether a region begins at the end of the line."""
        return self.text.rstrip().endswith("{")

    def with_names(self, names: Sequence[str]) -> str:
        """Return the line with `names` in the places of its names."""
        parts = list(self._parts)
        parts[1::2] = names
        return "".join(parts)


def is_value_name(name: str) -> bool:
    """Return whether `name` is that of a value, rather than of a block."""
    return name.startswith("%")


def _split(text: str) -> list[str]:
    """Split a line into texts and names in turn; it begins and ends with a text.

    The text between two names, or at an end of the line, may be empty.
    """
    if '"' not in text:
        return _NAME.split(text)
    parts: list[str] = []
    end_of_name = 0
    for found in _STRING_OR_NAME.finditer(text):
        name = found[1]
        if name is None:
            continue  # a string
        parts += text[end_of_name : found.start()], name
        end_of_name = found.end()
    parts.append(text[end_of_name:])
    return parts
