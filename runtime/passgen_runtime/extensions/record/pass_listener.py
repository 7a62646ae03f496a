"""The instrumentation that listens to passes, and makes the rows of their record."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass

from passgen_runtime.context import Context, Operation
from passgen_runtime.extensions.record.ir_store import IRStore
from passgen_runtime.extensions.record.operation_paths import OperationPaths
from passgen_runtime.extensions.record.rows import (
    BeginExecution,
    EndExecution,
    OperationRow,
    PassRow,
    WriteRow,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    PassInstrumentation,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_statistics import Statistic, declared_statistics


@dataclass(slots=True)
class Collection:
    """Nested pipelines that run on the operations inside another one."""

    path: str
    """With a star for the anchor of a pipeline."""

    parts: dict[Hashable, bytes]
    """The IR of these operations; empty if the other one has a single text.

    It stays true: they are changed by their own pipelines alone, which note it here.
    """


@dataclass(slots=True)
class OpenPipeline:
    """A pipeline that runs in a thread, on one operation."""

    path: str
    parts: dict[Hashable, bytes]
    """Of the collection that runs it."""

    ir: bytes | None = None
    """The IR of the operation now, where that is known."""

    operation: str = ""
    """The path of the operation, where that is known: it has the IR's symbols."""

    collection: Collection | None = None
    """The last collection of it that has begun."""

    num_steps: int = 0
    """The passes and collections of it that have begun."""

    def next_step(self, name: str) -> str:
        """Return the path of the next pass or collection, called `name`."""
        path = f"{self.path}/{name}[{self.num_steps}]"
        self.num_steps += 1
        return path


@dataclass(slots=True)
class OpenExecution:
    """A pass that runs in a thread."""

    number: int
    path: str
    begin_s: float
    counts: list[int]
    """Of its statistics, before it ran."""


class Thread:
    """The passes that run in a thread, outermost first."""

    def __init__(self, number: int) -> None:
        """Begin with nothing in the thread of this number."""
        self.number = number
        self.pipelines: list[OpenPipeline] = []
        self.executions: list[OpenExecution] = []


class PassListener(PassInstrumentation):
    """Listens to passes, and passes rows on, as plain data."""

    def __init__(self, context: Context, write: WriteRow) -> None:
        """Listen to passes on IR of `context`; `write` takes the rows."""
        self._context = context
        self._write = write
        self._begin()

    def _begin(self) -> None:
        """Forget what was listened to; times count from now."""
        self._begin_s = time.perf_counter()
        self._reporting: int | None = None
        """The execution whose diagnostics are reported now."""

        self._num_executions = self._num_positions = 0
        self._positions: dict[int, int] = {}
        """The place of each running execution, in the order of one thread."""

        self._has_failed = False
        """Whether a pass has."""

        self._root: Operation = None
        """The outermost operation, once one is known."""

        self._store = IRStore(self._context, self._write)
        self._paths = OperationPaths(self._context)
        self._written: set[tuple[type, str]] = set()
        """The paths of passes and operations whose rows were written."""

        self._threads: dict[Hashable, Thread] = {}
        """By the identity of a thread, or the name of a worker."""

        self._collections: dict[PipelineCollection, Collection] = {}
        self._statistics: dict[Pass, list[Statistic]] = {}

    def _begin_root(self, operation: Operation, ir: bytes) -> None:
        """Note the outermost operation and its IR."""
        del ir
        self._root = operation

    # Pipelines.

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Note which pass or collection runs a nested pipeline."""
        if parent.collection is not None:
            collection = self._collections[parent.collection]
            path = collection.path.replace("*", anchor)
            self._thread.pipelines.append(OpenPipeline(path, collection.parts))
        else:
            path = f"{self._thread.executions[-1].path}/{anchor}"
            self._thread.pipelines.append(OpenPipeline(path, {}))

    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Forget the pipeline."""
        del anchor, parent
        self._thread.pipelines.pop()

    def run_before_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Note the place of nested pipelines, and the IR that they get."""
        pipeline = self._thread.pipelines[-1]
        parts = self._store.parts(operation, self._ir_before(operation, pipeline))
        pipeline.collection = Collection(pipeline.next_step("*"), parts)
        self._collections[collection] = pipeline.collection

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
        thread.executions.append(OpenExecution(number, path, self._now_s(), counts))

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
        found = self._statistics[pass_]
        counted = zip(found, execution.counts, strict=True)
        statistics = {
            counter.display_name: counter.value - count for counter, count in counted
        }
        maxima = {
            counter.display_name: counter.value
            for counter in found
            if counter.is_maximum
        }

        def write() -> None:
            number = execution.number
            row = EndExecution(
                number,
                self._positions.pop(number),
                status,
                execution.begin_s,
                end_s,
                after,
                statistics,
                maxima,
            )
            self._write_end(row, execution.path)
            self._reporting = around

        self._context.in_order(write)

    def _write_end(self, row: EndExecution, path: str) -> None:
        """Write the end of the pass at `path`."""
        del path
        self._write(row)

    # The IR.

    def _ir_before(self, operation: Operation, pipeline: OpenPipeline) -> bytes:
        """Return the digest of the IR that the next step of `pipeline` gets."""
        if pipeline.ir is None:
            ir = pipeline.parts.get(self._context.key(operation))
            pipeline.ir = self._store.store(operation) if ir is None else ir
            if self._root is None:
                self._begin_root(operation, pipeline.ir)
        return pipeline.ir

    def _note_ir(
        self, operation: Operation, pipeline: OpenPipeline, ir: bytes | None
    ) -> None:
        """Note the IR that a step of `pipeline` has left; `None` if it is not known."""
        if pipeline.ir != ir:
            pipeline.ir, pipeline.operation = ir, ""
        if pipeline.parts:
            if ir is None:
                ir = self._store.store(operation)
            pipeline.parts[self._context.key(operation)] = ir

    # What rows are about.

    @property
    def _thread(self) -> Thread:
        return self._thread_of(threading.get_ident())

    def _thread_of(self, key: Hashable) -> Thread:
        thread = self._threads.get(key)
        if thread is None:
            thread = self._threads[key] = Thread(len(self._threads))
        return thread

    def _counts(self, pass_: Pass) -> list[int]:
        """Return the counts of all statistics of `pass_`."""
        if pass_ not in self._statistics:
            self._statistics[pass_] = declared_statistics(pass_)
        return [statistic.value for statistic in self._statistics[pass_]]

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
