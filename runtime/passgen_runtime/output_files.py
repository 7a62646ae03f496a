"""Files that appear complete or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Let `path` hold `text`: as long as that has not succeeded, what it held before.

    What a link leads to is replaced, not the link. A device or a pipe is written to.

    Raises:
        OSError: it cannot be written.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
    os.close(descriptor)
    temporary = Path(name)
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
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("a", encoding="utf-8"):  # a directory is refused here
            return
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
    os.close(descriptor)
    Path(name).unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
