"""The conversion of a log of IR dumps to a run record.

The log is read once. For each dump, only a row without the text stays in memory.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from importlib import metadata
from pathlib import Path

from passgen_tools.record import rows
from passgen_tools.record.dumps.dump_log import (
    Dump,
    Event,
    OperationPath,
    lines_of_file,
    lines_of_tree,
    read_log,
)
from passgen_tools.record.dumps.executions import LoggedRun, logged_run
from passgen_tools.record.dumps.ir_table import IRTable, StoredIR
from passgen_tools.record.dumps.ir_text import store_ir
from passgen_tools.record.dumps.operations import split_runs
from passgen_tools.record.dumps.pipeline_places import LoggedExecution
from passgen_tools.record.record_file import RecordError, RecordFile, report_unwritten


def record_dumps(log: Path | Iterable[bytes], record: Path) -> bool:
    """Write the record of the runs whose IR dumps are in `log` to `record`.

    Args:
        log: a file, a folder that `--mlir-print-ir-tree-dir` wrote, or lines.
        record: the file of the record; it is replaced if it exists.

    Returns:
        Whether the log is complete. An incomplete dump at its end is dropped.

    Raises:
        RecordError: the log has no dump, or a file cannot be read or written.
    """
    try:
        with (
            report_unwritten(record),
            closing(RecordFile(record, appends=False)) as file,
        ):
            return _write_runs(log, file.write)
    except BaseException:
        record.unlink(missing_ok=True)
        raise


def _write_runs(log: Path | Iterable[bytes], write: rows.WriteRow) -> bool:
    """Write all runs; return whether the log is complete."""
    name = str(log) if isinstance(log, Path) else "<stdin>"
    table = IRTable(write)
    try:
        events, is_cut = read_log(_lines(log), lambda text: store_ir(text, table))
    except OSError as error:
        raise RecordError(f"cannot read '{name}': {error.strerror}") from error
    if not any(isinstance(event, Dump) for event in events):
        hint = "run the tool with --mlir-print-ir-after-all"
        raise RecordError(f"no IR dump in '{name}'; {hint}")
    *runs, last = split_runs(events)
    for run_events in runs:
        _write_run(run_events, table, write, is_cut=False)
    _write_run(last, table, write, is_cut=is_cut)
    return not is_cut


def _lines(log: Path | Iterable[bytes]) -> Iterable[bytes]:
    if not isinstance(log, Path):
        return log
    return lines_of_tree(log) if log.is_dir() else lines_of_file(log)


def _write_run(
    events: Sequence[Event], table: IRTable, write: rows.WriteRow, *, is_cut: bool
) -> None:
    """Write the run that `events` show."""
    run = logged_run(events, table, is_cut=is_cut)
    dumps = [event for event in events if isinstance(event, Dump)]
    counts = Counter("after" if dump.header.is_after else "before" for dump in dumps)
    settings = json.dumps({"dumps": dict(sorted(counts.items()))})
    version = metadata.version("mlir-passgen-runtime")
    versions = json.dumps({"mlir-passgen-runtime": version})
    write(rows.BeginRun(run.pipeline, settings, versions, process_id=0))
    write(rows.InputOfRun(*_describe((), run), _digest(run.before)))
    for execution in run.executions:
        _write_execution(execution, run, write)
    for diagnostic, source in run.diagnostics:
        write(rows.DiagnosticRow(_number(source), diagnostic))
    write(rows.EndRun(_status(run, is_cut=is_cut), after=_digest(run.after)))


def _write_execution(
    execution: LoggedExecution, run: LoggedRun, write: rows.WriteRow
) -> None:
    begin = rows.BeginExecution(
        execution.number,
        execution.path,
        execution.argument,
        execution.dump.header.pass_name,
        execution.dump.header.pass_text,
        *_describe(execution.dump.path, run),
        _number(execution.parent),
        thread=0,
        begin_s=0.0,
        before=_digest(execution.before),
    )
    write(begin)
    if execution.status != "running":
        end = rows.EndExecution(
            execution.number,
            execution.number,
            execution.status,
            begin_s=0.0,
            end_s=None,
            after=_digest(execution.after),
            statistics={},
            maxima={},
        )
        write(end)


def _describe(path: OperationPath, run: LoggedRun) -> tuple[str, str, str]:
    """Return the path and the name of an operation, and an empty location."""
    return run.operations.text(path), run.operations.name(path), ""


def _number(execution: LoggedExecution | None) -> int | None:
    return None if execution is None else execution.number


def _digest(ir: StoredIR | None) -> str | None:
    return None if ir is None else ir.digest


def _status(run: LoggedRun, *, is_cut: bool) -> str:
    statuses = {execution.status for execution in run.executions}
    severities = {diagnostic.severity for diagnostic, _ in run.diagnostics}
    if "failed" in statuses or "error" in severities:
        return "failed"
    return "running" if is_cut or "running" in statuses else "succeeded"
