"""A note of a process in memory that outlives it: what it does, for its pool."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

_SIZE_BYTES: Final = 4096
_LENGTH: Final = struct.Struct("<H")

LEAVE_NOTE: Final[ContextVar[Callable[[str], object] | None]] = ContextVar(
    "passgen_runtime.leave_note", default=None
)
"""Keeps a text for the pool of this process, in the place of the last one.

The pool reads it if the process ends in its task. `None` where nothing reads it.
"""


class NoteMemory:
    """The memory for the note of another process, where there are files of memory."""

    def __init__(self) -> None:
        """Make it empty."""
        self.file: int | None = None
        """For `leaving_notes` in the process, which inherits it."""

        if hasattr(os, "memfd_create"):
            self.file = os.memfd_create("passgen-note")
            os.truncate(self.file, _SIZE_BYTES)

    def erase(self) -> None:
        """Forget the note."""
        if self.file is not None:
            os.pwrite(self.file, _LENGTH.pack(0), 0)

    def read(self) -> str:
        """Return the note; empty if there is none."""
        if self.file is None:
            return ""
        data = os.pread(self.file, _SIZE_BYTES, 0)
        (length,) = _LENGTH.unpack_from(data)
        return data[_LENGTH.size : _LENGTH.size + length].decode(errors="replace")

    def close(self) -> None:
        """Release it."""
        if self.file is not None:
            os.close(self.file)
            self.file = None


def leaving_notes(file: int) -> Callable[[str], object]:
    """Return what leaves notes in the memory that is behind an inherited file."""
    memory = mmap.mmap(file, _SIZE_BYTES)
    os.close(file)

    def leave(text: str) -> None:
        data = text.encode(errors="replace")[: _SIZE_BYTES - _LENGTH.size]
        _LENGTH.pack_into(memory, 0, 0)  # the process may end in between
        memory[_LENGTH.size : _LENGTH.size + len(data)] = data
        _LENGTH.pack_into(memory, 0, len(data))

    return leave
