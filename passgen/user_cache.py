"""The user's cache: what passgen keeps from one run to the next, and could do without.

Imported by each run, so it imports little.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import source_hash
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
    with contextlib.suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        complete = path.with_name(f"{path.name}.{os.urandom(6).hex()}")
        complete.write_bytes(content)
        complete.replace(path)


@cache
def tool() -> str:
    """Return what tells this passgen from any other: all its files, and the Python."""
    roots = [str(resources.PACKAGE), str(resources.templates())]
    return f"{sys.version} {listing([*roots, str(resources.schema().parent)])}"


def listing(folders: Iterable[str]) -> str:
    """Return a digest of what files are below `folders`, by size and time."""
    files = [file for each in folders for file in sorted(_files(each))]
    return digest(os.fsencode("".join(files)))


def digest(content: bytes) -> str:
    """Return what tells `content` from any other, as Python tells its own files.

    Of 64 bits; `hashlib` loads a library that takes longer than all else.
    """
    return source_hash(content).hex()


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                status = entry.stat()
                yield f"{entry.path}\0{status.st_size}\0{status.st_mtime_ns}\n"
