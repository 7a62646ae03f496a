"""The executions of passes that dumps show, with the IR before and after them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.instrumentations.dump_header import PIPELINE
from passgen_tools.record.dumps.dump_log import Dump, Event, OperationPath
from passgen_tools.record.dumps.ir_table import IRTable, StoredIR
from passgen_tools.record.dumps.operations import Operations
from passgen_tools.record.dumps.pipeline_places import LoggedExecution, Pipeline, place


@dataclass(slots=True)
class LoggedRun:
    """The parts of a run that a log shows."""

    operations: Operations
    executions: list[LoggedExecution] = field(default_factory=list)
    execution_of: dict[Dump, LoggedExecution] = field(default_factory=dict)
    diagnostics: list[tuple[Diagnostic, LoggedExecution | None]] = field(
        default_factory=list
    )
    """The diagnostics, each with the execution that reported it if that is certain."""

    pipeline: str = ""
    before: StoredIR | None = None
    """The outermost operation before the first pass, if the log shows it."""

    after: StoredIR | None = None
    """The outermost operation after the last dump, if the log shows it."""


def logged_run(events: Sequence[Event], table: IRTable, *, is_cut: bool) -> LoggedRun:
    """Return the run that `events` show.

    Args:
        events: the dumps and diagnostics, in the order of the log.
        table: the IR of the dumps.
        is_cut: whether the log ended within a dump.
    """
    dumps = [event for event in events if isinstance(event, Dump)]
    run = LoggedRun(Operations(dumps))
    _pair(run, dumps)
    _nest(run, events)
    _place(run)
    _States(run, table).replay(dumps, is_cut=is_cut)
    return run


def _pair(run: LoggedRun, dumps: Sequence[Dump]) -> None:
    """Pair dumps before and after a pass into executions."""
    begun: dict[tuple[OperationPath, str], list[LoggedExecution]] = {}
    for dump in dumps:
        if dump.header.pass_name == PIPELINE:
            continue
        same = begun.setdefault((dump.path, dump.header.pass_text), [])
        if dump.header.is_after and same:
            execution = same.pop()
        else:
            execution = LoggedExecution(len(run.executions) + 1, dump)
            run.executions.append(execution)
        run.execution_of[dump] = execution
        if dump.header.is_after:
            execution.end = dump
            execution.status = "failed" if dump.header.has_failed else "succeeded"
        else:
            same.append(execution)


def _nest(run: LoggedRun, events: Iterable[Event]) -> None:
    """Find the execution around each other execution and each diagnostic."""
    active: dict[OperationPath, list[LoggedExecution]] = {}
    """The running executions that have a dump at their end, by operation."""

    def innermost(path: OperationPath) -> LoggedExecution | None:
        around = [path[:size] for size in range(len(path) + 1)]
        running = [active[place][-1] for place in around if place in active]
        return max(running, key=lambda execution: execution.number, default=None)

    num_settled = 0
    """The number of diagnostics whose source can no longer change."""

    for event in events:
        if isinstance(event, Diagnostic):
            deepest = max(active, key=len, default=())
            is_one_chain = all(deepest[: len(place)] == place for place in active)
            _add_diagnostic(run, event, innermost(deepest) if is_one_chain else None)
            continue
        execution = run.execution_of.get(event)
        if execution is not None:
            path = event.path
            if execution.is_interval and event is execution.end:
                active[path].remove(execution)
                if not active[path]:
                    del active[path]
            if event is execution.dump:
                execution.parent = innermost(path)
                if execution.is_interval:
                    active.setdefault(path, []).append(execution)
        if event.header.has_failed:
            # Tools print the errors of a failed pass before the IR after it.
            run.diagnostics[num_settled:] = [
                (diagnostic, source or execution)
                for diagnostic, source in run.diagnostics[num_settled:]
            ]
        num_settled = len(run.diagnostics)


def _add_diagnostic(
    run: LoggedRun, diagnostic: Diagnostic, source: LoggedExecution | None
) -> None:
    """Add a diagnostic, or append a note to the last diagnostic."""
    if diagnostic.severity == "note" and run.diagnostics:
        last, source = run.diagnostics.pop()
        diagnostic = replace(last, notes=(*last.notes, diagnostic))
    run.diagnostics.append((diagnostic, source))


def _place(run: LoggedRun) -> None:
    """Set the path of each execution, and the text of the pipeline."""
    operations = run.operations
    outermost = Pipeline(operations.name(()))
    for execution in run.executions:
        pipeline, outer = outermost, OperationPath()
        if execution.parent is not None:
            outer = execution.parent.dump.path
            if execution.parent.inside is None:
                execution.parent.inside = Pipeline(execution.parent.anchor)
            pipeline = execution.parent.inside
        around = operations.around(execution.dump.path, outer)
        if around:
            around[-1] = around[-1][0], execution.anchor
        pipeline.run_pass(around, execution)
    text = place([outermost], outermost.anchor)
    run.pipeline = f"{outermost.anchor}({text})"
    # The list has outer executions before inner ones, whose paths need theirs.
    for execution in run.executions:
        if execution.inside is not None:
            place([execution.inside], execution.path)


class _States:
    """The IR of all operations of a run, updated by each dump."""

    def __init__(self, run: LoggedRun, table: IRTable) -> None:
        self._run = run
        self._table = table
        self._latest: dict[OperationPath, StoredIR] = {}
        """The latest dump of each operation; one of a nested operation may be newer."""

        self._open: dict[OperationPath, LoggedExecution] = {}
        """The executions that have no dump after them yet."""

    def replay(self, dumps: Sequence[Dump], *, is_cut: bool) -> None:
        """Set the IR before and after each execution, and their statuses."""
        run = self._run
        has_silent_passes = False
        for dump in dumps:
            path, execution = dump.path, run.execution_of.get(dump)
            is_after = dump.header.is_after
            shown = () if run.operations.shows_outermost(dump) else path
            own = _inside(dump.ir, path[len(shown) :])
            if is_after and execution is not None and not execution.is_interval:
                execution.before = self._before(path, own)
            has_silent_passes |= self._set(shown, dump.ir, is_after=is_after)
            if dump is dumps[0] and not is_after and shown == ():
                run.before = dump.ir
            if execution is None:
                continue
            if is_after:
                execution.after = own
            else:
                execution.before = own
                if execution.end is None:
                    self._open[path] = execution
        run.after = self._current(())
        # If other passes have dumps after them, a pass without such a dump is running.
        has_pairs = any(execution.is_interval for execution in run.executions)
        if not is_cut and (has_silent_passes or not has_pairs):
            for execution in self._open.values():
                execution.status = "succeeded"

    def _set(self, path: OperationPath, row: StoredIR, *, is_after: bool) -> bool:
        """Note the IR of a dump; return whether a pass had ended without a dump."""
        self._latest[path] = row
        silent = self._open.pop(path, None)
        if silent is not None:
            silent.status = "succeeded"
            if not is_after:
                silent.after = row
        found = silent is not None
        for name, child in row.children:
            found |= self._set((*path, name), child, is_after=is_after)
        return found

    def _before(self, path: OperationPath, after: StoredIR) -> StoredIR | None:
        """Return the IR of an operation before the pass whose output is `after`.

        If earlier dumps show only its children, their IR is combined. Children without
        dumps of their own, such as global variables, count as unchanged.
        """
        if path in self._latest or not after.children:
            return self._current(path)
        shown = {
            name: ir
            for *around, name in filter(None, self._latest)
            if tuple(around) == path
            and (ir := self._current((*path, name))) is not None
        }
        if not shown:
            return None
        names = {ir.name for ir in shown.values()}
        children = {
            name: shown.get(name, child)
            for name, child in after.children
            if name in shown or child.name not in names
        }
        return self._table.with_children(after, tuple({**children, **shown}.items()))

    def _current(self, path: OperationPath) -> StoredIR | None:
        """Return the latest IR of an operation, with the latest IR of its children."""
        row = self._latest.get(path)
        if row is None or not row.children:
            return row
        children = tuple(
            (name, self._current((*path, name)) or child)
            for name, child in row.children
        )
        return self._table.with_children(row, children)


def _inside(row: StoredIR, path: OperationPath) -> StoredIR:
    """Return the operation at `path` in `row`, or `row` if there is none."""
    inside = row
    for name in path:
        found = dict(inside.children).get(name)
        if found is None:
            return row
        inside = found
    return inside
