"""The instrumentation that listens to runs, and makes the rows of their record."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from importlib import metadata
from traceback import StackSummary, TracebackException
from typing import Any

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
    IRRow,
    WriteRow,
)
from passgen_runtime.extensions.record.worker_part import (
    ROW_CLASSES,
    BeginPipeline,
    EndPipeline,
    WorkerListener,
    WorkerRow,
)
from passgen_runtime.extensions.worker_parts import (
    PlainData,
    WorkerPart,
    register_part,
)
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_statistics import declared_statistics


class RunListener(PassListener, WorkerPart):
    """Listens to the runs of a pass manager; passes rows on, as plain data.

    It is its own part: a worker sends the rows of one pipeline after another.
    """

    factory = f"{WorkerListener.__module__}:{WorkerListener.__name__}"

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

        self._moves: dict[str, Callable[[Any], object]] = {}
        """What makes the fields of a worker's rows those of the run."""

        self._ended: set[str] = set()
        """The paths of passes that have ended."""

        self._maxima: defaultdict[str, dict[str, int]] = defaultdict(dict)
        """The maxima that statistics keep, by the paths of passes.

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
        self._ended.clear()
        self._maxima.clear()
        self._begin_time_s = time.time()
        settings: dict[str, object] = {
            "verify_each": manager.verify_each,
            "is_multithreaded": manager.is_multithreaded,
        }
        if self._command:
            settings["command"] = list(self._command)
        versions = _versions(type(self._context).__module__)
        texts = json.dumps(settings), json.dumps(versions)
        self._write(BeginRun(str(manager), *texts, os.getpid()))
        self._handler = self._context.diagnostic_handler
        self._context.diagnostic_handler = self._handle

    def _end_run(
        self,
        status: str,
        ir: str | None = None,
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
        is_first = path not in self._ended
        self._ended.add(path)
        known, statistics = self._maxima[path], {}
        for name, count in row.statistics.items():
            added = count
            if name in row.maxima:
                value = row.maxima[name]
                before = max(known.get(name, 0), value - count)
                known[name] = max(before, value)
                added = known[name] - before
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
        kind, *values = data
        row_class, moves = ROW_CLASSES[kind], self._moves
        for place, name in enumerate(row_class._fields):
            if name in moves:
                values[place] = moves[name](values[place])
        row: WorkerRow = row_class(*values)
        thread = self._thread_of(worker)
        match row:
            case BeginPipeline():
                thread.executions.clear()
                self._moves = self._moves_after(row, thread.number, operation)
            case IRRow():
                self._store.take(row)
            case BeginExecution(number, path, text=text):
                if path not in self._maxima:
                    self._maxima[path] = self._maxima_before(text)
                self._num_executions += 1
                self._num_positions += 1
                thread.executions.append(OpenExecution(number, path))
                self._write(row)
                self._reporting = number
            case EndExecution(status=status):
                self._has_failed |= status == "failed"
                self._write_end(row, thread.executions.pop().path)
                running = thread.running
                self._reporting = self._thread.running if running is None else running
            case EndPipeline(ir):
                self._moves = {}
                self._paths = OperationPaths(self._context)  # others are inside now
                if self._collection.parts:
                    ir = self._store.store(operation) if ir is None else ir
                    self._collection.parts[self._context.key(operation)] = ir

    def _moves_after(
        self, begin: BeginPipeline, thread: int, operation: Operation
    ) -> dict[str, Callable[[Any], object]]:
        """Return what makes fields of the rows after `begin` those of the run."""
        first, first_position = self._num_executions, self._num_positions
        parent = self._thread.running
        pipeline = self._collection.path.replace("*", begin.anchor)
        begin_s = max(0.0, begin.time_s - self._begin_time_s)
        return {
            "number": first.__add__,
            "position": first_position.__add__,
            "parent": lambda number: parent if number is None else first + number,
            "thread": lambda _: thread,
            "path": pipeline.__add__,
            "operation": cache(lambda path: self._paths.complete(path, operation)),
            "begin_s": begin_s.__add__,
            "end_s": begin_s.__add__,
        }

    def run_after_loss(
        self, pipeline: str, pass_name: str, operation: Operation
    ) -> None:
        """Write that a pass, or a pipeline, has not ended on `operation`."""
        self._has_failed = True
        path = self._collection.path.replace("*", pipeline.partition("(")[0])
        if pass_name:
            path = f"{path}/{pass_name}"  # it may be there more than once
        ir = self._collection.parts.get(self._context.key(operation))
        before = self._store.store(operation) if ir is None else ir
        described = "", pass_name or pipeline, pipeline
        self._write_begin(path, described, self._describe(operation), before)

    @property
    def _collection(self) -> Collection:
        """The collection whose pipelines run in workers now."""
        collection = self._thread.pipelines[-1].collection
        assert collection is not None
        return collection

    def _maxima_before(self, text: str) -> dict[str, int]:
        """Return the maxima that a pass keeps from earlier runs."""
        maxima: dict[str, int] = {}
        for pass_ in self._manager.passes():
            if str(pass_) == text:
                for statistic in declared_statistics(pass_):
                    # Another pass of the same text may have seen more.
                    known = maxima.get(statistic.display_name, statistic.value)
                    maxima[statistic.display_name] = min(known, statistic.value)
        return maxima


register_part(RunListener, lambda listener: listener)


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
