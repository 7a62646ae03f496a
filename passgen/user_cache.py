"""The user's cache: what passgen keeps from one run to the next, and could do without.

Imported by each run, so it imports little.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from passgen import resources

VARIABLE: Final = "PASSGEN_CACHE_DIR"
"""The environment variable with the folder; empty for none."""


def folder() -> Path | None:
    """Return the folder, which may not exist yet; `None`: nothing is to be kept."""
    chosen = os.environ.get(VARIABLE)
    if chosen is not None:
        return Path(chosen) if chosen else None
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return Path(base or Path.home() / ".cache", "passgen")
    except RuntimeError:  # nobody's home
        return None


def keep(path: Path, content: bytes) -> None:
    """Write `content` to `path` at once, if that can be done."""
    import tempfile  # noqa: PLC0415 - a run with nothing to do needs none of it

    with contextlib.suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).replace(path)


@cache
def tool() -> str:
    """Return what tells this passgen from any other: all its files, and the Python."""
    roots = [str(resources.PACKAGE), str(resources.templates())]
    return f"{sys.version} {listing([*roots, str(resources.schema().parent)])}"


def listing(folders: Iterable[str]) -> str:
    """Return a digest of what files are below `folders`, by size and time."""
    hashed = hashlib.blake2b(digest_size=16)
    for each in folders:
        for file in sorted(_files(each)):
            hashed.update(os.fsencode(file))
    return hashed.hexdigest()


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                status = entry.stat()
                yield f"{entry.path}\0{status.st_size}\0{status.st_mtime_ns}\n"
