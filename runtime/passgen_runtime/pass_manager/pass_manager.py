"""The top level of a pipeline, and its runs.

Implements "Pass Manager" of MLIR's PassManagement page. `OpPassManager` is the pipeline
as written, `FinalizedPipeline` the pipeline ready to run, and `RunState` the state of a
run, which passes see as `PassExecutionState`.

    manager = PassManager(context)
    manager.nest("func.func").add_pass(CSE())
    manager.run(module)
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Self

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import (
    MAX_SHOWN_ERRORS,
    PIPELINE_SOURCE,
    PassFailure,
    SchedulingError,
    clipped,
    wrong_argument,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PassInstrumentor,
)
from passgen_runtime.pass_manager.execution import FinalizedPipeline
from passgen_runtime.pass_manager.finalization import finalize, run_dynamic
from passgen_runtime.pass_manager.op_pass_manager import (
    Nesting,
    OpPassManager,
    check_context,
)
from passgen_runtime.pass_manager.run_state import (
    Distribution,
    Distributor,
    RunState,
)
from passgen_runtime.pass_manager.run_statistics import count_later, report_nodes
from passgen_runtime.pass_manager.scheduling import (
    dialects_of,
    is_repeatable,
    structure_key,
)
from passgen_runtime.pass_manager.threading import (
    Threading,
    ThreadingPolicy,
    outermost_level,
)
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_statistics import (
    ReportNode,
    StatisticsDisplay,
    report,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True, slots=True)
class _Initialization:
    """Everything that passes may look at when they are initialized."""

    structure: Hashable
    dialects: frozenset[str]
    options: list[PassOptions]


class PassManager(OpPassManager):
    """The top level of a pipeline, with everything that holds for the whole run."""

    def __init__(
        self,
        context: Context,
        anchor: str = "builtin.module",
        *,
        nesting: Nesting = "explicit",
    ) -> None:
        """Make an empty pass manager for operations of `context` called `anchor`.

        Raises:
            TypeError: the context is not a context, or the anchor not a text.
        """
        check_context(context)
        super().__init__(anchor, nesting=nesting, context=context)
        self.context = context
        self.verify_each = True
        """Whether the IR is verified after each pass."""

        self._instrumentor = PassInstrumentor()
        self._threads: Threading | None = None
        self._finalized: FinalizedPipeline | None = None
        """The pipeline that ran last, unless a copy ran."""

        self._key: Hashable = None
        """Equal for as long as the pipeline that ran last may run again."""

        self._initialized: _Initialization | None = None
        """How everything was when the passes were initialized last."""

        self._matched: FinalizedPipeline | None = None
        """The pipeline or copy that ran last; it knows which operations it met."""

        self.distribution_report: list[str] = []
        """What the last run with an executor has sent where, and why; in sentences."""

        self._distribution = Distribution()
        self._busy = threading.Lock()
        self._thread_ids: set[int] = set()
        """Of the threads that work for runs of the manager, or of copies of it."""

    def add_instrumentation(self, instrumentation: PassInstrumentation) -> None:
        """Let `instrumentation` observe all runs from now on."""
        self._instrumentor.add(instrumentation)

    def run_as(self, other: PassManager) -> None:
        """Verify, report and be observed as `other` is, whose passes this one runs."""
        self.verify_each = other.verify_each
        self._instrumentor = other._instrumentor
        self.context.diagnostic_handler = other.context.diagnostic_handler

    def remove_instrumentation(self, instrumentation: PassInstrumentation) -> None:
        """Let `instrumentation` observe no further run.

        Raises:
            ValueError: it does not observe any.
        """
        self._instrumentor.remove(instrumentation)

    def enable_multithreading(
        self,
        executor: Executor | None = None,
        *,
        max_workers: int | None = None,
        policy: ThreadingPolicy = outermost_level,
    ) -> None:
        """Run nested pipelines on independent operations in several threads.

        Results, statistics, diagnostics and their order stay those of one thread.

        Args:
            executor: runs the threads; if not given, a pool made on first use.
            max_workers: how many operations run at once; by default, one a processor.
            policy: at which levels of nesting operations run concurrently.
        """
        self._threads = Threading(executor, max_workers, policy)

    def disable_multithreading(self) -> None:
        """Run everything in the calling thread, as a new pass manager does."""
        self._threads = None

    @property
    def is_multithreaded(self) -> bool:
        """Whether nested pipelines may run in several threads."""
        return self._threads is not None

    def add_pipeline(self, pipeline: OpPassManager) -> None:
        """Append the elements of `pipeline`, which has the same anchor.

        Raises:
            SchedulingError: the anchors differ, or a pass cannot run on its anchor.
            TypeError: it is no pass manager.
        """
        if not isinstance(pipeline, OpPassManager):
            note = "parse_pass_pipeline(text) makes one of a text"
            raise wrong_argument("pipeline", pipeline, "an OpPassManager", note)
        if pipeline.anchor != self.anchor:
            message = (
                f"can't add a pipeline anchored on '{pipeline.anchor}' to a pass "
                f"manager anchored on '{self.anchor}'"
            )
            raise SchedulingError(message)
        self.elements.extend(pipeline.copy().elements)

    def run(
        self,
        operation: Operation,
        executor: Executor | Callable[[], Executor] | None = None,
        *,
        job_timeout_s: float | None = None,
        sends_always: bool = False,
    ) -> None:
        """Run the pipeline on `operation`.

        Several threads may do so at once, also with pass managers that share passes: a
        copy runs where a pass is busy, and its statistics are merged into this one's.

        Args:
            operation: the operation to run on.
            executor: its workers run nested pipelines on isolated operations, where
                that is faster. A callable makes one, and makes another one when that
                breaks; those are ended after the run.
            job_timeout_s: how long a worker may take for one operation.
            sends_always: whether workers run also what would be faster here.

        Raises:
            TypeError: the executor is none, or the operation.
            SchedulingError: the pipeline cannot run on this operation, or at all, or
                it was called from inside its own run, or that of one of its passes.
            DialectError: a dependent dialect is not registered.
            PassOptionError: an option was changed to an invalid value.
            PassFailure: a pass failed; the rest of the pipeline did not run.
            BaseException: a pass raised it to end the program, such as SystemExit; the
                failure is its cause. Or a diagnostic handler raised it.
        """
        name = self._name_of(operation)
        if not self.is_op_agnostic and name != self.anchor:
            message = f"can't run '{self.anchor}' pass manager on '{name}' op"
            place = self.context.location(operation)
            raise SchedulingError(str(Diagnostic("error", message, place)))
        thread_id = threading.get_ident()
        if thread_id in self._thread_ids:
            message = f"the pipeline '{self}' is already running"
            raise SchedulingError(message)
        self._thread_ids.add(thread_id)
        try:
            if executor is None:
                if not self._run_unless_busy(operation):
                    self._run_copy(operation)
                return
            # It knows registries, and executors are imported for runs that have one.
            distribution = import_module("passgen_runtime.extensions.workers")
            distributor: Distributor = distribution.Distributor(
                self,
                self._instrumentor,
                executor,
                job_timeout_s=job_timeout_s,
                sends_always=sends_always,
            )
            try:
                if not self._run_unless_busy(operation, distributor):
                    self._run_copy(operation, distributor)
            finally:
                distributor.close()
                self.distribution_report = distributor.report
        finally:
            self._thread_ids.discard(thread_id)

    def _name_of(self, operation: Operation) -> str:
        """Return the name of the operation to run on.

        Raises:
            TypeError: it is no operation.
        """
        try:
            return self.context.name(operation)
        except AttributeError as error:
            note = "context.parse(text, name) makes one of a text"
            what = "run()"
            raise wrong_argument(what, operation, "an operation", note) from error

    def _run_unless_busy(
        self, operation: Operation, distributor: Distributor | None = None
    ) -> bool:
        """Run the pipeline unless another thread runs it or a pass; return whether."""
        if not self._busy.acquire(blocking=False):
            return False
        try:
            return self._run_if_free(operation, distributor)
        finally:
            self._busy.release()

    def _run_if_free(
        self, operation: Operation, distributor: Distributor | None
    ) -> bool:
        key = structure_key(self), self.verify_each, self._threads, self._observed
        pipeline = self._finalized
        if pipeline is None or self._key != key:
            self._finalized = self._key = None
            self.context.load_dialects(dialects_of(self))
            pipeline = self._finalized = self.finalize()
            self._key = key if is_repeatable(self.passes()) else None
        pipeline.check_options()
        if not pipeline.try_begin_run():
            return False
        self._matched = pipeline
        failure: PassFailure | None
        with self.context.running() as diagnostics:
            try:
                self._initialize(pipeline)
                if distributor is not None:
                    distributor.check(pipeline)
                self._distribution.distributor = distributor
                failure = pipeline.run(operation)
            except PassFailure as raised:
                failure = raised
            finally:
                self._distribution.distributor = None
                pipeline.end_run()
        if failure is None and self.matched_nothing:
            self.warn_about_unmatched()
        if failure is not None:
            told = failure.in_pipeline(str(self), diagnostics)
            if failure.exit is not None:
                told.__cause__ = None  # else each would be the cause of the other
                raise failure.exit from told
            raise told
        return True

    def _initialize(self, pipeline: FinalizedPipeline) -> None:
        """Initialize the passes, unless all is as it was when this manager did so.

        As in MLIR, all of them are initialized again if one was added. Another manager
        that holds a pass may have initialized it meanwhile.

        Raises:
            PassFailure: a pass failed to.
        """
        passes = pipeline.with_initialization
        if not passes:
            return
        state = _Initialization(
            structure_key(self),
            self.context.loaded_dialects(),
            [copy.deepcopy(each.options) for each in passes],
        )
        known = self._initialized
        if state == known and all(
            vars(each).get("_initialized_by") is known for each in passes
        ):
            return
        pipeline.initialize()
        self._initialized = state
        for each in passes:
            vars(each)["_initialized_by"] = state

    def _run_copy(
        self, operation: Operation, distributor: Distributor | None = None
    ) -> None:
        """Run a copy, because another thread runs the manager or one of its passes.

        Raises:
            SchedulingError: a pass cannot be copied.
        """
        passes = tuple(self.passes())
        try:
            duplicate = self.copy()
        except Exception as error:
            message = (
                f"the pipeline '{self}' runs in another thread, and cannot be copied "
                f"for this one: {type(error).__name__}: {error}"
            )
            raise SchedulingError(message) from error
        # A pass of the copy must not run this manager either.
        duplicate._thread_ids = self._thread_ids  # noqa: SLF001 - same class
        try:
            run = duplicate._run_unless_busy  # noqa: SLF001 - same class
            run(operation, distributor)
        finally:
            self._matched = duplicate._matched  # noqa: SLF001 - same class
            count_later(passes, tuple(duplicate.passes()))

    def unmatched_pipelines(self) -> list[str]:
        """Return the nested pipelines that met no operation in the last run, as text.

        Adjacent ones for the same anchor are one. After a run that failed, pipelines
        that it did not reach are among them.
        """
        if self._matched is None:
            return []
        return [str(each) for each in self._matched.unmatched()]

    @property
    def matched_nothing(self) -> bool:
        """Whether no pass has run in the last run: all are nested, and met nothing."""
        pipeline = self._matched
        if pipeline is None or any(isinstance(each, Pass) for each in self.elements):
            return False
        was_matched = any(each.was_matched for each in pipeline.pipelines())
        return not was_matched and next(pipeline.passes(), None) is not None

    def warn_about_unmatched(self) -> None:
        """Report the nested pipelines that met no operation in the last run.

        For a program that runs a pipeline once, where a misplaced anchor would do
        nothing in silence. A run in which no pass has run reports them itself.
        """
        unmatched = self.unmatched_pipelines()
        messages = [
            clipped(f"the nested pipeline {pipeline} matched no operation")
            for pipeline in unmatched[:MAX_SHOWN_ERRORS]
        ]
        if more := unmatched[MAX_SHOWN_ERRORS:]:
            messages.append(f"and {len(more)} more nested pipelines")
        for message in messages:
            self.context.handle(Diagnostic("warning", message, PIPELINE_SOURCE))

    def statistics_report(self, display: StatisticsDisplay = "pipeline") -> str:
        """Return the statistics of all passes, in MLIR's format."""
        return report(self.statistics_nodes(), display)

    def statistics_nodes(self) -> tuple[ReportNode, ...]:
        """Return the statistics of all passes as the nodes of a report."""
        return tuple(report_nodes(self))

    def _empty_copy(self) -> Self:
        duplicate = super()._empty_copy()
        own = dict.fromkeys(("_finalized", "_key", "_initialized", "_matched"))
        vars(duplicate).update(
            own,
            _busy=threading.Lock(),
            _thread_ids=set(),
            _distribution=Distribution(),
        )
        return duplicate

    @property
    def detail(self) -> Detail:
        """How closely the instrumentations follow passes."""
        return self._instrumentor.detail

    @property
    def _observed(self) -> tuple[bool, Detail]:
        return bool(self._instrumentor), self.detail

    def finalize(self) -> FinalizedPipeline:
        """Return the pipeline ready to run.

        Raises:
            SchedulingError: a pass cannot run where it was put.
        """
        state = RunState(
            self.context,
            self._instrumentor,
            run_dynamic,
            verify_each=self.verify_each,
            threads=self._threads,
            thread_ids=self._thread_ids,
            distribution=self._distribution,
        )
        return finalize(self, state)
