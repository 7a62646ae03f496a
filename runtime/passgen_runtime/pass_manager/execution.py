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
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING

from passgen_runtime.analysis import (
    AnalysisManager,
    PreservedAnalyses,
    declared_preservation,
)
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError, PassFailure, SchedulingError
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
from passgen_runtime.pass_manager.dynamic import DynamicPipelines
from passgen_runtime.pass_manager.nested import FusedPipelines, NestedPipelines, RunOn
from passgen_runtime.pass_manager.scheduling import (
    Element,
    ScheduledPipeline,
    check_passes_apart,
    fuse,
    fused_class,
    schedule,
)
from passgen_runtime.pass_manager.threading import Threading

if TYPE_CHECKING:
    from passgen_runtime.pass_manager.pass_manager import OpPassManager


class PipelineRun:
    """What all pipelines of a pass manager's runs share, in all threads."""

    def __init__(
        self,
        context: Context,
        instrumentor: PassInstrumentor,
        *,
        verify_each: bool,
        threads: Threading | None,
    ) -> None:
        """Prepare to run."""
        self.context = context
        self.instrumentor = instrumentor
        self.verify_each = verify_each
        self.threads = threads

    def finalize(
        self, manager: OpPassManager, around: FinalizedPipeline | None = None
    ) -> FinalizedPipeline:
        """Return `manager` scheduled and bound, inside the pipeline `around` it if any.

        Raises:
            SchedulingError: a pass cannot run on the anchor of its manager.
        """
        scheduled = schedule(manager, self.context)
        check_passes_apart(scheduled)
        if self.instrumentor.detail is Detail.RUNS:
            scheduled = fuse(scheduled, verify_each=self.verify_each)
        return FinalizedPipeline(self, scheduled, around)

    def initialize(self, passes: Iterable[Pass]) -> None:
        """Initialize `passes`: once in each run.

        Raises:
            PassFailure: one of them failed to.
        """
        for pass_ in passes:
            try:
                pass_.initialize(self.context)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise PassFailure(
                    pass_name=pass_.name,
                    argument=pass_.argument,
                    operation="its initialization",
                ) from error


class FinalizedPipeline:
    """The passes and nested pipelines for operations of one anchor, in order."""

    def __init__(
        self,
        run: PipelineRun,
        scheduled: ScheduledPipeline,
        around: FinalizedPipeline | None,
        *,
        is_concurrent: bool = False,
    ) -> None:
        """Lay out what `scheduled` runs; `begin_run` binds its passes.

        Args:
            run: the run.
            scheduled: what to run; its passes are bound to no other pipeline meanwhile.
            around: the pipeline whose operations hold the operations of this one.
            is_concurrent: whether other operations of the same level run meanwhile.
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
        self._dynamic = DynamicPipelines(self)
        self.state: PassExecutionState = PassExecutionState(
            run.context, self._make_analysis_manager, self._dynamic.run
        )
        self.steps = [self._step(element) for element in scheduled.elements]
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

    def _step(self, element: Element) -> Pass | NestedPipelines | FusedPipelines:
        if isinstance(element, Pass):
            return element
        follows_operations = self.run_info.instrumentor.detail is Detail.OPERATIONS
        fused_by = None if follows_operations else fused_class(element)
        if fused_by is not None:
            return FusedPipelines(self, element, fused_by)
        return NestedPipelines(self, element)

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
        for nested in self._nested:
            nested.end_run()

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
        step: Pass | NestedPipelines | FusedPipelines,
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
        self, step: Pass | NestedPipelines | FusedPipelines, operation: Operation
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
