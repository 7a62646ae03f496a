"""Files that appear complete or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
from errno import EACCES
from itertools import count
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Replace the content of `path` by `text`, completely or not at all.

    The target of a link is replaced, not the link. A device or a pipe is written to.

    Raises:
        OSError: it cannot be written.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    path = path.resolve()  # not before: the target of /dev/stdout may have no path
    temporary = _new_file(path.parent)
    try:
        temporary.write_text(text, encoding="utf-8")
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
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
    _new_file(path.resolve().parent).unlink()


def _new_file(folder: Path) -> Path:
    """Return a new file in `folder`; `tempfile` would take long to import."""
    for number in count():
        path = folder / f".passgen-{os.getpid()}-{number}.tmp"
        try:
            path.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            continue
        return path
    raise AssertionError  # count() does not end


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
