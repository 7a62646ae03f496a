"""The top level of a pipeline, and its runs.

Implements "Pass Manager" of MLIR's PassManagement page. `OpPassManager` is the pipeline
as written, `FinalizedPipeline` the pipeline ready to run, and `RunState` the state of a
run.

    manager = PassManager(context)
    manager.nest("func.func").add_pass(CSE())
    manager.run(module)
"""

from __future__ import annotations

import copy
import threading
import weakref
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import ClassVar, Literal, Self, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import (
    MAX_SHOWN_ERRORS,
    PIPELINE_SOURCE,
    PassFailure,
    SchedulingError,
    clip,
    wrong_argument,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PassInstrumentor,
)
from passgen_runtime.pass_manager.actions import ActionHandler
from passgen_runtime.pass_manager.execution import FinalizedPipeline
from passgen_runtime.pass_manager.finalization import finalize, run_dynamic
from passgen_runtime.pass_manager.nested import Runner
from passgen_runtime.pass_manager.op_pass_manager import (
    Nesting,
    OpPassManager,
    check_context,
)
from passgen_runtime.pass_manager.run_state import RunSettings, RunState
from passgen_runtime.pass_manager.run_statistics import report_nodes
from passgen_runtime.pass_manager.scheduling import (
    dialects_of,
    is_repeatable,
    structure_key,
)
from passgen_runtime.pass_statistics import ReportNode, StatisticsDisplay, report

WatchRun: TypeAlias = "Callable[[PassManager], AbstractContextManager[object]]"
"""Makes a block around a run of a pass manager, where it may add instrumentations."""


class PassManager(OpPassManager):
    """The top level of a pipeline, with the settings of whole runs."""

    watch: ClassVar[ContextVar[WatchRun | None]] = ContextVar("watch", default=None)
    """Watches the runs of all pass managers, for programs that make none themselves."""

    def __init__(
        self,
        context: Context,
        anchor: str = "builtin.module",
        *,
        nesting: Nesting = "explicit",
    ) -> None:
        """Make an empty pass manager for operations of `context` called `anchor`.

        Raises:
            TypeError: `context` is no `Context`.
        """
        check_context(context)
        super().__init__(anchor, nesting=nesting, context=context)
        self.context = context
        self.verify_each: bool | Literal["end", "all"] = True
        """Whether IR is verified: after passes with an effect, all, or at the end."""

        self.skips_unchanged = True
        """Whether an idempotent pass is skipped on what has not changed since."""

        self.counts_optional = False
        """Whether passes also count optional statistics, which may slow them down."""

        self.runner = Runner()
        """Runs nested pipelines if the caller of `run` gives no runner: this one in the
        calling thread, and `Threads()`, of `passgen_runtime.runners`, in several."""

        self._instrumentor = PassInstrumentor()
        self._handlers: tuple[ActionHandler, ...] = ()
        self._finalized: FinalizedPipeline | None = None
        """The pipeline that ran last; it knows which operations it met."""

        self._key: Hashable = None
        """Equal for as long as the pipeline that ran last may run again."""

        self._busy = threading.Lock()
        self._current_runner: Runner | None = None

    def add_instrumentation(self, instrumentation: PassInstrumentation) -> None:
        """Let `instrumentation` observe all runs from now on."""
        self._instrumentor.add(instrumentation)

    def add_action_handler(self, handler: ActionHandler) -> None:
        """Let `handler` wrap each execution of a pass from now on.

        Handlers that were added before wrap this one. See `ActionHandler`.
        """
        self._handlers += (handler,)

    def remove_action_handler(self, handler: ActionHandler) -> None:
        """Execute passes without `handler`.

        Raises:
            ValueError: it was not added.
        """
        handlers = list(self._handlers)
        handlers.remove(handler)
        self._handlers = tuple(handlers)

    @property
    def instrumentations(self) -> tuple[PassInstrumentation, ...]:
        """The instrumentations that observe runs, in the order of addition."""
        return tuple(self._instrumentor.instrumentations)

    def run_as(self, other: PassManager) -> None:
        """Verify, report and be observed as `other`, whose passes this manager runs."""
        self.verify_each = other.verify_each
        self.skips_unchanged = other.skips_unchanged
        self.counts_optional = other.counts_optional
        self._instrumentor = other._instrumentor
        self._handlers = other._handlers
        self.context.diagnostic_handler = other.context.diagnostic_handler

    def remove_instrumentation(self, instrumentation: PassInstrumentation) -> None:
        """Run without `instrumentation` from now on.

        Raises:
            ValueError: it was not added.
        """
        self._instrumentor.remove(instrumentation)

    def add_pipeline(self, pipeline: OpPassManager) -> None:
        """Append copies of the elements of `pipeline`, which has the same anchor.

        Raises:
            SchedulingError: the anchors differ.
        """
        if pipeline.anchor != self.anchor:
            raise SchedulingError(
                f"can't add a pipeline anchored on '{pipeline.anchor}' to a pass "
                f"manager anchored on '{self.anchor}'"
            )
        self.elements.extend(pipeline.copy().elements)

    def run(self, operation: Operation, runner: Runner | None = None) -> None:
        """Run the pipeline on `operation`.

        Args:
            operation: the operation to run on.
            runner: runs nested pipelines on the operations inside; by default, that of
                this manager.

        Raises:
            TypeError: it is no operation.
            SchedulingError: the pipeline cannot run on this operation, or at all; or
                the manager or one of its passes is running already. Another thread
                can run a `copy()`.
            DialectError: a dependent dialect is not registered.
            PassOptionError: an option was changed to an invalid value.
            PassFailure: a pass failed; the rest of the pipeline did not run.
            BaseException: a pass raised it to end the program, such as SystemExit; the
                failure is its cause. Or a diagnostic handler raised it.
        """
        name = self._name_of(operation)
        if not self.is_op_agnostic and name != self.anchor:
            message = f"can't run '{self.anchor}' pass manager on '{name}' op"
            error = Diagnostic("error", message, self.context.location(operation))
            inside = map(self.context.name, self.context.children(operation))
            note = f"\nnote: '{name}({self.anchor}(...))' nests it"
            raise SchedulingError(f"{error}{note if self.anchor in inside else ''}")
        if not self._busy.acquire(blocking=False):
            message = f"the pipeline '{self}' is already running"
            note = "run a copy() of it in another thread"
            raise SchedulingError(f"{message}\nnote: {note}")
        watch = self.watch.get()
        try:
            self._current_runner = runner = runner or self.runner
            with nullcontext() if watch is None else watch(self):
                reason = self._instrumentor.why_one_thread
                if reason is not None and runner.is_multithreaded:
                    raise SchedulingError(reason)
                self._run(operation, runner)
        finally:
            self._current_runner = None
            self._busy.release()

    @property
    def is_multithreaded(self) -> bool:
        """Whether the runner of the manager, or of the current run, uses threads."""
        runners = self.runner, self._current_runner
        return any(runner and runner.is_multithreaded for runner in runners)

    def _name_of(self, operation: Operation) -> str:
        """Return the name of the operation to run on.

        Raises:
            TypeError: it is no operation.
        """
        try:
            return self.context.name(operation)
        except AttributeError as error:
            note = "context.parse(text, name) makes one from a text"
            raise wrong_argument("run()", operation, "an operation", note) from error

    def _run(self, operation: Operation, runner: Runner) -> None:
        key = self._key_with(runner)
        pipeline = self._finalized
        if pipeline is None or self._key != key:
            self._finalized = self._key = None
            self.context.load_dialects(dialects_of(self))
            pipeline = self._finalized = self.finalize(runner)
            self._key = key if is_repeatable(self.passes()) else None
        pipeline.check_options()
        failure: PassFailure | None
        with self.context.running() as diagnostics:
            pipeline.begin_outermost_run()
            try:
                if pipeline.with_initialization:
                    pipeline.initialize(self._initialization_key(pipeline))
                failure = self._run_pipeline(pipeline, operation, runner)
            except PassFailure as raised:
                failure = raised
            finally:
                pipeline.end_run()
        if failure is None and self.matched_nothing:
            self.warn_about_unmatched()
        if failure is not None:
            reported = failure.in_pipeline(str(self), diagnostics)
            if failure.exit is not None:
                reported.__cause__ = None  # or each would be the cause of the other
                raise failure.exit from reported
            raise reported

    def _run_pipeline(
        self, pipeline: FinalizedPipeline, operation: Operation, runner: Runner
    ) -> PassFailure | None:
        runner.begin_run(pipeline)
        try:
            failure = pipeline.run(operation)
        finally:
            runner.end_run()
        if failure is None and self.verify_each == "end":
            failure = pipeline.state.verify(pipeline, operation)
        return failure

    def _initialization_key(self, pipeline: FinalizedPipeline) -> object:
        """Return a key of all that `Pass.initialize` of the passes may depend on."""
        passes = pipeline.with_initialization
        options = [copy.deepcopy(pass_.options) for pass_ in passes]
        context = weakref.ref(self.context)  # passes that keep the key may outlive it
        return context, self.context.loaded_dialects(), structure_key(self), options

    def unmatched_pipelines(self) -> list[str]:
        """Return the nested pipelines that met no operation in the last run, as text.

        Adjacent pipelines of one anchor are merged. After a failed run, pipelines that
        it did not reach are included.
        """
        if self._finalized is None:
            return []
        return [str(pipeline) for pipeline in self._finalized.unmatched_pipelines()]

    @property
    def matched_nothing(self) -> bool:
        """Whether the last run ran no pass: all are nested, and matched nothing."""
        pipeline = self._finalized
        holds_passes = any(isinstance(element, Pass) for element in self.elements)
        if pipeline is None or holds_passes:
            return False
        was_matched = any(nested.was_matched for nested in pipeline.pipelines())
        return not was_matched and next(pipeline.passes(), None) is not None

    def warn_about_unmatched(self) -> None:
        """Report the nested pipelines that met no operation in the last run.

        For programs that run a pipeline once: a misplaced anchor would silently do
        nothing. A run that runs no pass calls this method itself.
        """
        unmatched = self.unmatched_pipelines()
        messages = [
            clip(f"the nested pipeline {pipeline} matched no operation")
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
        own = dict.fromkeys(("_finalized", "_key", "_current_runner"))
        vars(duplicate).update(own, _busy=threading.Lock())
        return duplicate

    def _settings(self, runner: Runner) -> RunSettings:
        return RunSettings(
            self.context,
            self._instrumentor,
            runner,
            run_dynamic,
            self._handlers,
            verify_each=self.verify_each != "end" and self.verify_each,
            counts_optional=self.counts_optional,
            skips_unchanged=self.skips_unchanged,
        )

    def _key_with(self, runner: Runner) -> Hashable:
        """Return a key that is equal while a finalized pipeline may be reused."""
        settings = self._settings(runner)
        return structure_key(self), settings, bool(self._instrumentor), settings.detail

    @property
    def detail(self) -> Detail:
        """The detail that instrumentations and action handlers need."""
        return self._settings(self.runner).detail

    def finalize(self, runner: Runner | None = None) -> FinalizedPipeline:
        """Return the pipeline ready to run.

        Raises:
            SchedulingError: a pass cannot run where it was put.
        """
        settings = self._settings(runner or self.runner)
        return finalize(self, RunState(settings, self.anchor))
