"""Records of dumps: what a log tells of a run, in the file that a recorded run leaves.

The log is read once. What is kept of it meanwhile is a row for each dump, without its
text.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

from passgen_runtime.run_record.dumps.dump_log import (
    Dump,
    DumpLog,
    LoggedDiagnostic,
    lines_of_tree,
)
from passgen_runtime.run_record.dumps.executions import (
    LoggedExecution,
    LoggedRun,
    logged_run,
)
from passgen_runtime.run_record.dumps.ir_table import IRTable
from passgen_runtime.run_record.dumps.operations import Shown, split_runs
from passgen_runtime.run_record.record_file import (
    RecordError,
    insert,
    open_for_writing,
    versions,
)

_Events: TypeAlias = list[Shown | LoggedDiagnostic]


def record_dumps(log: Path | Iterable[str], record: Path) -> bool:
    """Write the record of the runs whose IR dumps are in `log` to `record`.

    Args:
        log: a file, a folder that `--mlir-print-ir-tree-dir` wrote, or lines.
        record: the file; a record that is there is replaced.

    Returns:
        Whether the log is whole: it does not end within a dump, which is left out then.

    Raises:
        RecordError: the log has no dump, or a file cannot be read or written.
    """
    try:
        with closing(open_for_writing(record, appends=False)) as connection:
            is_cut = _write_runs(log, connection)
            connection.commit()
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        record.unlink(missing_ok=True)
        message = f"cannot write the record '{record}': {error}"
        raise RecordError(message) from error
    except BaseException:
        record.unlink(missing_ok=True)
        raise
    return not is_cut


def _write_runs(log: Path | Iterable[str], connection: sqlite3.Connection) -> bool:
    """Write all runs; return whether the log ends within a dump."""
    name = str(log) if isinstance(log, Path) else "<stdin>"
    lines = DumpLog(_lines(log))
    table = IRTable(connection)
    try:
        events: _Events = [_stored(each, table) for each in lines]
    except OSError as error:
        message = f"cannot read '{name}': {error.strerror}"
        raise RecordError(message) from error
    if not any(isinstance(each, Shown) for each in events):
        hint = "run the tool with --mlir-print-ir-after-all"
        message = f"no IR dump in '{name}'; {hint}"
        raise RecordError(message)
    runs = split_runs(events)
    for run_events in runs:
        is_cut = lines.is_cut and run_events is runs[-1]
        run = logged_run(run_events, table, is_cut=is_cut)
        _Writer(connection, run).write(run_events, is_cut=is_cut)
    return lines.is_cut


def _lines(log: Path | Iterable[str]) -> Iterator[str]:
    if not isinstance(log, Path):
        yield from log
    elif log.is_dir():
        yield from lines_of_tree(log)
    else:
        with log.open(encoding="utf-8", errors="replace", newline="\n") as file:
            yield from file


def _stored(event: Dump | LoggedDiagnostic, table: IRTable) -> Shown | LoggedDiagnostic:
    if isinstance(event, LoggedDiagnostic):
        return event
    return Shown(
        is_after=event.is_after,
        has_failed=event.has_failed,
        pass_name=event.pass_name,
        pass_text=event.pass_text,
        operation=event.operation,
        symbol=event.symbol,
        ir=table.store(event.text),
        is_outermost=event.is_outermost,
    )


class _Writer:
    """Writes a run to a record."""

    def __init__(self, connection: sqlite3.Connection, run: LoggedRun) -> None:
        self._connection = connection
        self._run = run
        self._ids: dict[tuple[str, str], int] = {}
        self._execution_ids: dict[LoggedExecution | None, int | None] = {None: None}

    def write(self, events: _Events, *, is_cut: bool) -> None:
        """Write the run of `events`."""
        run = self._run
        dumps = [each for each in events if isinstance(each, Shown)]
        counts = Counter("after" if each.is_after else "before" for each in dumps)
        run_id = insert(
            self._connection,
            "run",
            pipeline=run.pipeline,
            settings=json.dumps({"dumps": dict(sorted(counts.items()))}),
            versions=json.dumps(versions(__package__)),
            process_id=0,
            status=_status(run, is_cut=is_cut),
            before_id=run.before and run.before.id,
            after_id=run.after and run.after.id,
        )
        root = self._operation_id(run_id, ())
        query = "UPDATE run SET operation_id = ? WHERE id = ?"
        self._connection.execute(query, (root, run_id))
        for position, execution in enumerate(run.executions):
            self._write_execution(run_id, position, execution)
        note_of: int | None = None
        for diagnostic, execution_of_it in run.diagnostics:
            is_note = diagnostic.severity == "note"
            row = insert(
                self._connection,
                "diagnostic",
                run_id=run_id,
                execution_id=self._execution_ids[execution_of_it],
                severity=diagnostic.severity,
                message=diagnostic.message,
                location=diagnostic.location,
                parent_id=note_of if is_note else None,
            )
            if not is_note:
                note_of = row

    def _write_execution(
        self, run_id: int, position: int, execution: LoggedExecution
    ) -> None:
        step = execution.step
        pass_id = self._id(
            "pass",
            run_id,
            step.path,
            argument=step.argument,
            name=execution.pass_name,
            text=step.text,
        )
        self._execution_ids[execution] = insert(
            self._connection,
            "execution",
            run_id=run_id,
            pass_id=pass_id,
            operation_id=self._operation_id(run_id, execution.operation),
            parent_id=self._execution_ids[execution.parent],
            position=None if execution.status == "running" else position + 1,
            status=execution.status,
            thread=0,
            begin_s=0.0,
            before_id=execution.before and execution.before.id,
            after_id=execution.after and execution.after.id,
        )

    def _operation_id(self, run_id: int, path: tuple[str, ...]) -> int:
        operations = self._run.operations
        text, name = operations.text(path), operations.name(path)
        return self._id("operation", run_id, text, name=name, location="")

    def _id(self, table: str, run_id: int, path: str, **columns: str) -> int:
        key = table, path
        if key not in self._ids:
            self._ids[key] = insert(
                self._connection, table, run_id=run_id, path=path, **columns
            )
        return self._ids[key]


def _status(run: LoggedRun, *, is_cut: bool) -> str:
    statuses = {each.status for each in run.executions}
    severities = {each.severity for each, _ in run.diagnostics}
    if "failed" in statuses or "error" in severities:
        return "failed"
    return "running" if is_cut or "running" in statuses else "succeeded"
