"""The run of a pipeline over an operation, dispatched as MLIR does it.

Implements `OpToOpPassAdaptor` of mlir/lib/Pass/Pass.cpp. Each pipeline learns whether
it accepts an operation type the first time it meets one; from then on an operation
finds its nested pipeline by the identity of its type.

Failure of a pass on one operation ends the pipeline of that operation. Its siblings
still run, and then the pipeline around them ends with the first failure among them, in
the order of the operations. What a pass raises to end the program, such as SystemExit,
does the same, goes before failures, and leaves the run as it is. Only KeyboardInterrupt
ends everything at once: with threads, operations after the one it came in may have been
worked on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

from passgen_runtime.analysis import (
    AnalysisManager,
    PreservedAnalyses,
    declared_preservation,
)
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import (
    IRError,
    PassFailure,
    PassInUseError,
    SchedulingError,
)
from passgen_runtime.operation_pass import (
    Pass,
    PassExecutionState,
    bind_all,
    unbind_all,
)
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentor,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager.op_pass_manager import OpPassManager
from passgen_runtime.pass_manager.run_statistics import count_waiting
from passgen_runtime.pass_manager.scheduling import (
    ScheduledPipeline,
    check_passes_apart,
    fuse,
    schedule,
)
from passgen_runtime.pass_manager.threading import Threading


class PipelineStep(Protocol):
    """A group of nested pipelines, as one step of the pipeline around them."""

    collection: PipelineCollection
    declared_preservation: PreservedAnalyses | None
    """What all passes in it declare preserved; `None` if that is nothing."""

    def begin_run(self) -> None:
        """Bind the passes and forget the previous run."""

    def end_run(self) -> None:
        """Give the passes free for other runs."""

    def run_on_operation(self) -> None:
        """Run on all operations directly inside the current one."""


class DynamicRuns(Protocol):
    """What runs the dynamic pipelines of a pipeline's passes."""

    def begin_run(self) -> None:
        """Forget the previous run."""

    def run(self, pass_: Pass, manager: OpPassManager, operation: Operation, /) -> bool:
        """Run `manager` for `pass_`; return whether it succeeded."""


class RunOn(Protocol):
    """Runs a pipeline on an operation; returns the failure that ended it, if any."""

    def __call__(
        self, operation: Operation, parent: PipelineParentInfo | None = None, /
    ) -> PassFailure | None:
        """Run on `operation`, for the pass that `parent` names if it is dynamic."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What all pipelines of a pass manager's runs share, in all threads."""

    context: Context
    instrumentor: PassInstrumentor
    verify_each: bool
    threads: Threading | None
    nest: Callable[[FinalizedPipeline, Sequence[ScheduledPipeline]], PipelineStep]
    """Makes the step that runs a group of nested pipelines."""

    dynamic: Callable[[FinalizedPipeline], DynamicRuns]


class FinalizedPipeline:
    """The passes and nested pipelines for operations of one anchor, in order."""

    def __init__(
        self,
        run: RunInfo,
        scheduled: ScheduledPipeline,
        around: FinalizedPipeline | None,
        *,
        is_concurrent: bool = False,
        passes: Sequence[Pass] = (),
    ) -> None:
        """Lay out what `scheduled` runs; `begin_run` binds its passes.

        Args:
            run: what holds for all pipelines of the run.
            scheduled: what to run; its passes are bound to no other pipeline meanwhile.
            around: the pipeline whose operations hold the operations of this one.
            is_concurrent: whether other operations of the same level run meanwhile.
            passes: to initialize in each run: all those in the pipeline, unless the one
                around it does so.
        """
        self.run_info = run
        self.scheduled = scheduled
        self.anchor = scheduled.anchor
        self.around = around
        self.collection: PipelineCollection | None = None
        """Where a statically nested pipeline stands; set by what walks to it."""

        self.depth: int = around.depth + 1 if around else 0
        self.fans_out_above: bool = is_concurrent or (
            around is not None and around.fans_out_above
        )
        self._initialized = [
            each for each in passes if type(each).initialize is not Pass.initialize
        ]
        self._with_mutable_options = [
            each for each in passes if each.options.is_mutable_inside()
        ]
        self._dynamic = run.dynamic(self)
        self.state: PassExecutionState = PassExecutionState(
            run.context, self._make_analysis_manager, self._dynamic.run
        )
        self.steps: list[Pass | PipelineStep] = [
            element if isinstance(element, Pass) else run.nest(self, element)
            for element in scheduled.elements
        ]
        self._passes = [each for each in self.steps if isinstance(each, Pass)]
        self._nested = [each for each in self.steps if not isinstance(each, Pass)]
        self._declared: list[PreservedAnalyses | None] = [
            (
                declared_preservation(step)
                if isinstance(step, Pass)
                else step.declared_preservation
            )
            for step in self.steps
        ]
        self._calls = [step.run_on_operation for step in self.steps]
        self._called = dict(
            zip(self._calls, zip(self.steps, self._declared, strict=True), strict=True)
        )
        self._is_plain = not run.verify_each and not run.instrumentor
        self._refusals: dict[Hashable, str | None] = {}

    def begin_run(self) -> None:
        """Bind the passes and forget the previous run, but not its dispatch."""
        self.scheduled.was_matched = False
        self._dynamic.begin_run()
        bind_all(self._passes, self.state)
        for nested in self._nested:
            nested.begin_run()

    def end_run(self) -> None:
        """Give the passes free for other runs."""
        unbind_all(self._passes, self.state)
        count_waiting(self._passes)
        for nested in self._nested:
            nested.end_run()

    def try_begin_run(self) -> bool:
        """Do what `begin_run` does, unless another run has a pass; return whether."""
        try:
            self.begin_run()
        except PassInUseError:
            self.end_run()
            return False
        return True

    def check_options(self) -> None:
        """Check the options that may have changed inside since they were set.

        Raises:
            PassOptionError: one was changed to what it cannot be.
        """
        for pass_ in self._with_mutable_options:
            pass_.check_options()

    def initialize(self) -> None:
        """Initialize all passes: once in each run.

        Raises:
            PassFailure: one of them failed to.
        """
        for pass_ in self._initialized:
            try:
                pass_.initialize(self.run_info.context)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise PassFailure(
                    pass_name=pass_.name,
                    argument=pass_.argument,
                    operation="its initialization",
                ) from error

    def check_idle(self) -> None:
        """Check that the pipeline does not run on an operation now.

        Raises:
            SchedulingError: it does.
        """
        if self.state.operation is not None:
            message = f"the pipeline '{self.scheduled}' is already running"
            raise SchedulingError(message)

    def bind_nested(
        self, scheduled: ScheduledPipeline, *, is_concurrent: bool = False
    ) -> FinalizedPipeline:
        """Return `scheduled` bound to the run, inside this pipeline."""
        return FinalizedPipeline(
            self.run_info, scheduled, self, is_concurrent=is_concurrent
        )

    def run(
        self, operation: Operation, parent: PipelineParentInfo | None = None
    ) -> PassFailure | None:
        """Run everything on `operation`; return the failure that ended it, if any."""
        context = self.run_info.context
        refusal = self.refusal(operation)
        if refusal is not None:
            context.emit(
                "error", f"'{context.name(operation)}' op {refusal}", operation
            )
            return self.failure(next(self.scheduled.written()), operation, None)
        self.check_idle()
        self._share_analyses(operation)
        return self.run_admitted(operation, parent)

    def refusal(self, operation: Operation) -> str | None:
        """Return why the type of `operation` cannot anchor the pipeline, if so."""
        context = self.run_info.context
        key = context.type_key(operation)
        if key not in self._refusals:
            refusal = self.scheduled.refusal(context.info(operation))
            self._refusals[key] = refusal if self.steps else None
        return self._refusals[key]

    @property
    def declared_preservation(self) -> PreservedAnalyses | None:
        """What all passes declare preserved; `None` if that is nothing."""
        common: PreservedAnalyses | None = None
        for declared in self._declared:
            if declared is None:
                return None
            if common is None:
                common = declared.copy()
            else:
                common.intersect(declared)
        return common

    @property
    def run_admitted(self) -> RunOn:
        """What `run` does where no type is refused and no analysis is known yet."""
        run = self._run_plain if self._is_plain else self._run_observed
        scope = self.run_info.context.operation_scope
        if scope is None:
            return run

        def run_in_scope(
            operation: Operation, parent: PipelineParentInfo | None = None
        ) -> PassFailure | None:
            with scope(operation):
                return run(operation, parent)

        return run_in_scope

    def _run_plain(
        self, operation: Operation, _parent: PipelineParentInfo | None = None
    ) -> PassFailure | None:
        """Run all steps with no verifier and no instrumentation between them.

        What each pass on each operation costs is decided here: keep it to the call.
        """
        state = self.state
        if state.operation is not None:
            self.check_idle()
        state.operation = operation
        call: Callable[[], None] | None = None
        try:
            for call in self._calls:
                call()
                if state.touched:
                    step, declared = self._called[call]
                    if state.failed:
                        return self.failure(step, operation, None)
                    state.settle(declared)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - chained to the run's own error
            state.failed = True
            assert call is not None
            step, _ = self._called[call]
            return self.failure(step, operation, error)
        finally:
            if state.touched:
                state.leave()
            state.operation = None
        return None

    def _run_observed(
        self, operation: Operation, parent: PipelineParentInfo | None = None
    ) -> PassFailure | None:
        """Run all steps, each between its instrumentation hooks and verified."""
        state, instrumentor = self.state, self.run_info.instrumentor
        self.check_idle()
        state.operation = operation
        try:
            if not instrumentor:
                return self._run_steps(operation)
            if parent is None:
                thread_id = threading.get_ident()
                parent = PipelineParentInfo(thread_id, None, self.collection)
            instrumentor.run_before_pipeline(self.anchor, parent)
            failure = self._run_steps(operation)
            instrumentor.run_after_pipeline(self.anchor, parent)
            return failure
        finally:
            state.leave()

    def _run_steps(self, operation: Operation) -> PassFailure | None:
        for step, declared in zip(self.steps, self._declared, strict=True):
            failure = self._run_step(step, operation, declared)
            if failure is not None:
                self.state.failed = True
                return failure
        return None

    def _run_step(
        self,
        step: Pass | PipelineStep,
        operation: Operation,
        declared: PreservedAnalyses | None,
    ) -> PassFailure | None:
        run, state = self.run_info, self.state
        instrumentor = run.instrumentor or None
        if instrumentor is not None:
            if isinstance(step, Pass):
                instrumentor.run_before_pass(step, operation)
            else:
                instrumentor.run_before_collection(step.collection, operation)
        failure = self._call(step, operation)
        preserved = state.settle(declared)
        if run.verify_each and failure is None and not preserved.is_all:
            try:
                # What is nested was verified when its own pipeline ran.
                run.context.verify(operation, recursive=isinstance(step, Pass))
            except IRError as error:
                run.context.handle(error.diagnostic)
                failure = self.failure(step, operation, error)
        if instrumentor is not None:
            if not isinstance(step, Pass):
                instrumentor.run_after_collection(step.collection, operation)
            elif failure is not None:
                instrumentor.run_after_pass_failed(step, operation)
            else:
                instrumentor.run_after_pass(step, operation)
        return failure

    def _call(
        self, step: Pass | PipelineStep, operation: Operation
    ) -> PassFailure | None:
        try:
            step.run_on_operation()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - chained to the run's own error
            return self.failure(step, operation, error)
        return self.failure(step, operation, None) if self.state.failed else None

    def failure(
        self, step: object, operation: Operation, cause: BaseException | None
    ) -> PassFailure:
        """Return the failure of `step`: one that came from inside it says more."""
        if self.state.inner_failure is not None and cause is None:
            return self.state.inner_failure
        failure = PassFailure(
            pass_name=step.name if isinstance(step, Pass) else "",
            argument=step.argument if isinstance(step, Pass) else "",
            operation=self.run_info.context.describe(operation),
        )
        failure.__cause__ = cause
        return failure

    def _share_analyses(self, operation: Operation) -> None:
        """Let the passes invalidate analyses that were computed before they run."""
        outer = self.around.state if self.around else None
        if outer is None or not outer.has_analyses:
            return
        manager = outer.analysis_manager.nested_or_none(operation)
        if manager is not None:
            is_same = operation is outer.operation or operation == outer.operation
            self.state.share_analyses(manager, with_caller=is_same)

    def _make_analysis_manager(self, operation: Operation) -> AnalysisManager:
        if self.around is not None:
            return self.around.state.analysis_manager.nest(operation)
        run = self.run_info
        return AnalysisManager(operation, run.context, run.instrumentor)


def finalize(
    manager: OpPassManager, run: RunInfo, around: FinalizedPipeline | None = None
) -> FinalizedPipeline:
    """Return `manager` ready to run, inside the pipeline `around` it if any.

    Raises:
        SchedulingError: a pass cannot run on the anchor of its manager.
    """
    scheduled = schedule(manager, run.context)
    check_passes_apart(scheduled)
    if run.instrumentor.detail is Detail.RUNS:
        scheduled = fuse(scheduled, verify_each=run.verify_each)
    return FinalizedPipeline(run, scheduled, around, passes=tuple(manager.passes()))
