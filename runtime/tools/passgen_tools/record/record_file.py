"""The file of a run record: writes rows by SQL."""

from __future__ import annotations

import os
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import quote

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PassError
from passgen_runtime.output_files import replace_file, shown_path
from passgen_tools.record.rows import (
    BeginExecution,
    BeginRun,
    DiagnosticRow,
    EndExecution,
    EndRun,
    ExternalResourceRow,
    InputOfRun,
    IRRow,
    RemarkRow,
    ResourceRow,
    Row,
)
from passgen_tools.record.statements import (
    create_statements,
    insert_statement,
    update_statement,
)
from passgen_tools.record.tables import (
    SINCE_VERSION_3,
    TABLES,
    RecordedChild,
    RecordedDiagnostic,
    RecordedExecution,
    RecordedExternalResource,
    RecordedIR,
    RecordedOperation,
    RecordedPass,
    RecordedReference,
    RecordedRemark,
    RecordedResource,
    RecordedRun,
    RecordedStatistic,
)

SCHEMA_VERSION: Final = 4
"""The `user_version` of records that this package writes."""

VERSION_WITHOUT_SKIPS: Final = 3
"""The `user_version` of records in which skipped passes have succeeded."""

VERSION_WITHOUT_RESOURCES: Final = 2
"""The `user_version` of records that have no resources."""

READ_VERSIONS: Final = (
    VERSION_WITHOUT_RESOURCES,
    VERSION_WITHOUT_SKIPS,
    SCHEMA_VERSION,
)
"""The versions of records that this package reads."""

_SQLITE_HEADER: Final = b"SQLite format 3\0"

_UNLESS_THERE: Final = " ON CONFLICT DO NOTHING"

_UNLESS_COMPLETE: Final = (
    " ON CONFLICT (digest) DO UPDATE SET content = coalesce(content, excluded.content)"
)

_OPERATION: Final = (
    insert_statement(
        RecordedOperation, ("location",), path=":operation", name=":operation_name"
    )
    + _UNLESS_THERE
)

_STATEMENTS: Final[Mapping[type, Sequence[str]]] = {
    BeginRun: (insert_statement(RecordedRun, BeginRun._fields, status="'running'"),),
    InputOfRun: (_OPERATION, update_statement(RecordedRun, InputOfRun._fields, ":run")),
    EndRun: (
        update_statement(
            RecordedRun,
            EndRun._fields,
            ":run",
            wall_time_s="coalesce(:wall_time_s, wall_time_s)",
            after_id=("coalesce((SELECT id FROM ir WHERE digest = :after), after_id)"),
        ),
    ),
    ResourceRow: (
        insert_statement(RecordedResource, ResourceRow._fields) + _UNLESS_COMPLETE,
    ),
    ExternalResourceRow: (
        insert_statement(RecordedExternalResource, ExternalResourceRow._fields)
        + _UNLESS_THERE,
    ),
    IRRow: (insert_statement(RecordedIR, IRRow._fields, text=":ir") + _UNLESS_THERE,),
    BeginExecution: (
        f"{insert_statement(RecordedPass, BeginExecution._fields)}{_UNLESS_THERE}",
        _OPERATION,
        insert_statement(
            RecordedExecution,
            BeginExecution._fields,
            id=":first + :number",
            status="'running'",
        ),
    ),
    EndExecution: (
        update_statement(RecordedExecution, EndExecution._fields, ":first + :number"),
    ),
    RemarkRow: (
        insert_statement(
            RecordedRemark,
            RemarkRow._fields,
            execution_id=":first + :running",
            name=":remark_name",
            location=":place",
        ),
    ),
}
"""The SQL for each class of rows; its parameters are the fields of the row, the id of
the run, and the last id before those of its executions."""

_CHILD: Final = insert_statement(RecordedChild, ("ir", "position", "child", "name"))
_REFERENCE: Final = insert_statement(
    RecordedReference, ("ir", "dialect", "key", "resource")
)
_STATISTIC: Final = insert_statement(
    RecordedStatistic, (), execution_id="?", name="?", value="?"
)
_DIAGNOSTIC: Final = insert_statement(
    RecordedDiagnostic, ("execution", *RecordedDiagnostic._fields[3:])
)


class RecordError(PassError):
    """A record cannot be written or read."""


class RecordFile:
    """A record that is written row by row; each begin of a pass is committed."""

    def __init__(self, path: Path, *, appends: bool) -> None:
        """Begin the record at `path`, or append to it.

        Args:
            path: the file; an existing record is replaced.
            appends: whether an existing record is kept.

        Raises:
            RecordError: the file cannot be written, or is not a record.
        """
        self.path = path
        self.connection = open_record(path, appends=appends)
        self._ids: dict[str, int] = {}
        """The parameters `run` and `first` of the SQL."""

    def close(self) -> None:
        """End the record, and remove the files of SQLite beside it."""
        with closing(self.connection):
            self.connection.execute("PRAGMA journal_mode = DELETE")

    def write(self, row: Row) -> None:
        """Write `row`.

        Raises:
            sqlite3.Error: the file cannot be written.
        """
        if isinstance(row, DiagnosticRow):
            self._write_diagnostic(row.diagnostic, row.execution, None)
            return
        execute, executemany = self.connection.execute, self.connection.executemany
        values = {name: _column(name, value) for name, value in row._asdict().items()}
        values |= self._ids
        for statement in _STATEMENTS[type(row)]:
            row_id = execute(statement, values).lastrowid
        match row:
            case BeginRun():
                ((first,),) = execute("SELECT coalesce(max(id), 0) FROM execution")
                self._ids = {"run": row_id or 0, "first": first}
            case IRRow(children=children, resources=resources):
                executemany(
                    f"{_CHILD}{_UNLESS_THERE}",
                    [
                        {
                            "ir": values["digest"],
                            "position": position,
                            "child": bytes.fromhex(child),
                            "name": _storable(name),
                        }
                        for position, (child, name) in enumerate(children)
                    ],
                )
                executemany(
                    f"{_REFERENCE}{_UNLESS_THERE}",
                    [
                        {
                            "ir": values["digest"],
                            "dialect": _storable(dialect),
                            "key": _storable(key),
                            "resource": bytes.fromhex(digest),
                        }
                        for dialect, key, digest in resources
                    ],
                )
            case EndExecution(number, statistics=statistics):
                counts = statistics.items()
                execution_id = self._ids["first"] + number
                executemany(_STATISTIC, [(execution_id, *count) for count in counts])
        if isinstance(row, BeginRun | BeginExecution | EndRun):
            self.connection.commit()

    def _write_diagnostic(
        self, diagnostic: Diagnostic, execution: int | None, parent_id: int | None
    ) -> None:
        values = {
            "execution": execution,
            "severity": diagnostic.severity,
            "message": _storable(diagnostic.message),
            "location": _storable(diagnostic.location),
            "parent_id": parent_id,
        }
        row_id = self.connection.execute(_DIAGNOSTIC, values | self._ids).lastrowid
        for note in diagnostic.notes:
            self._write_diagnostic(note, execution, row_id)


def _column(name: str, value: object) -> object:
    """Return the field called `name` of a row in the form of its column."""
    if not isinstance(value, str):
        return value
    if name in {"digest", "before", "after", "resource"}:
        return bytes.fromhex(value)
    if name in {"ir", "content"}:  # surrogates are kept
        return zlib.compress(value.encode(errors="surrogatepass"))
    return _storable(value)


def _storable(text: str) -> str:
    """Return `text` without surrogates, which SQLite does not store."""
    return text.encode(errors="backslashreplace").decode()


def decompress(data: bytes, max_bytes: int) -> bytes:
    """Return the text of IR, or a content, from the form of a record.

    Raises:
        ValueError: it has more than `max_bytes`, or ends early.
        zlib.error: `data` is not compressed text.
    """
    decompressor = zlib.decompressobj()
    content = decompressor.decompress(data, max_bytes + 1)
    if len(content) > max_bytes:
        raise ValueError("its IR has more text than a record may have")
    if not decompressor.eof:
        raise ValueError("a text of IR ends early")
    return content


@contextmanager
def report_unwritten(path: str | Path) -> Iterator[None]:
    """Raise a RecordError for errors of writing the record at `path` in the block.

    Raises:
        RecordError: the record cannot be written.
    """
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"cannot write the record '{shown_path(path)}': {reason}"
        raise RecordError(message) from error


def begin_record(path: str | Path) -> None:
    """Write an empty record to `path`; an existing record is replaced.

    Raises:
        RecordError: the file cannot be written, or is not a record.
    """
    open_record(Path(path), appends=False).close()


def end_killed_run(path: str | Path, error: str) -> None:
    """Mark the running run of a record as failed.

    The passes that were running keep this status.

    Args:
        path: the record.
        error: a text that says how the process has ended.

    Raises:
        RecordError: the file cannot be written, or is not a record.
    """
    query = "UPDATE run SET status = 'failed', error = ? WHERE status = 'running'"
    with (
        closing(open_record(Path(path), appends=True)) as connection,
        report_unwritten(path),
        connection,
    ):
        connection.execute(query, (_storable(error),))


def files_beside(record: str | Path) -> list[Path]:
    """Return the files that SQLite writes beside a record, or its target if a link."""
    target = os.path.realpath(record)  # `resolve` raises for a loop
    return [Path(f"{target}{end}") for end in ("-journal", "-shm", "-wal")]


def open_record(path: Path, *, appends: bool) -> sqlite3.Connection:
    """Return a connection to the record at `path`, which is new unless `appends`.

    Raises:
        RecordError: the record cannot be written, the file is not a record, or another
            process writes the record.
    """
    with report_unwritten(path), ExitStack() as stack:
        if path.exists() and not _may_be_replaced(path):
            message = f"'{shown_path(path)}' is no record, and is not replaced by one"
            raise RecordError(message)
        path = Path(os.path.realpath(path))
        stack.callback(os.close, _lock(path))
        if not appends:
            replace_file(path, [_empty_record()])
            for left in files_beside(path):
                left.unlink(missing_ok=True)
            stack.callback(os.close, _lock(path))  # locks the new file
        connection = sqlite3.connect(
            path, check_same_thread=False, factory=_LockedConnection
        )
        connection.locks = stack.pop_all()
        stack.callback(connection.close)
        # A killed process loses nothing that was committed. A crash of the machine
        # may lose it, because nothing is flushed to the disk.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        stack.pop_all()  # nothing failed: it stays open
        return connection


@cache
def _empty_record() -> bytes:
    """Return the bytes of a record without rows, to be written as a whole."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "empty.db")
        with closing(sqlite3.connect(path)) as connection:
            # A later change of the mode would make SQLite begin a journal.
            connection.execute("PRAGMA journal_mode = WAL")
            make_tables(connection)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return path.read_bytes()


class _LockedConnection(sqlite3.Connection):
    """A connection to a record that no other process can write."""

    locks = ExitStack()

    def close(self) -> None:
        """Close the connection, and then release the locks.

        SQLite's own locks end when any handle of the file is closed.
        """
        super().close()
        self.locks.close()


def _lock(path: Path) -> int:
    """Return a handle that locks the file at `path`, which is made if needed.

    Raises:
        OSError: the file cannot be opened.
        RecordError: another process has locked the file.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415 - other systems do not have it

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(handle)
            message = f"another run writes the record '{shown_path(path)}'"
            raise RecordError(f"{message}; name another file") from error
        except OSError:  # some network drives have no locks
            pass
    return handle


def make_tables(connection: sqlite3.Connection, version: int = SCHEMA_VERSION) -> None:
    """Make the tables of a record of a version in an empty database."""
    connection.executescript(create_statements(tables_of(version)))


def tables_of(version: int) -> list[type[Any]]:
    """Return the tables of records of a version."""
    is_older = version == VERSION_WITHOUT_RESOURCES
    return [table for table in TABLES if not (is_older and table in SINCE_VERSION_3)]


def _may_be_replaced(path: Path) -> bool:
    """Return whether the file at `path` is empty, or has the tables of a record."""
    if not may_be_record(path) or not path.stat().st_size:
        return may_be_record(path)
    # Ignore files of SQLite beside it: a new record has its tables in the file itself.
    uri = uri_of(path.resolve(), "immutable=1")
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            names = {name for (name,) in connection.execute(query)}
    except sqlite3.DatabaseError:
        return False
    return {"run", "execution", "ir"} <= names


def uri_of(path: Path, parameters: str) -> str:
    """Return the URI by which SQLite opens the file at an absolute `path`."""
    # `as_uri()` imports an HTTP client, a twentieth of a playground's start.
    name = os.fsencode(path.as_posix().lstrip("/"))
    return f"file:///{quote(name)}?{parameters}"


def may_be_record(path: Path) -> bool:
    """Return whether the file at `path` is empty, or one of SQLite's."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE_HEADER)) in {b"", _SQLITE_HEADER}
