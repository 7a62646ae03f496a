"""Locks, and folders for files that are not complete yet.

A process that is killed while it writes leaves such a folder beside the outputs. The
next call that writes there removes it if its lock, which ends with the process, is
free.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PREFIX: Final = ".passgen-"
_SUFFIX: Final = ".tmp"


@contextlib.contextmanager
def temporary_folder(around: Path) -> Iterator[Path]:
    """Make a folder in `around`, which is removed with its files after the block.

    Raises:
        OSError: it cannot be made.
    """
    folder, handle = _new_folder(around)
    try:
        yield folder
    finally:
        _remove(folder)
        if handle is not None:
            os.close(handle)


def lock(path: Path, *, waits: bool) -> int | None:
    """Return a handle that locks `path` until it is closed; `None` if there is no lock.

    Raises:
        OSError: the path cannot be opened.
    """
    if sys.platform == "win32":
        return None
    import fcntl  # noqa: PLC0415 - other systems do not have it

    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:  # another process has it, or some network drives have no locks
        os.close(handle)
        return None
    return handle


def _new_folder(around: Path) -> tuple[Path, int | None]:
    """Return a new folder, and the handle that locks it."""
    while True:
        folder = around / f"{_PREFIX}{os.urandom(6).hex()}{_SUFFIX}"
        folder.mkdir(mode=0o700)
        with contextlib.suppress(FileNotFoundError):
            handle = lock(folder, waits=True)
            # Until it was locked, another process could take it for abandoned.
            if folder.exists():
                return folder, handle
            if handle is not None:
                os.close(handle)


def remove_abandoned_folders(around: Path) -> None:
    """Remove the folders of killed processes, if the system has locks."""
    for folder in around.glob(f"{_PREFIX}*{_SUFFIX}"):
        if folder.is_symlink() or not folder.is_dir():
            continue
        with contextlib.suppress(OSError):
            handle = lock(folder, waits=False)
            if handle is not None:
                _remove(folder)
                os.close(handle)


def _remove(folder: Path) -> None:
    """Remove `folder` and the files in it, as far as that is possible."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
