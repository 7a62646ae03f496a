"""The instrumentation that listens to runs, and makes the rows of their record."""

from __future__ import annotations

import contextlib
import os
import platform
import time
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from traceback import StackSummary, TracebackException

from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import Diagnostic, DiagnosticHandler
from passgen_runtime.extensions.record.operation_paths import OperationPaths
from passgen_runtime.extensions.record.pass_listener import (
    Collection,
    OpenExecution,
    OpenPipeline,
    PassListener,
)
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
    WriteRow,
)
from passgen_runtime.extensions.record.worker_part import (
    BeginPipeline,
    EndPipeline,
    Relocation,
    WorkerListener,
    WorkerRow,
    row_of,
)
from passgen_runtime.extensions.worker_parts import (
    PlainData,
    WorkerPart,
    register_part,
)
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_statistics import declared_statistics


class RunListener(PassListener):
    """Listens to the runs of a pass manager; passes rows on, as plain data."""

    def __init__(
        self, manager: PassManager, write: WriteRow, command: Sequence[str] = ()
    ) -> None:
        """Listen to `manager` once it is added there.

        Args:
            manager: the pass manager.
            write: takes the rows.
            command: the driver that runs the passes, with the flags that they need.
        """
        super().__init__(manager.context, write)
        self._command = command
        self._manager = manager
        self._handler: DiagnosticHandler | None = None
        """The handler that the run had before it was recorded."""

        self._begin_time_s = 0.0
        """When the run has begun, by the clock that machines share."""

        self._relocation: Relocation | None = None
        """Of the rows that are taken from a worker."""

        self._maxima: dict[tuple[str, str], int] = {}
        """The maxima that statistics of the run keep, by the path of the pass and name.

        The passes of workers do not know them.
        """

    def stop(self, error: BaseException | None = None) -> None:
        """Listen no more; `error` has ended the last run."""
        self._restore_handler()
        with contextlib.suppress(ValueError):  # it was never added
            self._manager.remove_instrumentation(self)
        if error is not None:
            self._end_run("failed", error=error)

    # The run.

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Begin the run, or note which pass or collection runs a nested pipeline."""
        if parent.is_outermost:
            self._begin_run()
            self._thread.pipelines.append(OpenPipeline(anchor, {}))
        else:
            super().run_before_pipeline(anchor, parent)

    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """End the run if it is its pipeline that has ended."""
        ir = self._thread.pipelines[-1].ir
        super().run_after_pipeline(anchor, parent)
        if parent.is_outermost:
            self._restore_handler()
            self._end_run("failed" if self._has_failed else "succeeded", ir)

    def _begin_run(self) -> None:
        manager = self._manager
        self._restore_handler()
        self._begin()
        self._maxima.clear()
        self._begin_time_s = time.time()
        settings: dict[str, object] = {
            "verify_each": manager.verify_each,
            "is_multithreaded": manager.is_multithreaded,
        }
        if self._command:
            settings["command"] = list(self._command)
        self._write(
            BeginRun(
                str(manager),
                settings,
                _versions(type(self._context).__module__),
                os.getpid(),
            )
        )
        self._handler = self._context.diagnostic_handler
        self._context.diagnostic_handler = self._handle

    def _begin_root(self, operation: Operation, ir: bytes) -> None:
        super()._begin_root(operation, ir)
        self._write(InputOfRun(self._note_operation(operation), ir))

    def _end_run(
        self,
        status: str,
        ir: bytes | None = None,
        error: BaseException | None = None,
    ) -> None:
        """Write how the run has ended; the IR after it only the first time.

        Args:
            status: of the run.
            ir: the digest of the IR, where that is known.
            error: what ended it.
        """
        text = None if error is None else _text_with_stacks(error)
        row = EndRun(status, text)
        root, self._root = self._root, None
        if root is not None:
            if ir is None:
                ir = self._store.store(root, is_valid=status == "succeeded")
            row = EndRun(status, text, self._now_s(), ir)
        self._write(row)

    def _write_end(self, row: EndExecution, path: str) -> None:
        """Write the end of a pass; zeros of its statistics only the first time."""
        is_first = self._is_new(EndExecution, path)
        statistics: dict[str, int] = {}
        for name, count in row.statistics.items():
            added = count
            if name in row.maxima:
                value, key = row.maxima[name], (path, name)
                before = max(self._maxima.get(key, 0), value - count)
                self._maxima[key] = max(before, value)
                added = self._maxima[key] - before
            if added or is_first:
                statistics[name] = added
        self._write(row._replace(statistics=statistics))

    # Diagnostics.

    def _handle(self, diagnostic: Diagnostic) -> None:
        handler = self._handler
        self._write(DiagnosticRow(self._reporting, diagnostic))
        if handler is not None:
            handler(diagnostic)

    def _restore_handler(self) -> None:
        handler, self._handler = self._handler, None
        if handler is not None and self._context.diagnostic_handler == self._handle:
            self._context.diagnostic_handler = handler

    # Workers.

    def take(self, data: PlainData, worker: str, operation: Operation) -> None:
        """Write a row of the pipeline that a worker has run on `operation`."""
        row = row_of(data)
        if isinstance(row, BeginPipeline):
            self._relocation = self._place_after(row, worker, operation)
            return
        assert self._relocation is not None
        if not isinstance(row, EndPipeline):
            self._take(self._relocation.move(row), self._relocation)
            return
        self._relocation = None
        self._paths = OperationPaths(self._context)  # other operations are inside now
        collection = self._collection
        if collection.parts:
            ir = self._store.store(operation) if row.ir is None else row.ir
            collection.parts[self._context.key(operation)] = ir

    def run_after_loss(
        self, pipeline: str, pass_name: str, operation: Operation
    ) -> None:
        """Write that a pass, or a pipeline, has not ended on `operation`."""
        self._has_failed = True
        collection, thread = self._collection, self._thread
        path = collection.path.replace("*", pipeline.partition("(")[0])
        if pass_name:
            path = f"{path}/{pass_name}"  # it may be there more than once
        if self._is_new(PassRow, path):
            self._write(PassRow(path, "", pass_name or pipeline, pipeline))
        ir = collection.parts.get(self._context.key(operation))
        before = self._store.store(operation) if ir is None else ir
        self._num_executions += 1
        self._write(
            BeginExecution(
                self._num_executions,
                path,
                self._note_operation(operation),
                thread.executions[-1].number if thread.executions else None,
                thread.number,
                self._now_s(),
                before,
            )
        )

    @property
    def _collection(self) -> Collection:
        """The collection whose pipelines run in workers now."""
        collection = self._thread.pipelines[-1].collection
        assert collection is not None
        return collection

    def _place_after(
        self, begin: BeginPipeline, worker: str, operation: Operation
    ) -> Relocation:
        """Return the place for the rows of a worker that come after `begin`."""
        executions = self._thread.executions
        thread = self._thread_of(worker)
        thread.executions.clear()
        return Relocation(
            pipeline=self._collection.path.replace("*", begin.anchor),
            operation_path=cache(lambda path: self._paths.complete(path, operation)),
            parent=executions[-1].number if executions else None,
            num_executions=self._num_executions,
            num_positions=self._num_positions,
            thread=thread,
            begin_s=max(0.0, begin.time_s - self._begin_time_s),
        )

    def _take(self, row: WorkerRow, relocation: Relocation) -> None:
        executions = relocation.thread.executions
        match row:
            case IRRow():
                self._store.take(row)
            case PassRow(path):
                if self._is_new(PassRow, path):
                    self._note_maxima(row)
                    self._write(row)
            case OperationRow(path):
                if self._is_new(OperationRow, path):
                    self._write(row)
            case BeginExecution(number, path):
                self._num_executions += 1
                self._num_positions += 1
                executions.append(OpenExecution(number, path, row.begin_s, []))
                self._write(row)
                self._reporting = number
            case EndExecution():
                self._has_failed |= row.status == "failed"
                self._write_end(row, executions.pop().path)
                self._reporting = (
                    executions[-1].number if executions else relocation.parent
                )

    def _note_maxima(self, row: PassRow) -> None:
        """Note the maxima that a pass keeps from earlier runs."""
        for pass_ in self._manager.passes():
            if str(pass_) == row.text:
                for statistic in declared_statistics(pass_):
                    key = row.path, statistic.display_name
                    # Another pass of the same text may have seen more.
                    known = self._maxima.get(key, statistic.value)
                    self._maxima[key] = min(known, statistic.value)


class ListenerPart(WorkerPart):
    """The part of a listener: a worker sends the rows of one pipeline after another."""

    factory = f"{WorkerListener.__module__}:{WorkerListener.__name__}"

    def __init__(self, listener: RunListener) -> None:
        """Give rows to `listener`."""
        self._listener = listener

    def take(self, data: PlainData, worker: str, operation: Operation) -> None:
        """Write a row of the pipeline that a worker has run on `operation`."""
        self._listener.take(data, worker, operation)

    def run_after_loss(
        self, pipeline: str, pass_name: str, operation: Operation
    ) -> None:
        """Write that a pass, or a pipeline, has not ended on `operation`."""
        self._listener.run_after_loss(pipeline, pass_name, operation)


register_part(RunListener, ListenerPart)


def _text_with_stacks(error: BaseException) -> str:
    """Return `error` and its causes with their stacks, also of those in workers."""
    shown = TracebackException.from_exception(error)
    summary: TracebackException | None = shown
    cause: BaseException | None = error
    while summary is not None and cause is not None:
        frames = getattr(cause, "frames_in_worker", None)
        if frames:
            summary.stack = StackSummary.from_list(frames)
        summary, cause = summary.__cause__, cause.__cause__
    return "".join(shown.format())


def _versions(context_module: str) -> dict[str, str]:
    """Return the versions of what runs: Python, the runtime, and the IR library."""
    versions = {"python": platform.python_version(), "context": context_module}
    for name in ("mlir-passgen-runtime", "xdsl"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
