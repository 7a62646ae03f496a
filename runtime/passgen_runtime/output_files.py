"""Files that appear complete or not at all, whatever happens while they are written.

A process that is killed while it writes leaves a temporary file beside the output. The
next process that writes into the folder removes the file, whose lock is free.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from errno import EACCES, EBADF
from pathlib import Path
from typing import BinaryIO

from passgen_runtime.diagnostics import standard_stream


def replace_file(path: Path, content: str | Iterable[bytes]) -> None:
    """Replace the content of `path`, completely or not at all.

    The target of a link is replaced, not the link. A device or a pipe is written to.

    Raises:
        OSError: it cannot be written.
    """
    parts = [content.encode()] if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            file.writelines(parts)
        return
    # Not before: the target of /dev/stdout may have no path. `resolve` fails for loops.
    path = Path(os.path.realpath(path))
    with _temporary_file(path.parent) as temporary:
        with temporary.open("wb") as file:
            if path.exists():  # before the file has anything to read
                temporary.chmod(path.stat().st_mode & 0o7777)
            file.writelines(parts)
        temporary.replace(path)


def write_all(file: BinaryIO, data: bytes) -> None:
    """Write all of `data`: a file without a buffer may take a part of it each time.

    Raises:
        OSError: it cannot be written.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def write_stdout(text: str) -> None:
    """Write `text` to standard output, as UTF-8 in any locale.

    Raises:
        OSError: it is closed, or cannot be written to.
    """
    stream = standard_stream("stdout")
    if stream is None:
        raise OSError(EBADF, "it is closed")
    buffer = getattr(stream, "buffer", None)
    try:
        if buffer is None:  # code has replaced it
            stream.write(text)
        else:
            stream.flush()
            write_all(buffer, text.encode())
            buffer.flush()
    except OSError:
        # The rest of the buffer would fail again when the process ends.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise


def check_writable(path: Path) -> None:
    """Check that `replace_file` could write `path` now.

    Raises:
        OSError: it could not.
    """
    if path.is_fifo():  # its reader would take the closing for the end
        if not os.access(path, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), str(path))
        return
    if path.exists() and not path.is_file():
        with path.open("a", encoding="utf-8"):  # a directory is refused here
            return
    with _temporary_file(Path(os.path.realpath(path)).parent):
        pass


def shown_path(path: str | Path) -> str:
    """Return a path for messages: relative to the folder of the process if below it."""
    with contextlib.suppress(OSError, ValueError):  # no current folder; not below
        return str(Path(path).relative_to(Path.cwd()))
    return str(path)


def text_of_path(path: str | Path) -> str:
    """Return `path` as a text that UTF-8 can encode, e.g. for locations."""
    return os.fsencode(path).decode(errors="replace")


def is_same_file(path: Path, other: Path) -> bool:
    """Return whether writing one of the two files would destroy the other.

    Writing a device destroys nothing.
    """
    try:
        return path.samefile(other) and path.is_file()
    except OSError:  # one is not there, or nobody may look at it
        return os.path.realpath(path) == os.path.realpath(other)


@contextlib.contextmanager
def _temporary_file(folder: Path) -> Iterator[Path]:
    """Make a file in `folder`; remove it after the block if it is still there."""
    _remove_abandoned_files(folder)
    path, lock = _new_file(folder)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def _new_file(folder: Path) -> tuple[Path, int | None]:
    """Return a new file, and its lock; `tempfile` would take long to import."""
    while True:
        path = folder / f".passgen-{os.urandom(6).hex()}.tmp"
        path.touch(exist_ok=False)
        with contextlib.suppress(FileNotFoundError):
            lock = _lock(path, waits=True)
            # Until it was locked, another process could take it for abandoned.
            if path.exists():
                return path, lock
            if lock is not None:
                os.close(lock)


def _remove_abandoned_files(folder: Path) -> None:
    """Remove temporary files of processes that were killed: their locks are free."""
    for path in folder.glob(".passgen-*.tmp"):
        with contextlib.suppress(OSError):
            if (lock := _lock(path, waits=False)) is not None:
                path.unlink()
                os.close(lock)


def _lock(path: Path, *, waits: bool) -> int | None:
    """Return a handle that locks `path` until it is closed; `None` if there is no lock.

    Raises:
        OSError: the file cannot be opened.
    """
    if sys.platform == "win32":
        return None
    import fcntl  # noqa: PLC0415 - other systems do not have it

    handle = os.open(path, os.O_RDWR | os.O_NONBLOCK)  # does not wait for a pipe
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:  # another process has it, or some network drives have no locks
        os.close(handle)
        return None
    return handle
