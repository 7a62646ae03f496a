"""Checks of records: a malicious file can neither block nor mislead its reader."""

from __future__ import annotations

import os
import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from passgen_runtime.remarks import REMARK_KINDS
from passgen_tools.record.record_file import (
    READ_VERSIONS,
    RecordError,
    make_tables,
    may_be_record,
    tables_of,
    uri_of,
)
from passgen_tools.record.tables import TABLES

_MAX_TIME_S: Final = 10**9
"""The longest time of a run, some thirty years."""

_DAMAGE: Final = {
    "run": (
        "status NOT IN ('running', 'succeeded', 'failed')"
        f" OR abs(wall_time_s) > {_MAX_TIME_S}"
        " OR NOT json_valid(settings) OR json_type(settings) != 'object'"
        " OR ifnull(json_type(settings, '$.command'), 'array') != 'array'"
        " OR NOT json_valid(versions) OR json_type(versions) != 'object'"
    ),
    "execution": (
        "status NOT IN ('running', 'succeeded', 'failed', 'skipped')"
        f" OR abs(begin_s) > {_MAX_TIME_S} OR abs(end_s) > {_MAX_TIME_S}"
    ),
    "ir": "num_operations < 1",
    "ir_child": "child_id >= ir_id",  # children are written first
    "remark": (
        f"kind NOT IN ({', '.join(map(repr, REMARK_KINDS))})"
        " OR NOT json_valid(fields) OR json_type(fields) != 'object'"
    ),
    "diagnostic": "severity NOT IN ('error', 'warning', 'remark', 'note')",
}
"""SQL conditions that are true only for damaged rows, by table."""

_COMMENT: Final = re.compile(r"--.*")

_STEPS_PER_BYTE: Final = 20
"""The limit on instructions of SQLite's machine for each byte of a record, in a query.

A file that needs more was made to block its reader.
"""
_MIN_STEPS: Final = 10**7
_MAX_STEPS: Final = 2**31 - 1


def check_record(path: Path) -> int:
    """Check that the file at `path` has the tables of a record, and nothing else.

    Returns:
        The version of the record.

    Raises:
        RecordError: it is not a record, has another version, or is damaged.
    """
    with report_damage(path):
        if not path.is_file():
            reason = "it is no regular file" if path.exists() else "no such file"
            raise RecordError(f"cannot read the record '{path}': {reason}")
        if not may_be_record(path):
            message = f"cannot read the record '{path}': file is not a database"
            raise RecordError(message)
    with connect(path) as connection:
        return _check(connection, path)


@contextmanager
def connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the record at `path`, with a bound on the instructions of each query.

    Raises:
        RecordError: the record is damaged, or cannot be read.
    """
    file = path.resolve()
    journal = file.with_name(f"{file.name}-journal")
    if os.path.lexists(journal):
        # SQLite removes the file that a journal names. Our records have a journal only
        # while they are closed.
        message = f"'{journal}' is beside the record, and may be of another program"
        raise RecordError(f"{message}\nnote: move it away if the record is yours")
    uri = uri_of(file, "mode=rw")
    with report_damage(path), closing(sqlite3.connect(uri, uri=True)) as connection:
        steps = max(_MIN_STEPS, _STEPS_PER_BYTE * file.stat().st_size)
        connection.row_factory = sqlite3.Row
        # Ends a query that a malicious file makes endless.
        connection.set_progress_handler(lambda: 1, min(steps, _MAX_STEPS))
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection


def _check(connection: sqlite3.Connection, path: Path) -> int:
    """Check that the file has the tables of a record, and values of their types.

    Returns:
        The version of the record.

    Raises:
        RecordError: it is not a record, or has another version.
        ValueError: it is damaged.
    """
    version: int
    ((version,),) = connection.execute("PRAGMA user_version")
    if version not in {0, *READ_VERSIONS}:
        known = "{}, {} and {}".format(*READ_VERSIONS)
        raise RecordError(
            f"'{path}' is of version {version}: this version of mlir-passgen-tools "
            f"reads versions {known}; record the run again, or install the version "
            "that has written it"
        )
    if version == 0 or _schema(connection) != _own_schema(version):
        raise RecordError(f"'{path}' is no record of passgen")
    ((state,),) = connection.execute("PRAGMA quick_check(1)")
    if state != "ok":
        raise ValueError(state)
    queries = ["PRAGMA foreign_key_check"]
    for table in (TABLES[table] for table in tables_of(version)):
        wrong = [_DAMAGE.get(table, "FALSE")]
        columns = connection.execute(f"PRAGMA table_info({table})")
        for _, name, kind, is_set, *_ in columns:
            types = f"'{kind.lower()}'" if is_set else f"'{kind.lower()}', 'null'"
            wrong.append(f"typeof({name}) NOT IN ({types})")
        condition = " OR ".join(wrong)
        queries.append(f"SELECT 1 FROM {table} WHERE {condition}")  # noqa: S608 - ours
    if any(connection.execute(query).fetchone() for query in queries):
        raise ValueError("it has invalid values")
    return version


def _schema(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return the kind, name and SQL of all declarations in the database.

    Comments and blanks are removed. The runtime's own SQL has no quotes, so other SQL
    cannot become equal to it by this.
    """
    declared = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
    return [
        (kind, name, sql and _COMMENT.sub("", sql).split())
        for kind, name, sql in connection.execute(declared)
    ]


@cache
def _own_schema(version: int) -> list[tuple[object, ...]]:
    """Return the declarations of a record; unknown ones may run endlessly."""
    with closing(sqlite3.connect(":memory:")) as connection:
        make_tables(connection, version)
        return _schema(connection)


@contextmanager
def report_damage(path: str | Path) -> Iterator[None]:
    """Raise a RecordError for errors that a damaged record causes in the block.

    Raises:
        RecordError: the record is damaged, or cannot be read.
    """
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:  # it may be locked
        reason = error.strerror if isinstance(error, OSError) else error
        raise RecordError(f"cannot read the record '{path}': {reason}") from error
    except (
        sqlite3.Error,
        zlib.error,
        LookupError,
        TypeError,
        ValueError,
        RecursionError,
    ) as error:
        raise RecordError(f"'{path}' is damaged: {error}") from error
