"""The instrumentation that listens to runs, and makes the rows of their record."""

from __future__ import annotations

import contextlib
import os
import platform
import threading
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from importlib import metadata
from traceback import format_exception

from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import Diagnostic, DiagnosticHandler
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    PassInstrumentation,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_statistics import Statistic, declared_statistics
from passgen_runtime.run_record.ir_store import IRStore
from passgen_runtime.run_record.operation_paths import OperationPaths
from passgen_runtime.run_record.rows import (
    BeginExecution,
    BeginRun,
    DiagnosticRow,
    EndExecution,
    EndRun,
    InputOfRun,
    OperationRow,
    PassRow,
    WriteRow,
)


@dataclass(slots=True)
class _Collection:
    """Nested pipelines that run on the operations inside another one."""

    path: str
    """With a star for the anchor of a pipeline."""

    parts: dict[Hashable, bytes]
    """The IR of these operations; empty if the other one has a single text.

    It stays true: they are changed by their own pipelines alone, which note it here.
    """


@dataclass(slots=True)
class _Pipeline:
    """A pipeline that runs in a thread, on one operation."""

    path: str
    parts: dict[Hashable, bytes]
    """Of the collection that runs it."""

    ir: bytes | None = None
    """The IR of the operation now, where that is known."""

    operation: str = ""
    """The path of the operation, where that is known: it has the IR's symbols."""

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

    number: int
    path: str
    begin_s: float
    counts: list[int]
    """Of its statistics, before it ran."""


class _Thread:
    """What runs in a thread, outermost first."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.pipelines: list[_Pipeline] = []
        self.executions: list[_Execution] = []


class RunListener(PassInstrumentation):
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
        self._command = command
        self._manager = manager
        self._context = manager.context
        self._write = write
        self._begin_s = 0.0
        self._num_executions = 0
        self._num_positions = 0
        self._positions: dict[int, int] = {}
        """The place of each running execution, in the order of one thread."""

        self._has_failed = False
        """Whether a pass of the run has."""

        self._store = IRStore(self._context, write)
        self._paths = OperationPaths(self._context)
        self._written: set[tuple[type, str]] = set()
        """The paths of passes and operations whose rows were written."""

        self._threads: dict[int, _Thread] = {}
        self._collections: dict[PipelineCollection, _Collection] = {}
        self._statistics: dict[Pass, list[Statistic]] = {}
        self._reporting: int | None = None
        """The execution whose diagnostics are reported now."""

        self._root: Operation = None
        self._handler: DiagnosticHandler | None = None
        """The handler that the run had before it was recorded."""

    def stop(self, error: BaseException | None = None) -> None:
        """Listen no more; `error` has ended the last run."""
        self._restore_handler()
        with contextlib.suppress(ValueError):  # it was never added
            self._manager.remove_instrumentation(self)
        if error is not None:
            self._end_run("failed", error=error)

    # Runs and pipelines.

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Begin the run, or note which pass or collection runs a nested pipeline."""
        parts: dict[Hashable, bytes] = {}
        if parent.is_outermost:
            self._begin_run()
            path = anchor
        elif parent.collection is not None:
            collection = self._collections[parent.collection]
            path = collection.path.replace("*", anchor)
            parts = collection.parts
        else:
            path = f"{self._thread.executions[-1].path}/{anchor}"
        self._thread.pipelines.append(_Pipeline(path, parts))

    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """End the run if it is its pipeline that has ended."""
        del anchor
        pipeline = self._thread.pipelines.pop()
        if parent.is_outermost:
            self._restore_handler()
            self._end_run("failed" if self._has_failed else "succeeded", pipeline.ir)

    def run_before_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Note the place of nested pipelines, and the IR that they get."""
        pipeline = self._thread.pipelines[-1]
        parts = self._store.parts(operation, self._ir_before(operation, pipeline))
        self._collections[collection] = _Collection(pipeline.next_step("*"), parts)

    def run_after_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Note the IR that nested pipelines have left."""
        parts = self._collections.pop(collection).parts
        ir = self._store.join(operation, parts) if parts else None
        self._note_ir(operation, self._thread.pipelines[-1], ir)

    # Passes.

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Write that `pass_` begins to run."""
        thread = self._thread
        pipeline = thread.pipelines[-1]
        before = self._ir_before(operation, pipeline)
        pipeline.operation = pipeline.operation or self._note_operation(operation)
        path = pipeline.next_step(pass_.argument or pass_.name)
        if self._is_new(PassRow, path):
            row = PassRow(path, pass_.argument, pass_.name, str(pass_))
            self._write(row)
        self._num_executions += 1
        number = self._num_executions
        self._write(
            BeginExecution(
                number,
                path,
                pipeline.operation,
                thread.executions[-1].number if thread.executions else None,
                thread.number,
                self._now_s(),
                before,
            )
        )
        counts = self._counts(pass_)
        self._context.in_order(lambda: self._enter(number))
        thread.executions.append(_Execution(number, path, self._now_s(), counts))

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Write that `pass_` has succeeded."""
        self._end_pass(pass_, operation, "succeeded")

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Write that `pass_` has failed."""
        self._has_failed = True
        self._end_pass(pass_, operation, "failed")

    def _enter(self, number: int) -> None:
        """Note the place of an execution, and that diagnostics are its own now."""
        self._num_positions += 1
        self._positions[number] = self._num_positions
        self._reporting = number

    def _end_pass(self, pass_: Pass, operation: Operation, status: str) -> None:
        end_s = self._now_s()
        thread = self._thread
        execution = thread.executions.pop()
        around = thread.executions[-1].number if thread.executions else None
        after = self._store.store(operation, is_valid=status == "succeeded")
        self._note_ir(operation, thread.pipelines[-1], after)
        added = [
            (each.display_name, each.value - count)
            for each, count in zip(
                self._statistics[pass_], execution.counts, strict=True
            )
        ]

        def write() -> None:
            number = execution.number
            position = self._positions.pop(number)
            is_first = self._is_new(EndExecution, execution.path)
            statistics = {name: count for name, count in added if count or is_first}
            self._write(
                EndExecution(
                    number,
                    position,
                    status,
                    execution.begin_s,
                    end_s,
                    after,
                    statistics,
                )
            )
            self._reporting = around

        self._context.in_order(write)

    # The IR.

    def _ir_before(self, operation: Operation, pipeline: _Pipeline) -> bytes:
        """Return the digest of the IR that the next step of `pipeline` gets."""
        if pipeline.ir is None:
            ir = pipeline.parts.get(self._context.key(operation))
            pipeline.ir = self._store.store(operation) if ir is None else ir
            if self._root is None:
                self._root = operation
                path = self._note_operation(operation)
                self._write(InputOfRun(path, pipeline.ir))
        return pipeline.ir

    def _note_ir(
        self, operation: Operation, pipeline: _Pipeline, ir: bytes | None
    ) -> None:
        """Note the IR that a step of `pipeline` has left; `None` if it is not known."""
        if pipeline.ir != ir:
            pipeline.ir, pipeline.operation = ir, ""
        if pipeline.parts:
            if ir is None:
                ir = self._store.store(operation)
            pipeline.parts[self._context.key(operation)] = ir

    # The run.

    def _begin_run(self) -> None:
        manager = self._manager
        self._restore_handler()
        self._written.clear()
        self._threads.clear()
        self._collections.clear()
        self._statistics.clear()
        self._paths = OperationPaths(self._context)
        self._store = IRStore(self._context, self._write)
        self._num_executions = self._num_positions = 0
        self._positions.clear()
        self._has_failed = False
        self._root = None
        self._begin_s = time.perf_counter()
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
        text = None if error is None else "".join(format_exception(error))
        row = EndRun(status, text)
        root, self._root = self._root, None
        if root is not None:
            if ir is None:
                ir = self._store.store(root, is_valid=status == "succeeded")
            row = EndRun(status, text, self._now_s(), ir)
        self._write(row)

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

    # What rows are about.

    @property
    def _thread(self) -> _Thread:
        thread_id = threading.get_ident()
        thread = self._threads.get(thread_id)
        if thread is None:
            thread = self._threads[thread_id] = _Thread(len(self._threads))
        return thread

    def _counts(self, pass_: Pass) -> list[int]:
        """Return the counts of all statistics of `pass_`."""
        if pass_ not in self._statistics:
            self._statistics[pass_] = declared_statistics(pass_)
        return [each.value for each in self._statistics[pass_]]

    def _now_s(self) -> float:
        return time.perf_counter() - self._begin_s

    def _note_operation(self, operation: Operation) -> str:
        """Write the row of `operation` if it is new; return its path."""
        context = self._context
        path = self._paths.path_of(operation)
        if self._is_new(OperationRow, path):
            name, location = context.name(operation), context.location(operation)
            self._write(OperationRow(path, name, location))
        return path

    def _is_new(self, kind: type, path: str) -> bool:
        is_new = (kind, path) not in self._written
        self._written.add((kind, path))
        return is_new


def _versions(context_module: str) -> dict[str, str]:
    """Return the versions of what runs: Python, the runtime, and the IR library."""
    versions = {"python": platform.python_version(), "context": context_module}
    for name in ("mlir-passgen-runtime", "xdsl"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
