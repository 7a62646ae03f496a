"""The file of a run record: a writer of rows, which knows SQL."""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib import resources
from pathlib import Path
from typing import Final

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PassError
from passgen_runtime.extensions.record.rows import (
    BeginExecution,
    BeginRun,
    DiagnosticRow,
    EndExecution,
    EndRun,
    InputOfRun,
    IRRow,
    OperationRow,
    PassRow,
    Row,
)

SCHEMA_VERSION: Final = 1
"""The `user_version` of records that this package writes and reads."""

_SQLITE_HEADER: Final = b"SQLite format 3\0"


class RecordError(PassError):
    """A record cannot be written or read."""


class RecordFile:
    """A record that is written, row by row; each running pass is in the file."""

    def __init__(
        self,
        path: Path,
        *,
        appends: bool,
        on_error: Callable[[sqlite3.Error], object],
    ) -> None:
        """Begin the record at `path`, or go on with it.

        Args:
            path: of the file; a record that is there is replaced.
            appends: whether the record that is there is kept instead.
            on_error: called when the file cannot be written any more; rows are dropped
                from then on.

        Raises:
            RecordError: the file cannot be written, or is no record.
        """
        self._on_error = on_error
        self._lock = threading.RLock()
        self._connection = _open(path, appends=appends)
        self.is_closed = False
        """Whether rows are dropped."""

        self._run_id = 0
        self._first_execution_id = 0
        self._passes: dict[str, int] = {}
        self._operations: dict[str, int] = {}
        self._ir: dict[bytes, int] = {}

    def write(self, row: Row) -> None:
        """Write `row`."""
        with self._lock:
            if self.is_closed:
                return
            try:
                self._write(row)
            except sqlite3.Error as error:
                self.is_closed = True
                self._connection.close()
                self._on_error(error)

    def close(self) -> None:
        """End the record; one file is left then, without those beside it."""
        with self._lock:
            if self.is_closed:
                return
            self.is_closed = True
            try:
                self._connection.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.Error as error:
                self._on_error(error)
            finally:
                self._connection.close()

    def _write(self, row: Row) -> None:
        match row:
            case BeginExecution():
                self._begin_execution(row)
            case EndExecution():
                self._end_execution(row)
            case IRRow():
                self._write_ir(row)
            case PassRow():
                self._passes[row.path] = self._insert(
                    "pass", run_id=self._run_id, **row._asdict()
                )
            case OperationRow():
                self._operations[row.path] = self._insert(
                    "operation", run_id=self._run_id, **row._asdict()
                )
            case DiagnosticRow(execution, diagnostic):
                self._write_diagnostic(self._execution_id(execution), diagnostic, None)
            case BeginRun():
                self._begin_run(row)
            case InputOfRun(operation, before):
                self._connection.execute(
                    "UPDATE run SET operation_id = ?, before_id = ? WHERE id = ?",
                    (self._operations[operation], self._ir_id(before), self._run_id),
                )
            case EndRun():
                self._end_run(row)

    # Runs.

    def _begin_run(self, row: BeginRun) -> None:
        self._passes.clear()
        self._operations.clear()
        execute = self._connection.execute
        (last,) = execute("SELECT coalesce(max(id), 0) FROM execution").fetchone()
        self._first_execution_id = last
        self._ir = dict(execute("SELECT digest, id FROM ir").fetchall())
        self._run_id = self._insert(
            "run",
            pipeline=row.pipeline,
            settings=json.dumps(row.settings),
            versions=json.dumps(row.versions),
            process_id=row.process_id,
            status="running",
        )
        self._connection.commit()

    def _end_run(self, row: EndRun) -> None:
        self._connection.execute(
            "UPDATE run SET status = ?, error = ?,"
            " wall_time_s = coalesce(?, wall_time_s),"
            " after_id = coalesce(?, after_id) WHERE id = ?",
            (
                row.status,
                _storable(row.error),
                row.wall_time_s,
                self._ir_id(row.after),
                self._run_id,
            ),
        )
        self._connection.commit()

    # Executions.

    def _execution_id(self, number: int | None) -> int | None:
        return None if number is None else self._first_execution_id + number

    def _begin_execution(self, row: BeginExecution) -> None:
        self._connection.execute(
            "INSERT INTO execution (id, run_id, pass_id, operation_id, parent_id,"
            " status, thread, begin_s, before_id)"
            " VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?)",
            (
                self._execution_id(row.number),
                self._run_id,
                self._passes[row.pass_],
                self._operations[row.operation],
                self._execution_id(row.parent),
                row.thread,
                row.begin_s,
                self._ir_id(row.before),
            ),
        )
        self._connection.commit()

    def _end_execution(self, row: EndExecution) -> None:
        execution_id = self._execution_id(row.number)
        self._connection.execute(
            "UPDATE execution SET position = ?, status = ?, begin_s = ?, end_s = ?,"
            " after_id = ? WHERE id = ?",
            (
                row.position,
                row.status,
                row.begin_s,
                row.end_s,
                self._ir_id(row.after),
                execution_id,
            ),
        )
        for name, value in row.statistics.items():
            self._connection.execute(
                "INSERT INTO statistic VALUES (?, ?, ?)", (execution_id, name, value)
            )

    # What they are about.

    def _ir_id(self, digest: bytes | None) -> int | None:
        return None if digest is None else self._ir[digest]

    def _write_ir(self, row: IRRow) -> None:
        if row.digest in self._ir:  # from an earlier run
            return
        data = compress_text(row.text)
        ir_id = self._ir[row.digest] = self._insert(
            "ir", digest=row.digest, text=data, num_operations=row.num_operations
        )
        self._connection.executemany(
            "INSERT INTO ir_child VALUES (?, ?, ?, ?)",
            [
                (ir_id, position, self._ir[child], _storable(name))
                for position, (child, name) in enumerate(row.children)
            ],
        )

    def _write_diagnostic(
        self, execution_id: int | None, diagnostic: Diagnostic, parent_id: int | None
    ) -> None:
        row_id = self._insert(
            "diagnostic",
            run_id=self._run_id,
            execution_id=execution_id,
            severity=diagnostic.severity,
            message=diagnostic.message,
            location=diagnostic.location,
            parent_id=parent_id,
        )
        for note in diagnostic.notes:
            self._write_diagnostic(execution_id, note, row_id)

    def _insert(self, table: str, **values: object) -> int:
        """Insert a row into `table`; return its id."""
        marks = ", ".join("?" for _ in values)
        row_id = self._connection.execute(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})",  # noqa: S608 - the names are this package's
            tuple(map(_storable, values.values())),
        ).lastrowid
        assert row_id is not None
        return row_id


def _storable(value: object) -> object:
    """Return a value of a column, which SQLite takes only without surrogates."""
    if not isinstance(value, str):
        return value
    return value.encode(errors="backslashreplace").decode()


def compress_text(text: str) -> bytes:
    """Return the IR in `text` as a record has it; surrogates stay as they are."""
    return zlib.compress(text.encode(errors="surrogatepass"))


def decompress_text(data: bytes) -> str:
    """Return the IR that a record has as `data`."""
    return zlib.decompress(data).decode(errors="surrogatepass")


@contextmanager
def damage_reported(path: str | Path) -> Iterator[None]:
    """Report what a damaged record at `path` raises in the block.

    Raises:
        RecordError: the record is damaged, or cannot be read.
    """
    try:
        yield
    except sqlite3.OperationalError as error:  # it may be locked
        message = f"cannot read the record '{path}': {error}"
        raise RecordError(message) from error
    except RecursionError as error:
        message = f"cannot read the record '{path}': it is nested too deeply"
        raise RecordError(message) from error
    except (
        sqlite3.Error,
        zlib.error,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        message = f"'{path}' is damaged: {error}"
        raise RecordError(message) from error


def begin_record(path: str | Path) -> None:
    """Begin an empty record at `path`; a record that is there is replaced.

    Raises:
        RecordError: the file cannot be written, or is no record.
    """
    with closing(_open(Path(path), appends=False)):
        pass


def end_killed_run(path: str | Path, error: str) -> None:
    """Write how the process of the last run in a record has ended.

    The passes that were running stay marked as such.

    Args:
        path: of the record.
        error: how it has ended, in words.

    Raises:
        RecordError: the file cannot be written, or is no record.
    """
    with closing(_open(Path(path), appends=True)) as connection:
        try:
            with connection:
                connection.execute(
                    "UPDATE run SET status = 'failed', error = ?"
                    " WHERE status = 'running'",
                    (_storable(error),),
                )
        except sqlite3.Error as cause:
            message = f"cannot write the record '{path}': {cause}"
            raise RecordError(message) from cause


def _open(path: Path, *, appends: bool) -> sqlite3.Connection:
    """Return a connection to the record at `path`, which is new unless `appends`.

    Raises:
        RecordError: it cannot be written, or another file is there.
    """
    schema = resources.files(__package__).joinpath("schema.sql")
    try:
        if path.exists() and not may_be_record(path):
            message = f"'{path}' is no record, and is not replaced by one"
            raise RecordError(message)
        if not appends:
            for suffix in ("", "-wal", "-shm", "-journal"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
        with ExitStack() as stack:
            connection = sqlite3.connect(path, check_same_thread=False)
            stack.callback(connection.close)
            # A process that is killed loses nothing that was committed. Only a machine
            # that stops could, because nothing is flushed to the disk.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            if not appends:
                connection.executescript(schema.read_text(encoding="utf-8"))
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                connection.commit()
            stack.pop_all()  # nothing failed: it stays open
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"cannot write the record '{path}': {reason}"
        raise RecordError(message) from error
    return connection


def may_be_record(path: Path) -> bool:
    """Return whether the file at `path` is empty, or one of SQLite's."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE_HEADER)) in {b"", _SQLITE_HEADER}
