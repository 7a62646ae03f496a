"""Recording: the instrumentation that writes the record of runs.

    with record(manager, "run.db"):
        manager.run(module)

The begin of a pass is in the file before the pass runs, so the record of a killed
process shows the running pass. Passes in workers are written with their results. Ends
of passes have the order of one thread, also with threads and workers.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata
from itertools import chain
from pathlib import Path
from traceback import StackSummary, TracebackException
from typing import Final, NamedTuple, Self

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic, DiagnosticHandler
from passgen_runtime.errors import IRError, PassFailure
from passgen_runtime.ir.digests import NO_RESOURCES, Resources
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_statistics import declared_statistics
from passgen_tools.ir_libraries import ir_libraries
from passgen_tools.record import rows
from passgen_tools.record.operation_paths import OperationPaths
from passgen_tools.record.pass_listener import (
    Collection,
    OpenExecution,
    OpenPipeline,
    PassListener,
)
from passgen_tools.record.record_file import RecordFile
from passgen_tools.record.worker_part import (
    BeginPipeline,
    Conversions,
    EndPipeline,
    WorkerListener,
    row_of,
)
from passgen_tools.worker_parts import PlainData, WorkerPart, register_part


class RecordedResources(NamedTuple):
    """The resources that a record has."""

    external: Resources = NO_RESOURCES
    """The resources of the input's file that no dialect owns, as literals by owner and
    key; they are no part of the IR."""

    has_contents: bool = True
    """Whether the record has their contents, which a run needs that goes on from it. If
    not, it has only their digests, by which it can be compared."""


_ALL_RESOURCES: Final = RecordedResources()


class Recording(PassListener, WorkerPart):
    """Records the runs of a pass manager.

    It is its own part for workers: it takes the rows that they send.
    """

    factory = f"{WorkerListener.__module__}:{WorkerListener.__name__}"

    def __init__(
        self,
        manager: PassManager,
        file: RecordFile,
        command: Sequence[str],
        resources: RecordedResources,
    ) -> None:
        """Record the runs of `manager` in `file`; see `record`."""
        self._file = file
        self._resources = resources
        self._lock = threading.RLock()
        self.is_closed = False
        """Whether the recording has ended."""

        super().__init__(manager.context, self._write_row)
        self._command = command
        self._manager = manager
        self._handler: DiagnosticHandler | None = None
        """The diagnostic handler that the recording has replaced."""

        self._begin_time_s = 0.0
        """The time of day when the run began."""

        self._has_begun = False
        """Whether the record has a run of the manager."""

        self._conversions: Conversions = {}
        """Functions that convert the fields of a worker's rows to those of the run."""

        self._ended: set[str] = set()
        """The paths of passes that have ended."""

        self._maxima: defaultdict[str, dict[str, int]] = defaultdict(dict)
        """The maxima of statistics in the whole run, by the paths of passes.

        A pass in a worker knows only the maxima of its own executions.
        """

        manager.add_instrumentation(self)
        self._counted_optional = manager.counts_optional
        manager.counts_optional = True

    def __repr__(self) -> str:
        """Return the path, and whether the recording has ended."""
        state = "ended" if self.is_closed else "open"
        return f"<Recording to '{self._file.path}', {state}>"

    def __enter__(self) -> Self:
        """Return the recording, which the end of the block closes."""
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """End the record; write the exception that ends the block, if any."""
        self.close(error)

    def close(self, error: BaseException | None = None) -> None:
        """End the record.

        Args:
            error: the exception that ended the last run.
        """
        self._restore_handler()
        with contextlib.suppress(ValueError):  # a user may have removed it
            self._manager.remove_instrumentation(self)
            self._manager.counts_optional = self._counted_optional
        if error is not None:
            if not self._has_begun:  # the run ended before its first pass
                self._write_run()
            self._end_run("failed", error=error)
        with self._writing() as is_open:
            self.is_closed = True
            if is_open:
                self._file.close()

    def _write_row(self, row: rows.Row) -> None:
        if isinstance(row, rows.ResourceRow) and not self._resources.has_contents:
            row = row._replace(content=None)
        with self._writing() as is_open:
            if is_open:
                self._file.write(row)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[bool]:
        """Lock the file; yield whether it is open.

        If it cannot be written, warn and stop recording; the run continues.
        """
        with self._lock:
            try:
                yield not self.is_closed
            except (OverflowError, sqlite3.Error) as error:
                self.is_closed = True
                self._file.connection.close()
                reason = f"cannot write '{self._file.path}': {error}"
                message = f"the run is no longer recorded: {reason}"
                self._context.handle(Diagnostic("warning", message, UNKNOWN_LOCATION))

    # The run.

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Begin the run, or note a nested pipeline."""
        if parent.is_outermost:
            self._begin_run()
            self._thread.pipelines.append(OpenPipeline(anchor))
        else:
            super().run_before_pipeline(anchor, parent)

    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """End the run with its outermost pipeline."""
        ir = self._thread.pipelines[-1].ir
        super().run_after_pipeline(anchor, parent)
        if parent.is_outermost:
            self._restore_handler()
            self._end_run("failed" if self._has_failed else "succeeded", ir)

    def _begin_run(self) -> None:
        self._restore_handler()
        self._begin()
        self._ended.clear()
        self._maxima.clear()
        self._begin_time_s = time.time()
        self._write_run()
        self._handler = self._context.diagnostic_handler
        self._context.diagnostic_handler = self._handle

    def _write_run(self) -> None:
        manager = self._manager
        self._has_begun = True
        settings: dict[str, object] = {
            "verify_each": bool(manager.verify_each),
            "is_multithreaded": manager.is_multithreaded,
        }
        if self._command:
            settings["command"] = list(self._command)
        texts = json.dumps(settings), versions(self._context)
        self._write(rows.BeginRun(str(manager), *texts, os.getpid()))
        external = self._resources.external.items()
        for position, (name, literal) in enumerate(external):
            content = rows.resource_row(literal)
            self._store.take(content)
            self._write(rows.ExternalResourceRow(position, *name, content.digest))

    def _end_run(
        self, status: str, ir: str | None = None, error: BaseException | None = None
    ) -> None:
        """Write how the run has ended; a second call writes no time and no IR.

        Args:
            status: the status of the run.
            ir: the digest of the IR, if known.
            error: the exception that ended the run.
        """
        text = None if error is None else _error_text(error)
        row = rows.EndRun(status, text)
        root, self._root = self._root, None
        if root is not None:
            if ir is None:
                ir = self._store.store(root, is_valid=status == "succeeded")
            row = rows.EndRun(status, text, self._now_s(), ir)
        self._write(row)

    def _write_end(self, row: rows.EndExecution, path: str) -> None:
        """Write the end of a pass; only its first end writes statistics that are 0."""
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
        self._write(rows.DiagnosticRow(self._reporting, diagnostic))
        if handler is not None:
            handler(diagnostic)

    def _restore_handler(self) -> None:
        handler, self._handler = self._handler, None
        if handler is not None and self._context.diagnostic_handler == self._handle:
            self._context.diagnostic_handler = handler

    # Workers.

    def take(self, data: PlainData, worker: str, operation: Operation) -> None:
        """Write a row of the pipeline that a worker has run on `operation`."""
        row = row_of(data, self._conversions)
        thread = self._thread_of(worker)
        match row:
            case BeginPipeline():
                thread.executions.clear()
                conversions = self._conversions_after(row, thread.number, operation)
                self._conversions = conversions
            case rows.IRRow() | rows.ResourceRow():
                self._store.take(row)
            case rows.BeginExecution(number, path, text=text):
                if path not in self._maxima:
                    self._maxima[path] = self._maxima_before(text)
                self._num_executions += 1
                self._num_positions += 1
                thread.executions.append(OpenExecution(number, path))
                self._write(row)
                self._reporting = number
            case rows.RemarkRow():
                self._write(row)
            case rows.EndExecution(status=status):
                self._has_failed |= status == "failed"
                self._write_end(row, thread.executions.pop().path)
                running = thread.running
                self._reporting = self._thread.running if running is None else running
            case EndPipeline(ir):
                self._conversions = {}
                self._paths = OperationPaths(self._context)  # the operation is another
                if ir is not None:
                    self._store.set_latest(operation, ir)
                elif self._collection.is_in_module:
                    self._store.store(operation)

    def _conversions_after(
        self, begin: BeginPipeline, thread: int, operation: Operation
    ) -> Conversions:
        """Return the conversions for the rows that follow `begin`."""
        first, first_position = self._num_executions, self._num_positions
        parent = self._thread.running
        pipeline = self._collection.path.replace("*", begin.anchor)
        begin_s = max(0.0, begin.time_s - self._begin_time_s)
        return {
            "number": first.__add__,
            "position": first_position.__add__,
            "running": lambda number: parent if number is None else first + number,
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
        """Write the begin of a pass, or of a pipeline, that has ended its worker."""
        self._has_failed = True
        path = self._collection.path.replace("*", pipeline.partition("(")[0])
        if pass_name:
            path = f"{path}/{pass_name}"  # without an index: it may not be unique
        is_known = self._collection.is_in_module
        before = (self._store.latest if is_known else self._store.store)(operation)
        described = "", pass_name or pipeline, pipeline
        self._write_begin(path, described, self._describe(operation), before)

    @property
    def _collection(self) -> Collection:
        """The collection whose pipelines run in workers now."""
        collection = self._thread.pipelines[-1].collection
        assert collection is not None
        return collection

    def _maxima_before(self, text: str) -> dict[str, int]:
        """Return the maxima that a pass has from earlier runs."""
        maxima: dict[str, int] = {}
        for pass_ in self._manager.passes():
            if str(pass_) == text:
                for statistic in declared_statistics(pass_):
                    # Several passes may have the same text: take the least maximum.
                    known = maxima.get(statistic.display_name, statistic.value)
                    maxima[statistic.display_name] = min(known, statistic.value)
        return maxima


register_part(Recording, lambda recording: recording)


def record(
    manager: PassManager,
    path: str | Path,
    *,
    appends: bool = False,
    command: Sequence[str] = (),
    resources: RecordedResources = _ALL_RESOURCES,
) -> Recording:
    """Record the runs of `manager` during a `with` block, or until `Recording.close`.

    The record includes the exception that ends the block.

    Args:
        manager: the pass manager.
        path: the file; an existing record is replaced.
        appends: whether an existing record is kept.
        command: the driver that runs the passes, with the flags that they need;
            reports show it in the command that repeats a pass.
        resources: the resources that the record has.

    Raises:
        RecordError: the file cannot be written, or is not a record.
    """
    file = RecordFile(Path(path), appends=appends)
    return Recording(manager, file, command, resources)


enable_recording = record
"""`record`, for use without a `with` block."""


def _error_text(error: BaseException) -> str:
    """Return the text of `error`, with its stack unless its diagnostics explain it."""
    if isinstance(error, PassFailure) and _is_explained(error):
        return f"{error}\n"
    return _text_with_stacks(error)


def _is_explained(failure: PassFailure) -> bool:
    """Return whether a pass signalled the failure, or the verifier found it.

    The stack then has the frames of the pass manager and of its caller only.
    """
    cause = failure.__cause__
    if isinstance(cause, IRError):
        return cause.diagnostic in failure.diagnostics
    return cause is None


def _text_with_stacks(error: BaseException) -> str:
    """Return `error` and its causes with their stacks, those in workers included."""
    shown = TracebackException.from_exception(error)
    summary: TracebackException | None = shown
    cause: BaseException | None = error
    while summary is not None and cause is not None:
        frames = getattr(cause, "frames_in_worker", None)
        if frames:
            summary.stack = StackSummary.from_list(frames)
        summary, cause = summary.__cause__, cause.__cause__
    return "".join(shown.format())


def versions(context: Context) -> str:
    """Return the versions of Python, the runtime and the IR library as JSON."""
    found = {
        "python": platform.python_version(),
        "context": context.library or type(context).__module__,
    }
    of_libraries = (library.distributions for library in ir_libraries())
    for name in chain(("mlir-passgen-runtime",), *of_libraries):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return json.dumps(found)
