"""What a pass may do to its process, for the options of steps."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable

_BLOCKS: list[bytes] = []


def overflow() -> None:
    """Fill the stack, in native code."""
    buffer = ctypes.create_string_buffer(4096)
    ctypes.PyDLL(None).regcomp(buffer, b"(" * 3_000_000, 1)


def write_to_all_files() -> None:
    for number in range(3, 20):
        with contextlib.suppress(OSError):
            os.write(number, b"x")


def allocate(kind: Callable[[int], None]) -> None:
    """Take all memory, of which there is little."""
    import resource  # noqa: PLC0415 - of Unix alone

    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    while True:
        kind(1 << 28)


def in_python(size: int) -> None:
    _BLOCKS.append(bytes(size))


def in_native_code(size: int) -> None:
    malloc = ctypes.CDLL(None).malloc
    malloc.restype = ctypes.c_void_p
    ctypes.memset(malloc(size), 1, 1)
