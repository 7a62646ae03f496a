"""Records of dumps: what a log tells of a run, in the file that a recorded run leaves.

The log is read once. What is kept of it meanwhile is a row for each dump, without its
text.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import NoReturn, TypeAlias

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.extensions.record.dumps.dump_log import (
    Dump,
    DumpLog,
    lines_of_file,
    lines_of_tree,
)
from passgen_runtime.extensions.record.dumps.executions import (
    LoggedExecution,
    LoggedRun,
    logged_run,
)
from passgen_runtime.extensions.record.dumps.ir_table import IRTable, StoredIR
from passgen_runtime.extensions.record.dumps.operations import (
    OperationPath,
    Shown,
    split_runs,
)
from passgen_runtime.extensions.record.record_file import RecordError, RecordFile
from passgen_runtime.extensions.record.rows import (
    BeginExecution,
    BeginRun,
    DiagnosticRow,
    EndExecution,
    EndRun,
    InputOfRun,
    WriteRow,
)

_Events: TypeAlias = list[Shown | Diagnostic]


def record_dumps(log: Path | Iterable[bytes], record: Path) -> bool:
    """Write the record of the runs whose IR dumps are in `log` to `record`.

    Args:
        log: a file, a folder that `--mlir-print-ir-tree-dir` wrote, or lines.
        record: the file; a record that is there is replaced.

    Returns:
        Whether the log is whole: it does not end within a dump, which is left out then.

    Raises:
        RecordError: the log has no dump, or a file cannot be read or written.
    """

    def fail(error: sqlite3.Error) -> NoReturn:
        message = f"cannot write the record '{record}': {error}"
        raise RecordError(message) from error

    file = RecordFile(record, appends=False, on_error=fail)
    try:
        is_whole = _write_runs(log, file.write)
        file.close()
    except BaseException:
        file.close()
        record.unlink(missing_ok=True)
        raise
    return is_whole


def _write_runs(log: Path | Iterable[bytes], write: WriteRow) -> bool:
    """Write all runs; return whether the log is whole."""
    name = str(log) if isinstance(log, Path) else "<stdin>"
    lines = DumpLog(_lines(log))
    table = IRTable(write)
    try:
        events: _Events = [_store(line, table) for line in lines]
    except OSError as error:
        message = f"cannot read '{name}': {error.strerror}"
        raise RecordError(message) from error
    if not any(isinstance(event, Shown) for event in events):
        hint = "run the tool with --mlir-print-ir-after-all"
        message = f"no IR dump in '{name}'; {hint}"
        raise RecordError(message)
    runs = split_runs(events)
    for run_events in runs:
        is_cut = lines.is_cut and run_events is runs[-1]
        run = logged_run(run_events, table, is_cut=is_cut)
        _RowWriter(write, run).write_run(run_events, is_cut=is_cut)
    return not lines.is_cut


def _lines(log: Path | Iterable[bytes]) -> Iterator[bytes]:
    if not isinstance(log, Path):
        yield from log
    elif log.is_dir():
        yield from lines_of_tree(log)
    else:
        yield from lines_of_file(log)


def _store(event: Dump | Diagnostic, table: IRTable) -> Shown | Diagnostic:
    if isinstance(event, Diagnostic):
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


class _RowWriter:
    """Writes a run as rows."""

    def __init__(self, write: WriteRow, run: LoggedRun) -> None:
        self._write = write
        self._run = run
        self._numbers: dict[LoggedExecution | None, int | None] = {None: None}

    def write_run(self, events: _Events, *, is_cut: bool) -> None:
        """Write the run of `events`."""
        run = self._run
        dumps = [event for event in events if isinstance(event, Shown)]
        counts = Counter("after" if dump.is_after else "before" for dump in dumps)
        settings = {"dumps": dict(sorted(counts.items()))}
        versions = {"mlir-passgen-runtime": metadata.version("mlir-passgen-runtime")}
        texts = json.dumps(settings), json.dumps(versions)
        self._write(BeginRun(run.pipeline, *texts, process_id=0))
        self._write(InputOfRun(*self._describe(()), _digest(run.before)))
        for number, execution in enumerate(run.executions, 1):
            self._numbers[execution] = number
            self._write_execution(number, execution)
        for diagnostic, source in _with_notes(run):
            self._write(DiagnosticRow(self._numbers[source], diagnostic))
        status = _status(run, is_cut=is_cut)
        self._write(EndRun(status, after=_digest(run.after)))

    def _write_execution(self, number: int, execution: LoggedExecution) -> None:
        step = execution.step
        begin = BeginExecution(
            number,
            step.path,
            step.argument,
            execution.pass_name,
            step.text,
            *self._describe(execution.operation),
            self._numbers[execution.parent],
            thread=0,
            begin_s=0.0,
            before=_digest(execution.before),
        )
        self._write(begin)
        if execution.status != "running":
            end = EndExecution(
                number,
                number,
                execution.status,
                begin_s=0.0,
                end_s=None,
                after=_digest(execution.after),
                statistics={},
                maxima={},
            )
            self._write(end)

    def _describe(self, path: OperationPath) -> tuple[str, str, str]:
        """Return the path, the name and the unknown location of an operation."""
        operations = self._run.operations
        return operations.text(path), operations.name(path), ""


def _with_notes(run: LoggedRun) -> list[tuple[Diagnostic, LoggedExecution | None]]:
    """Return the diagnostics of `run`, each with the notes that follow it."""
    found: list[tuple[Diagnostic, LoggedExecution | None]] = []
    for diagnostic, source in run.diagnostics:
        if diagnostic.severity == "note" and found:
            around, source_of_both = found[-1]
            notes = (*around.notes, diagnostic)
            found[-1] = replace(around, notes=notes), source_of_both
        else:
            found.append((diagnostic, source))
    return found


def _digest(ir: StoredIR | None) -> str | None:
    return None if ir is None else ir.digest


def _status(run: LoggedRun, *, is_cut: bool) -> str:
    statuses = {execution.status for execution in run.executions}
    severities = {diagnostic.severity for diagnostic, _ in run.diagnostics}
    if "failed" in statuses or "error" in severities:
        return "failed"
    return "running" if is_cut or "running" in statuses else "succeeded"
