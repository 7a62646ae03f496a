"""The file of a run record: opened, begun with its tables, and its rows."""

from __future__ import annotations

import platform
import sqlite3
from importlib import metadata, resources
from pathlib import Path
from typing import Final

from passgen_runtime.errors import PassError

SCHEMA_VERSION: Final = 1
"""The `user_version` of records that this package writes and reads."""

_SQLITE_HEADER: Final = b"SQLite format 3\0"


class RecordError(PassError):
    """A record cannot be written or read."""


def versions(context_module: str) -> dict[str, str]:
    """Return the versions of what runs: Python, the runtime, and the IR library."""
    versions = {"python": platform.python_version(), "context": context_module}
    for name in ("mlir-passgen-runtime", "xdsl"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def open_for_writing(path: Path, *, appends: bool) -> sqlite3.Connection:
    """Return a connection to the record at `path`, which is new unless `appends`.

    Raises:
        RecordError: it cannot be written, or another file is there.
    """
    schema = resources.files(__package__).joinpath("schema.sql")
    try:
        if path.exists() and not _may_be_record(path):
            message = f"'{path}' is no record, and is not replaced by one"
            raise RecordError(message)
        if not appends:
            for suffix in ("", "-wal", "-shm", "-journal"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
        connection = sqlite3.connect(path, check_same_thread=False)
        # A process that is killed loses nothing that was committed. Only a machine that
        # stops could, because nothing is flushed to the disk.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        if not appends:
            connection.executescript(schema.read_text(encoding="utf-8"))
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.commit()
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"cannot write the record '{path}': {reason}"
        raise RecordError(message) from error
    return connection


def _may_be_record(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE_HEADER)) in {b"", _SQLITE_HEADER}


def insert(connection: sqlite3.Connection, table: str, **values: object) -> int:
    """Insert a row into `table`; return its id."""
    marks = ", ".join("?" for _ in values)
    row = connection.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})",  # noqa: S608 - the names are this package's
        tuple(values.values()),
    ).lastrowid
    assert row is not None
    return row
