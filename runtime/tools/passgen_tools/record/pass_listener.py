"""The instrumentation that writes the executions of passes as rows of a record."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from passgen_runtime.context import Context, Operation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_statistics import Statistic, declared_statistics
from passgen_runtime.patterns import Patterns
from passgen_runtime.remarks import Remark, RemarkListener
from passgen_tools.record.ir_store import IRStore
from passgen_tools.record.operation_paths import OperationPaths
from passgen_tools.record.rows import (
    BeginExecution,
    EndExecution,
    InputOfRun,
    RemarkRow,
    WriteRow,
)


@dataclass(slots=True)
class Collection:
    """Nested pipelines that run on the operations inside an operation."""

    path: str
    """The path, with a star for the anchor of a pipeline."""

    is_in_module: bool
    """Whether the store has a separate text for each of the operations."""


@dataclass(slots=True)
class OpenPipeline:
    """A pipeline that is running in a thread, on one operation."""

    path: str
    is_in_module: bool = False
    """The `is_in_module` of the collection that runs the pipeline."""

    ir: str | None = None
    """The digest of the current IR of the operation, if known."""

    operation: tuple[str, str, str] | None = None
    """The path, name and location of the operation in this IR."""

    collection: Collection | None = None
    """The last collection that the pipeline has begun."""

    num_steps: int = 0
    """The number of passes and collections that the pipeline has begun."""

    def note_ir(self, ir: str | None) -> None:
        """Note the IR after a step; `None` if it is not known."""
        if self.ir != ir:
            self.ir, self.operation = ir, None

    def next_step(self, name: str) -> str:
        """Return the path of the next pass or collection, which is called `name`."""
        path = f"{self.path}/{name}[{self.num_steps}]"
        self.num_steps += 1
        return path


@dataclass(slots=True)
class OpenExecution:
    """A pass that is running in a thread."""

    number: int
    path: str
    begin_s: float = 0.0
    counts: Sequence[tuple[Statistic, int]] = ()
    """The statistics of the pass, with their values before it ran."""

    position: int = 0
    """The position of the pass in a run without threads."""


@dataclass(slots=True)
class Thread:
    """The pipelines and passes that are running in a thread, outermost first."""

    number: int
    pipelines: list[OpenPipeline] = field(default_factory=list)
    executions: list[OpenExecution] = field(default_factory=list)

    @property
    def running(self) -> int | None:
        """The number of the innermost execution."""
        return self.executions[-1].number if self.executions else None


class PassListener(RemarkListener):
    """Writes rows about the passes that run."""

    detail = Detail.OPERATIONS

    def __init__(self, context: Context, write: WriteRow) -> None:
        """Listen to passes on IR of `context`; write rows with `write`."""
        self._context = context
        self._write = write
        self._begin()

    def _begin(self) -> None:
        """Reset the state; times are relative to now."""
        self._begin_s = time.perf_counter()
        self._reporting: int | None = None
        """The execution that diagnostics belong to now."""

        self._num_executions = self._num_positions = 0
        self._has_failed = False
        """Whether a pass has failed."""

        self._root: Operation = None
        """The outermost operation; `None` before the first pass."""

        self._store = IRStore(self._context, self._write)
        self._paths = OperationPaths(self._context)
        self._threads: dict[Hashable, Thread] = {}
        """The threads, by thread id or by the name of a worker."""

        self._collections: dict[PipelineCollection, Collection] = {}
        self._passes: dict[Pass, tuple[tuple[str, str, str], list[Statistic]]] = {}
        """The argument, name, text and statistics of each pass."""

    def _begin_root(self, operation: Operation, ir: str) -> None:
        """Write the outermost operation and its IR."""
        self._root = operation
        self._write(InputOfRun(*self._describe(operation), ir))

    # Pipelines.

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Note the pipeline, and the pass or collection that runs it."""
        if parent.collection is not None:
            collection = self._collections[parent.collection]
            path = collection.path.replace("*", anchor)
            pipeline = OpenPipeline(path, collection.is_in_module)
        else:
            pipeline = OpenPipeline(f"{self._thread.executions[-1].path}/{anchor}")
        self._thread.pipelines.append(pipeline)

    def run_after_pipeline(self, _anchor: str, _parent: PipelineParentInfo) -> None:
        """Forget the pipeline."""
        self._thread.pipelines.pop()

    def run_before_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Note the path of nested pipelines, and the IR before them."""
        pipeline = self._thread.pipelines[-1]
        is_module = self._store.is_module(self._ir_before(operation, pipeline))
        pipeline.collection = Collection(pipeline.next_step("*"), is_module)
        self._collections[collection] = pipeline.collection

    def run_after_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Note the IR after nested pipelines."""
        pipeline = self._thread.pipelines[-1]
        if self._collections.pop(collection).is_in_module:
            pipeline.note_ir(self._store.join(operation))
        else:
            is_needed = pipeline.is_in_module
            pipeline.note_ir(self._store.store(operation) if is_needed else None)

    # Passes.

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Write that `pass_` begins."""
        thread = self._thread
        pipeline = thread.pipelines[-1]
        before = self._ir_before(operation, pipeline)
        pipeline.operation = pipeline.operation or self._describe(operation)
        path = pipeline.next_step(pass_.argument or pass_.name)
        if pass_ not in self._passes:
            described = pass_.argument, pass_.name, str(pass_)
            if isinstance(pass_, Patterns):
                pass_.pattern_counts()  # adds them to the statistics of the pass
            self._passes[pass_] = described, declared_statistics(pass_)
        described, counters = self._passes[pass_]
        number = self._write_begin(path, described, pipeline.operation, before)
        counts = [(counter, counter.value) for counter in counters]
        execution = OpenExecution(number, path, self._now_s(), counts)
        self._context.in_order(lambda: self._enter(execution))
        thread.executions.append(execution)

    def _write_begin(
        self,
        path: str,
        pass_: tuple[str, str, str],
        operation: tuple[str, str, str],
        before: str,
    ) -> int:
        """Write that a pass begins; return the number of its execution."""
        self._num_executions += 1
        number, thread = self._num_executions, self._thread
        place = thread.running, thread.number, self._now_s()
        self._write(BeginExecution(number, path, *pass_, *operation, *place, before))
        return number

    def run_after_pass(self, _pass: Pass, operation: Operation) -> None:
        """Write that the pass has succeeded."""
        self._end_pass(operation, "succeeded")

    def run_after_pass_failed(self, _pass: Pass, operation: Operation) -> None:
        """Write that the pass has failed."""
        self._has_failed = True
        self._end_pass(operation, "failed")

    def run_on_skip(self, pass_: Pass, operation: Operation) -> None:
        """Write a pass that was skipped, with its statistic that counts this."""
        self.run_before_pass(pass_, operation)
        self._end_pass(operation, "skipped", **{Pass.times_skipped.display_name: 1})

    def _enter(self, execution: OpenExecution) -> None:
        """Set the position of an execution; diagnostics belong to it from now on."""
        self._num_positions += 1
        execution.position = self._num_positions
        self._reporting = execution.number

    def _end_pass(self, operation: Operation, status: str, **added: int) -> None:
        end_s = self._now_s()
        thread = self._thread
        execution = thread.executions.pop()
        around = thread.running
        after = self._store.store(operation, is_valid=status != "failed")
        thread.pipelines[-1].note_ir(after)
        maxima = {}
        for counter, count in execution.counts:
            added.setdefault(counter.display_name, counter.value - count)
            if counter.kind == "maximum":
                maxima[counter.display_name] = counter.value

        def write() -> None:
            number, position = execution.number, execution.position
            times = execution.begin_s, end_s
            row = EndExecution(number, position, status, *times, after, added, maxima)
            self._write_end(row, execution.path)
            self._reporting = around

        self._context.in_order(write)

    def _write_end(self, row: EndExecution, _path: str) -> None:
        """Write the end of the pass at a path."""
        self._write(row)

    def run_on_remark(self, remark: Remark, anchor: Operation) -> None:
        """Write a remark of the running pass."""
        path = self._paths.path_of(anchor)
        fields = dict(remark.fields)
        if remark.advice:
            fields["advice"] = remark.advice
        texts = remark.kind, remark.category, remark.name, remark.location
        ends = remark.message, json.dumps(fields)
        self._context.in_order(
            lambda: self._write(RemarkRow(self._reporting, path, *texts, *ends))
        )

    # The IR.

    def _ir_before(self, operation: Operation, pipeline: OpenPipeline) -> str:
        """Return the digest of the IR before the next step of `pipeline`."""
        if pipeline.ir is None:
            find = self._store.latest if pipeline.is_in_module else self._store.store
            pipeline.ir = find(operation)
            if self._root is None:
                self._begin_root(operation, pipeline.ir)
        return pipeline.ir

    # Threads, times and operations of rows.

    @property
    def _thread(self) -> Thread:
        return self._thread_of(threading.get_ident())

    def _thread_of(self, key: Hashable) -> Thread:
        if key not in self._threads:
            number = len(self._threads)
            # Numbers of workers are negative.
            self._threads[key] = Thread(-number if isinstance(key, str) else number)
        return self._threads[key]

    def _now_s(self) -> float:
        return time.perf_counter() - self._begin_s

    def _describe(self, operation: Operation) -> tuple[str, str, str]:
        """Return the path, name and location of `operation`."""
        context = self._context
        path = self._paths.path_of(operation)
        return path, context.name(operation), context.location(operation)
