"""Source files and places in them: what every diagnostic points at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate


@dataclass(frozen=True)
class SourceFile:
    """A text that was read, with the name its reader used for it."""

    name: str
    """The path as the user wrote it, or `<stdin>`; shown in diagnostics as it is."""

    text: str
    """The whole text, decoded, line ends as in the file."""

    def line_text(self, line: int) -> str:
        """Return line `line` (1-based) without its line end; empty past the last."""
        starts = _line_starts(self.text)
        if not 1 <= line <= len(starts):
            return ""
        start = starts[line - 1]
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[start:end].removesuffix("\r")


@dataclass(frozen=True)
class Location:
    """A span of one line of a source file, in 1-based lines and columns.

    Columns count characters (code points), as Python and editors do. A thing that
    spans lines is located by the part of it on its first line.
    """

    source: SourceFile
    line: int
    column: int
    length: int = 1
    """Characters under the caret, at least 1; cut at the line's end when drawn."""

    def __str__(self) -> str:
        """Return `file:line:column`, the form that terminals and editors follow."""
        return f"{self.source.name}:{self.line}:{self.column}"


@lru_cache(maxsize=16)
def _line_starts(text: str) -> list[int]:
    """Return where the lines of `text` start; a few texts are asked for in turn."""
    lengths = (len(each) + 1 for each in text.split("\n"))
    starts = [*accumulate(lengths, initial=0)]
    starts.pop()  # the line after the last
    return starts
