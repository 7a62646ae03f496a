"""Source files, read with a bound on their size, and locations in them."""

from __future__ import annotations

import errno
import stat
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, Final

MAX_MIB: Final = 64
"""The largest file that is read; a spec with 10,000 passes, or a dump of MLIR, has a
tenth of its size."""

STDIN: Final = "-"
STDOUT: Final = "-"
"""The names of standard input and output on the command line."""

_MAX_BYTES: Final = MAX_MIB << 20


@dataclass(frozen=True)
class SourceFile:
    """The text of a file, and the name by which the user gave it."""

    name: str
    """The path as the user wrote it, or `<stdin>`; diagnostics show it."""

    text: str
    """The decoded text with the line ends of the file."""

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

    Columns count code points, as Python and editors do. The location of something on
    several lines is its part on the first one.
    """

    source: SourceFile
    line: int
    column: int
    length: int = 1
    """The number of marked characters, at least 1; it may exceed the line."""

    def __str__(self) -> str:
        """Return `file:line:column`, which terminals and editors can open."""
        return f"{self.source.name}:{self.line}:{self.column}"


@lru_cache(maxsize=16)
def _line_starts(text: str) -> list[int]:
    """Return the index of each line of `text`; cached, as few texts are in use."""
    lengths = (len(line) + 1 for line in text.split("\n"))
    starts = [*accumulate(lengths, initial=0)]
    starts.pop()  # the line after the last
    return starts


def read_file(path: str | Path) -> bytes:
    """Return the content of the file at `path`.

    Raises:
        OSError: it cannot be read, or is too large.
        ValueError: no file can have this path.
    """
    with Path(path).open("rb") as stream:
        return read_stream(stream, str(path))


def read_regular_file(path: str | Path) -> bytes:
    """Return the content of the file at `path`, which another file names.

    Raises:
        OSError: as for `read_file`, or it is a device or a pipe, which may have no end.
        ValueError: no file can have this path.
    """
    mode = Path(path).stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return read_file(path)


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """Return the unread rest of `stream`, which has `name` in messages.

    Raises:
        OSError: it cannot be read, or is too large.
    """
    return check_size(stream.read(_MAX_BYTES + 1), name)


def check_size(data: bytes, name: str) -> bytes:
    """Return `data`, the content of `name`, if it is not too large.

    Raises:
        OSError: it is too large.
    """
    if len(data) > _MAX_BYTES:
        reason = f"it is larger than {MAX_MIB} MiB, the limit of passgen"
        raise OSError(errno.EFBIG, reason, name)
    return data
