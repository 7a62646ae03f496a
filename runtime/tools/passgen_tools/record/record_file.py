"""The file of a run record: a writer of rows, which knows SQL."""

from __future__ import annotations

import os
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
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
    InputOfRun,
    IRRow,
    RemarkRow,
    Row,
)
from passgen_tools.record.statements import (
    create_statements,
    insert_statement,
    update_statement,
)
from passgen_tools.record.tables import (
    RecordedChild,
    RecordedDiagnostic,
    RecordedExecution,
    RecordedIR,
    RecordedOperation,
    RecordedPass,
    RecordedRemark,
    RecordedRun,
    RecordedStatistic,
)

SCHEMA_VERSION: Final = 2
"""The `user_version` of records that this package writes and reads."""

_SQLITE_HEADER: Final = b"SQLite format 3\0"

_UNLESS_THERE: Final = " ON CONFLICT DO NOTHING"

_STATEMENTS: Final[Mapping[type, Sequence[str]]] = {
    BeginRun: (insert_statement(RecordedRun, BeginRun._fields, status="'running'"),),
    InputOfRun: (
        insert_statement(
            RecordedOperation,
            ("location",),
            path=":operation",
            name=":operation_name",
        ),
        update_statement(RecordedRun, InputOfRun._fields, ":run"),
    ),
    EndRun: (
        update_statement(
            RecordedRun,
            EndRun._fields,
            ":run",
            wall_time_s="coalesce(:wall_time_s, wall_time_s)",
            after_id=("coalesce((SELECT id FROM ir WHERE digest = :after), after_id)"),
        ),
    ),
    IRRow: (
        f"{insert_statement(RecordedIR, IRRow._fields, text=':ir')}{_UNLESS_THERE}",
    ),
    BeginExecution: (
        f"{insert_statement(RecordedPass, BeginExecution._fields)}{_UNLESS_THERE}",
        insert_statement(
            RecordedOperation,
            ("location",),
            path=":operation",
            name=":operation_name",
        )
        + _UNLESS_THERE,
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
"""The SQL of each row; parameters are the fields of the row and the ids of its run."""

_CHILD: Final = insert_statement(RecordedChild, ("ir", "position", "child", "name"))
_STATISTIC: Final = insert_statement(
    RecordedStatistic, (), execution_id="?", name="?", value="?"
)
_DIAGNOSTIC: Final = insert_statement(
    RecordedDiagnostic, ("execution", *RecordedDiagnostic._fields[3:])
)


class RecordError(PassError):
    """A record cannot be written or read."""


class RecordFile:
    """A record that is written, row by row; each running pass is in the file."""

    def __init__(self, path: Path, *, appends: bool) -> None:
        """Begin the record at `path`, or go on with it.

        Args:
            path: of the file; a record that is there is replaced.
            appends: whether the record that is there is kept instead.

        Raises:
            RecordError: the file cannot be written, or is no record.
        """
        self.path = path
        self.connection = open_record(path, appends=appends)
        self._ids: dict[str, int] = {}
        """The id of the run, and the last id before those of its executions."""

    def close(self) -> None:
        """End the record; one file is left then, without those beside it."""
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
            case IRRow(children=children):
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
    """Return the field of a row called `name` as its column has it."""
    if not isinstance(value, str):
        return value
    if name in {"digest", "before", "after"}:
        return bytes.fromhex(value)
    return compress_text(value) if name == "ir" else _storable(value)


def _storable(text: str) -> str:
    """Return `text` as SQLite takes it: without surrogates."""
    return text.encode(errors="backslashreplace").decode()


def compress_text(text: str) -> bytes:
    """Return the IR in `text` as a record has it; surrogates stay as they are."""
    return zlib.compress(text.encode(errors="surrogatepass"))


def decompress(data: bytes, max_bytes: int) -> bytes:
    """Return the IR that a record has as `data`.

    Raises:
        ValueError: it has more than `max_bytes`, or no IR is compressed so.
        zlib.error: no text is compressed so.
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
    """Report what a record at `path` that cannot be written raises in the block.

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
    """Begin an empty record at `path`; a record that is there is replaced.

    Raises:
        RecordError: the file cannot be written, or is no record.
    """
    open_record(Path(path), appends=False).close()


def end_killed_run(path: str | Path, error: str) -> None:
    """Write how the process of the last run in a record has ended.

    The passes that were running stay marked as such.

    Args:
        path: of the record.
        error: how it has ended, in words.

    Raises:
        RecordError: the file cannot be written, or is no record.
    """
    query = "UPDATE run SET status = 'failed', error = ? WHERE status = 'running'"
    with (
        closing(open_record(Path(path), appends=True)) as connection,
        report_unwritten(path),
        connection,
    ):
        connection.execute(query, (_storable(error),))


def open_record(path: Path, *, appends: bool) -> sqlite3.Connection:
    """Return a connection to the record at `path`, which is new unless `appends`.

    Raises:
        RecordError: it cannot be written, another file is there, or another process
            writes the record.
    """
    with report_unwritten(path), ExitStack() as stack:
        if path.exists() and not _may_be_replaced(path):
            message = f"'{shown_path(path)}' is no record, and is not replaced by one"
            raise RecordError(message)
        # SQLite's files lie beside the target of a link; `resolve` raises for a loop.
        path = Path(os.path.realpath(path))
        stack.callback(os.close, _lock(path))
        if not appends:
            replace_file(path, [_empty_record()])
            for suffix in ("-wal", "-shm", "-journal"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            stack.callback(os.close, _lock(path))  # of the new file
        connection = sqlite3.connect(
            path, check_same_thread=False, factory=_LockedConnection
        )
        connection.locks = stack.pop_all()
        stack.callback(connection.close)
        # A process that is killed loses nothing that was committed. Only a machine
        # that stops could, because nothing is flushed to the disk.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        stack.pop_all()  # nothing failed: it stays open
        return connection


def _empty_record() -> bytes:
    """Return the file of a record without rows, so that no half of one appears."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "empty.db")
        with closing(sqlite3.connect(path)) as connection:
            # Its writer then changes no mode, for which SQLite would begin a journal.
            connection.execute("PRAGMA journal_mode = WAL")
            make_tables(connection)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.commit()
        return path.read_bytes()


class _LockedConnection(sqlite3.Connection):
    """A connection to a record that no other process writes meanwhile."""

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
        OSError: it cannot be opened.
        RecordError: another process has locked it.
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


def make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of a record in an empty database."""
    connection.executescript(create_statements())


def _may_be_replaced(path: Path) -> bool:
    """Return whether the file at `path` is empty, or a database with our tables."""
    if not may_be_record(path) or not path.stat().st_size:
        return may_be_record(path)
    # The tables are in the file itself from its begin: other files do not count.
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
    # Not `as_uri()`: it imports an HTTP client, a twentieth of a playground's start.
    name = os.fsencode(path.as_posix().lstrip("/"))
    return f"file:///{quote(name)}?{parameters}"


def may_be_record(path: Path) -> bool:
    """Return whether the file at `path` is empty, or one of SQLite's."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE_HEADER)) in {b"", _SQLITE_HEADER}
