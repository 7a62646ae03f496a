"""Source files, read with a bound, and places in them, which diagnostics point at."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, Final

MAX_MIB: Final = 64
"""Of a file; specs of 10,000 passes, and dumps of all that MLIR ships, take a tenth."""

_MAX_BYTES: Final = MAX_MIB << 20


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


def read_file(path: str | Path) -> bytes:
    """Return what the file at `path` holds now.

    Raises:
        OSError: it cannot be read, or is too large.
        ValueError: no file can have this path.
    """
    with Path(path).open("rb") as stream:
        return read_stream(stream, str(path))


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """Return the unread rest of `stream`, which messages call `name`.

    Raises:
        OSError: it cannot be read, or is too large.
    """
    return bounded(stream.read(_MAX_BYTES + 1), name)


def bounded(data: bytes, name: str) -> bytes:
    """Return `data`, read from `name`.

    Raises:
        OSError: it is too large.
    """
    if len(data) > _MAX_BYTES:
        reason = f"it is larger than {MAX_MIB} MiB, and no more is read"
        raise OSError(errno.EFBIG, reason, name)
    return data
