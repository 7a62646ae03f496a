"""Recording: an instrumentation that writes what a run does to a SQLite file.

    with record(manager, "run.db"):
        manager.run(module)

Each pass is in the file before it runs, so the record of a process that was killed
says which pass ran. Rows come in the order of the operations, also with threads.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from traceback import format_exception
from typing import Concatenate, ParamSpec

from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import (
    UNKNOWN_LOCATION,
    Diagnostic,
    DiagnosticHandler,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    PassInstrumentation,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_statistics import declared_statistics
from passgen_runtime.run_record.ir_store import IRStore, names_of
from passgen_runtime.run_record.record_file import (
    insert,
    open_for_writing,
    versions,
)


@dataclass(slots=True)
class _Pipeline:
    """A pipeline that runs in a thread, on one operation."""

    path: str
    num_steps: int = 0
    """The passes and collections of it that have begun."""

    def next_step(self, name: str) -> str:
        """Return the path of the next pass or collection, called `name`."""
        path = f"{self.path}/{name}[{self.num_steps}]"
        self.num_steps += 1
        return path


@dataclass(slots=True)
class _Execution:
    """A pass that runs in a thread."""

    id: int
    path: str
    begin_s: float
    statistics: dict[str, int]


class _Thread:
    """What runs in a thread, outermost first."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.pipelines: list[_Pipeline] = []
        self.executions: list[_Execution] = []
        self.last: tuple[object, int] | None = None
        """The operation that the last pass ran on, and its IR after that."""


_Parameters = ParamSpec("_Parameters")


def _ends_on_error(
    write: Callable[Concatenate[Recording, _Parameters], None],
) -> Callable[Concatenate[Recording, _Parameters], None]:
    """Let a method do nothing after the record has ended, and end it on an error."""

    @wraps(write)
    def method(
        recording: Recording,
        /,
        *args: _Parameters.args,
        **kwargs: _Parameters.kwargs,
    ) -> None:
        if recording.is_closed:
            return
        try:
            write(recording, *args, **kwargs)
        except sqlite3.Error as error:
            recording.abandon(error)

    return method


class Recording(PassInstrumentation):
    """Writes the runs of a pass manager to a record."""

    def __init__(
        self, manager: PassManager, path: Path, *, appends: bool = False
    ) -> None:
        """Begin the record at `path`, or go on with it.

        Args:
            manager: the pass manager whose runs are recorded.
            path: of the file; a record that is there is replaced.
            appends: whether the record that is there is kept instead.

        Raises:
            RecordError: the file cannot be written, or is no record.
        """
        self._manager = manager
        self._context = manager.context
        self._path = path
        self._lock = threading.RLock()
        self._connection = open_for_writing(path, appends=appends)
        self.is_closed = False
        """Whether nothing more is written."""

        self._run_id = 0
        self._begin_s = 0.0
        self._num_executions = 0
        self._positions: dict[int, int] = {}
        """The place of each running execution, in the order of one thread."""

        self._store = IRStore(self._context, self._connection)
        self._ids: dict[tuple[str, str], int] = {}
        """The rows of passes and operations of the run."""

        self._paths: dict[Hashable, tuple[str | None, str]] = {}
        """The symbol and the path of each operation that was met."""

        self._threads: dict[int, _Thread] = {}
        self._collections: dict[PipelineCollection, str] = {}
        self._reporting: int | None = None
        """The execution whose diagnostics are reported now."""

        self._root: Operation = None
        self._handler: DiagnosticHandler | None = None
        """The handler that the run had before it was recorded."""

    def __repr__(self) -> str:
        """Return where it writes, and whether it has ended."""
        state = "ended" if self.is_closed else "open"
        return f"<Recording to '{self._path}', {state}>"

    def close(self, error: BaseException | None = None) -> None:
        """End the record.

        Args:
            error: what ended the last run.
        """
        with self._lock:
            if self.is_closed:
                return
            try:
                self._restore_handler()
                if error is not None:
                    self._end_run("failed", error)
                # One file is left then.
                self._connection.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.Error as problem:
                self.abandon(problem)
            self.is_closed = True
            self._connection.close()

    def abandon(self, error: sqlite3.Error) -> None:
        """Write no more, because of `error`; the run goes on."""
        self.is_closed = True
        self._connection.close()
        self._restore_handler()
        message = f"the run is no longer recorded: cannot write '{self._path}': {error}"
        self._context.handle(Diagnostic("warning", message, UNKNOWN_LOCATION))

    # Runs and pipelines.

    @_ends_on_error
    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Begin the run, or note which pass or collection runs a nested pipeline."""
        thread = self._thread
        if parent.is_outermost:
            self._begin_run()
            thread = self._thread
            path = anchor
        elif parent.collection is not None:
            path = self._collections[parent.collection].replace("*", anchor)
        else:
            path = f"{thread.executions[-1].path}/{anchor}"
        thread.pipelines.append(_Pipeline(path))
        thread.last = None

    @_ends_on_error
    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """End the run if it is its pipeline that has ended."""
        del anchor
        thread = self._thread
        thread.pipelines.pop()
        thread.last = None
        if parent.is_outermost:
            self._restore_handler()
            failed = "SELECT 1 FROM execution WHERE run_id = ? AND status = 'failed'"
            is_failed = self._connection.execute(failed, (self._run_id,)).fetchone()
            self._end_run("failed" if is_failed else "succeeded")

    @_ends_on_error
    def run_before_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Note the place of nested pipelines."""
        self._note_root(operation)
        # Each of the pipelines puts its anchor in the place of the star.
        self._collections[collection] = self._thread.pipelines[-1].next_step("*")

    @_ends_on_error
    def run_after_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Forget the place of nested pipelines."""
        del operation
        self._collections.pop(collection, None)

    # Passes.

    @_ends_on_error
    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Write that `pass_` begins to run."""
        with self._lock:
            self._note_root(operation)
            thread = self._thread
            path = thread.pipelines[-1].next_step(pass_.argument or pass_.name)
            execution_id = insert(
                self._connection,
                "execution",
                run_id=self._run_id,
                pass_id=self._id_of_pass(path, pass_),
                operation_id=self._id_of_operation(operation),
                parent_id=thread.executions[-1].id if thread.executions else None,
                status="running",
                thread=thread.number,
                begin_s=self._now_s(),
                before_id=self._ir_before(operation, thread),
            )
            self._connection.commit()
        statistics = _statistics(pass_)
        self._context.in_order(lambda: self._enter(execution_id))
        thread.executions.append(
            _Execution(execution_id, path, self._now_s(), statistics)
        )

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Write that `pass_` has succeeded."""
        self._end_pass(pass_, operation, "succeeded")

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Write that `pass_` has failed."""
        self._end_pass(pass_, operation, "failed")

    def _enter(self, execution_id: int) -> None:
        """Note the place of an execution, and that diagnostics are its own now."""
        self._num_executions += 1
        self._positions[execution_id] = self._num_executions
        self._reporting = execution_id

    @_ends_on_error
    def _end_pass(self, pass_: Pass, operation: Operation, status: str) -> None:
        end_s = self._now_s()
        thread = self._thread
        execution = thread.executions.pop()
        around = thread.executions[-1].id if thread.executions else None
        with self._lock:
            after_id = self._store.store(operation, is_valid=status == "succeeded")
        thread.last = self._context.key(operation), after_id
        counts = [
            (execution.id, name, value - execution.statistics[name])
            for name, value in _statistics(pass_).items()
        ]

        @_ends_on_error
        def write(self: Recording) -> None:
            with self._lock:
                self._connection.execute(
                    "UPDATE execution SET position = ?, status = ?, begin_s = ?,"
                    " end_s = ?, after_id = ? WHERE id = ?",
                    (
                        self._positions.pop(execution.id),
                        status,
                        execution.begin_s,
                        end_s,
                        after_id,
                        execution.id,
                    ),
                )
                self._connection.executemany(
                    "INSERT INTO statistic VALUES (?, ?, ?)", counts
                )
            self._reporting = around

        self._context.in_order(lambda: write(self))

    def _ir_before(self, operation: Operation, thread: _Thread) -> int:
        """Return the row of the IR that a pass gets; the last pass may have left it."""
        if thread.last is not None and thread.last[0] == self._context.key(operation):
            return thread.last[1]
        return self._store.store(operation)

    # The run.

    def _begin_run(self) -> None:
        manager = self._manager
        with self._lock:
            self._restore_handler()
            self._ids.clear()
            self._paths.clear()
            self._threads.clear()
            self._collections.clear()
            self._store = IRStore(self._context, self._connection)
            self._num_executions = 0
            self._positions.clear()
            self._root = None
            self._begin_s = time.perf_counter()
            settings = {
                "verify_each": manager.verify_each,
                "is_multithreaded": manager.is_multithreaded,
            }
            self._run_id = insert(
                self._connection,
                "run",
                pipeline=str(manager),
                settings=json.dumps(settings),
                versions=json.dumps(versions(type(self._context).__module__)),
                process_id=os.getpid(),
                status="running",
            )
            self._connection.commit()
        self._handler = self._context.diagnostic_handler
        self._context.diagnostic_handler = self._handle

    def _note_root(self, operation: Operation) -> None:
        """Store the IR before the first pass, which gets the outermost operation."""
        if self._root is not None:
            return
        with self._lock:
            self._root = operation
            self._connection.execute(
                "UPDATE run SET operation_id = ?, before_id = ? WHERE id = ?",
                (
                    self._id_of_operation(operation),
                    self._store.store(operation),
                    self._run_id,
                ),
            )

    def _end_run(self, status: str, error: BaseException | None = None) -> None:
        """Write how the run has ended; the IR after it only the first time."""
        with self._lock:
            root, self._root = self._root, None
            if root is not None:
                after_id = self._store.store(root, is_valid=status == "succeeded")
                self._connection.execute(
                    "UPDATE run SET wall_time_s = ?, after_id = ? WHERE id = ?",
                    (self._now_s(), after_id, self._run_id),
                )
            text = None
            if error is not None:
                text = "".join(format_exception(error))
            self._connection.execute(
                "UPDATE run SET status = ?, error = ? WHERE id = ?",
                (status, text, self._run_id),
            )
            self._connection.commit()

    # Diagnostics.

    def _handle(self, diagnostic: Diagnostic) -> None:
        handler = self._handler
        self._note_diagnostic(diagnostic)
        if handler is not None:
            handler(diagnostic)

    @_ends_on_error
    def _note_diagnostic(self, diagnostic: Diagnostic) -> None:
        with self._lock:
            self._insert_diagnostic(diagnostic, None)

    def _insert_diagnostic(self, diagnostic: Diagnostic, parent: int | None) -> None:
        row = insert(
            self._connection,
            "diagnostic",
            run_id=self._run_id,
            execution_id=self._reporting,
            severity=diagnostic.severity,
            message=diagnostic.message,
            location=diagnostic.location,
            parent_id=parent,
        )
        for note in diagnostic.notes:
            self._insert_diagnostic(note, row)

    def _restore_handler(self) -> None:
        handler, self._handler = self._handler, None
        if handler is not None and self._context.diagnostic_handler == self._handle:
            self._context.diagnostic_handler = handler

    # Rows.

    @property
    def _thread(self) -> _Thread:
        thread_id = threading.get_ident()
        thread = self._threads.get(thread_id)
        if thread is None:
            thread = self._threads[thread_id] = _Thread(len(self._threads))
        return thread

    def _now_s(self) -> float:
        return time.perf_counter() - self._begin_s

    def _id_of_pass(self, path: str, pass_: Pass) -> int:
        def columns() -> dict[str, object]:
            return {
                "argument": pass_.argument,
                "name": pass_.name,
                "text": str(pass_),
            }

        return self._id("pass", path, columns)

    def _id_of_operation(self, operation: Operation) -> int:
        def columns() -> dict[str, object]:
            return {
                "name": self._context.name(operation),
                "location": self._context.location(operation),
            }

        return self._id("operation", self._path_of(operation), columns)

    def _id(
        self, table: str, path: str, columns: Callable[[], dict[str, object]]
    ) -> int:
        key = table, path
        if key not in self._ids:
            self._ids[key] = insert(
                self._connection, table, run_id=self._run_id, path=path, **columns()
            )
        return self._ids[key]

    def _path_of(self, operation: Operation) -> str:
        """Return the symbols around and of `operation`: `@outer/@f`."""
        context = self._context
        key, symbol = context.key(operation), context.symbol_name(operation)
        known = self._paths.get(key)
        if known is None or known[0] != symbol:
            known = self._paths[key] = symbol, self._new_path_of(operation, symbol)
        return known[1]

    def _new_path_of(self, operation: Operation, symbol: str | None) -> str:
        context = self._context
        parent = context.parent(operation)
        part = f"@{symbol}"
        if parent is None:
            return context.name(operation) if symbol is None else part
        if symbol is None:
            siblings = context.children(parent)
            key = context.key(operation)
            index = [context.key(each) for each in siblings].index(key)
            part = names_of(context, siblings)[index]
        if context.parent(parent) is None and context.symbol_name(parent) is None:
            return part
        return f"{self._path_of(parent)}/{part}"


def _statistics(pass_: Pass) -> dict[str, int]:
    return {each.display_name: int(each) for each in declared_statistics(pass_)}


def enable_recording(
    manager: PassManager, path: str | Path, *, appends: bool = False
) -> Recording:
    """Let `manager` write all runs from now on to a record at `path`.

    `Recording.close` ends the record; `record` does so by itself.

    Args:
        manager: the pass manager.
        path: of the file; a record that is there is replaced.
        appends: whether the record that is there is kept instead.

    Raises:
        RecordError: the file cannot be written, or is no record.
    """
    recording = Recording(manager, Path(path), appends=appends)
    manager.add_instrumentation(recording)
    return recording


@contextlib.contextmanager
def record(
    manager: PassManager, path: str | Path, *, appends: bool = False
) -> Iterator[Recording]:
    """Record the runs of `manager` during the block, as `enable_recording` does.

    The exception that ends the block becomes a part of the record.

    Raises:
        RecordError: the file cannot be written, or is no record.
    """
    recording = enable_recording(manager, path, appends=appends)
    try:
        yield recording
    except BaseException as error:
        recording.close(error)
        raise
    recording.close()
