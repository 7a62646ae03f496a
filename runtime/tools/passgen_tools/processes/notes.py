"""A note of a process in memory that outlives it: what it does, for its parent."""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

_SIZE_BYTES: Final = 2**16
_LENGTH: Final = struct.Struct("<I")

LEAVE_NOTE: Final[ContextVar[Callable[[str], object] | None]] = ContextVar(
    "passgen_runtime.leave_note", default=None
)
"""Keeps a text for the pool of this process, in the place of the last one.

The pool reads it if the process ends in its task. `None` where nothing reads it.
"""


class NoteMemory:
    """The memory for one note, which a process shares with its parent."""

    def __init__(self, file: int = -1) -> None:
        """Open the memory behind a file of `open_note_file`, in any process.

        Without one, it is shared with processes that are forked, and no code can write
        to it by the number of a file.

        Raises:
            OSError: the system has no room for it.
        """
        self._memory = mmap.mmap(file, _SIZE_BYTES)

    def write(self, text: str) -> None:
        """Keep `text`, or as much of it as there is room for."""
        data = text.encode(errors="replace")[: _SIZE_BYTES - _LENGTH.size]
        _LENGTH.pack_into(self._memory, 0, 0)  # the process may end in between
        self._memory[_LENGTH.size : _LENGTH.size + len(data)] = data
        _LENGTH.pack_into(self._memory, 0, len(data))

    def erase(self) -> None:
        """Forget the note."""
        _LENGTH.pack_into(self._memory, 0, 0)

    def read(self) -> str:
        """Return the note; empty if there is none."""
        (length,) = _LENGTH.unpack_from(self._memory)
        data = self._memory[_LENGTH.size : _LENGTH.size + length]
        return data.decode(errors="replace")

    def close(self) -> None:
        """Release it."""
        self._memory.close()


def open_note_file() -> int:
    """Return a new file, for the note of a process that inherits it.

    Raises:
        OSError: the system has no room for it.
    """
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("passgen-note")
    else:
        with tempfile.TemporaryFile() as temporary:
            file = os.dup(temporary.fileno())
    os.truncate(file, _SIZE_BYTES)
    return file
