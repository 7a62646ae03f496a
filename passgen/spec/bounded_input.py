"""Files that users name, read as far as a spec could need it.

A device has no end, and a file given by mistake may be larger than the memory.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import BinaryIO, Final

MAX_MIB: Final = 64
"""Of a file; specs of 10,000 passes, and dumps of all that MLIR ships, take a tenth."""

_MAX_BYTES: Final = MAX_MIB << 20


def read_file(path: str | Path) -> bytes:
    """Return what the file at `path` holds now.

    Raises:
        OSError: it cannot be read, or is too large.
        ValueError: no file can have this path.
    """
    with Path(path).open("rb") as stream:
        return read_stream(stream, str(path))


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """Return what is left of `stream`, called `name`.

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
