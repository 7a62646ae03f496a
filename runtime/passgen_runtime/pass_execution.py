"""The run of a pipeline: merged, checked and dispatched as MLIR does it.

Implements the scheduling that MLIR's PassManagement page describes under "Pass Manager"
(mlir/lib/Pass/Pass.cpp). A pipeline is finalised once per run: adjacent nested managers
are merged, and each pipeline learns which operation types it may run on the first time
it meets one. From then on an operation finds its nested pipeline by the identity of its
type.

Failure of a pass on one operation ends the pipeline of that operation; its siblings
still run, and then the pipeline around them ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from passgen_runtime.analysis_manager import AnalysisManager
from passgen_runtime.context import Context, Operation, OperationInfo
from passgen_runtime.errors import IRError, PassFailure, SchedulingError
from passgen_runtime.operation_pass import Pass, PassExecutionState
from passgen_runtime.pass_instrumentation import (
    PassInstrumentor,
    PipelineParentInfo,
)
from passgen_runtime.textual_pipeline import ANY_ANCHOR

if TYPE_CHECKING:
    from passgen_runtime.pass_manager import OpPassManager

NOT_REGISTERED = "trying to schedule a pass on an unregistered operation"
NOT_ISOLATED = (
    "trying to schedule a pass on an operation not marked as 'IsolatedFromAbove'"
)
NOT_SUPPORTED = "trying to schedule a pass on an unsupported operation"
NOT_NESTED = (
    "Trying to schedule a dynamic pipeline on an operation that isn't nested under the "
    "current operation the pass is processing"
)


class PipelineRun:
    """One run of a pass manager: what all of its pipelines share."""

    def __init__(
        self, context: Context, instrumentor: PassInstrumentor, *, verify_each: bool
    ) -> None:
        """Prepare a run; nothing has failed yet."""
        self.context = context
        self.instrumentor = instrumentor
        self.verify_each = verify_each
        self._failure: PassFailure | None = None
        self._dynamic: dict[int, tuple[OpPassManager, FinalizedPipeline]] = {}

    def finalize(
        self, manager: OpPassManager, around: FinalizedPipeline | None = None
    ) -> FinalizedPipeline:
        """Return `manager` ready to run, inside the pipeline `around` it if any.

        Raises:
            SchedulingError: a pass cannot run on the anchor of its manager.
            PassFailure: a pass failed to initialize.
        """
        draft = _draft(manager, self.context)
        pipeline = FinalizedPipeline(self, draft, around)
        for pass_ in manager.passes():
            try:
                pass_.initialize(self.context)
            except Exception as error:
                self.record_failure(pass_, "its initialization", error)
                raise self.failure(str(manager)) from error
        return pipeline

    def finalize_dynamic(
        self, manager: OpPassManager, around: FinalizedPipeline
    ) -> FinalizedPipeline:
        """Return the dynamic pipeline `manager` ready to run; once per run.

        Raises:
            SchedulingError: a pass cannot run on the anchor of its manager.
            PassFailure: a pass failed to initialize.
        """
        # The manager is kept beside its pipeline so that its id stays its own.
        known = self._dynamic.get(id(manager))
        if known is None or known[1].around is not around:
            known = (manager, self.finalize(manager, around))
            self._dynamic[id(manager)] = known
        return known[1]

    def record_failure(
        self, pass_: Pass | None, operation: str, cause: BaseException | None
    ) -> None:
        """Keep the first failure of the run: the one that `failure` reports."""
        if self._failure is None:
            self._failure = PassFailure(
                pass_name=pass_.name if pass_ else "",
                argument=pass_.argument if pass_ else "",
                operation=operation,
                pipeline="",
            )
            self._failure.__cause__ = cause

    def take_failure(self, known: PassFailure | None = None) -> PassFailure | None:
        """Return the failure recorded so far, and go on with `known` in its place."""
        taken, self._failure = self._failure, known
        return taken

    def failure(self, pipeline: str) -> PassFailure:
        """Return the error of this run, which has failed, as one of `pipeline`."""
        assert self._failure is not None
        return self._failure.in_pipeline(pipeline)


class FinalizedPipeline:
    """The passes and nested pipelines for operations of one anchor, in order."""

    def __init__(
        self, run: PipelineRun, draft: _Draft, around: FinalizedPipeline | None
    ) -> None:
        """Bind the passes of `draft` to this run.

        Raises:
            SchedulingError: a pass cannot run on the anchor.
        """
        self.run_info = run
        self.anchor = draft.anchor
        self.around = around
        self.state = PassExecutionState(
            run.context, self._make_analysis_manager, self._run_dynamic
        )
        self.steps: list[Pass | NestedPipelines] = []
        for element in draft.elements:
            if isinstance(element, Pass):
                _check_anchor(element, draft.anchor, run.context)
                element._state = self.state  # noqa: SLF001 - the pass manager sets it
                self.steps.append(element)
            else:
                self.steps.append(NestedPipelines(self, element))
        self._calls: list[Callable[[], None]] = [
            step.run_on_operation for step in self.steps
        ]
        self._is_plain = not run.verify_each and not run.instrumentor
        self._refusals: dict[Hashable, str | None] = {}

    def can_schedule_on(self, info: OperationInfo | None) -> bool:
        """Return whether all passes directly in here accept the operation type."""
        return self._refusal(info) is None

    def run(self, operation: Operation) -> bool:
        """Run everything on `operation`; return whether nothing failed."""
        context = self.run_info.context
        key = context.type_key(operation)
        if key not in self._refusals:
            self._refusals[key] = self._refusal(context.info(operation))
        refusal = self._refusals[key]
        if refusal is not None and self.steps:
            message = f"'{context.name(operation)}' op {refusal}"
            context.emit("error", message, operation)
            first = self.steps[0]
            pass_ = first if isinstance(first, Pass) else None
            self.run_info.record_failure(pass_, context.describe(operation), None)
            return False
        return self.run_admitted(operation)

    def run_admitted(self, operation: Operation) -> bool:
        """Run everything on `operation`, whose type is known to be accepted."""
        state = self.state
        enclosing = state.operation
        if enclosing is not None:
            message = f"the pipeline {self.anchor}(...) is already running"
            raise SchedulingError(message)
        state.operation = operation
        try:
            if self._is_plain:
                return self._run_plain()
            return self._run_observed(operation)
        finally:
            state.leave()

    def _run_plain(self) -> bool:
        """Run all steps with no verifier and no instrumentation between them."""
        state = self.state
        call: Callable[[], None] | None = None
        try:
            for call in self._calls:
                call()
                if state.touched:
                    if state.failed:
                        self._record(call.__self__, None)  # type: ignore[attr-defined] # bound methods
                        return False
                    state.settle()
        except Exception as error:  # noqa: BLE001 - chained to the run's own error
            assert call is not None
            self._record(call.__self__, error)  # type: ignore[attr-defined] # bound methods
            return False
        return True

    def _run_observed(self, operation: Operation) -> bool:
        """Run all steps, each between its instrumentation hooks and verified."""
        run = self.run_info
        instrumentor = run.instrumentor
        parent = PipelineParentInfo(threading.get_ident(), None)
        instrumentor.run_before_pipeline(self.anchor, parent)
        try:
            return all(self._run_step(step, operation) for step in self.steps)
        finally:
            instrumentor.run_after_pipeline(self.anchor, parent)

    def _run_step(self, step: Pass | NestedPipelines, operation: Operation) -> bool:
        run, state = self.run_info, self.state
        pass_ = step if isinstance(step, Pass) else None
        if pass_ is not None:
            run.instrumentor.run_before_pass(pass_, operation)
        cause: Exception | None = None
        try:
            step.run_on_operation()
        except Exception as error:  # noqa: BLE001 - chained to the run's own error
            cause = error
        failed = state.failed or cause is not None
        preserved = state.settle()
        if run.verify_each and not failed and not preserved.is_all:
            try:
                # What is nested was verified when its own pipeline ran.
                run.context.verify(operation, recursive=pass_ is not None)
            except IRError as error:
                run.context.diagnostic_handler(error.diagnostic)
                cause = error
                failed = True
        if failed:
            self._record(step, cause)
        if pass_ is not None:
            if failed:
                run.instrumentor.run_after_pass_failed(pass_, operation)
            else:
                run.instrumentor.run_after_pass(pass_, operation)
        return not failed

    def _record(self, step: object, cause: BaseException | None) -> None:
        run = self.run_info
        if self.state.inner_failure is not None and cause is None:
            run.take_failure(run.take_failure() or self.state.inner_failure)
            return
        operation = run.context.describe(self.state.operation)
        run.record_failure(step if isinstance(step, Pass) else None, operation, cause)

    def _refusal(self, info: OperationInfo | None) -> str | None:
        """Return why the pipeline cannot run on operations of a type, if it cannot."""
        if info is None:
            return NOT_REGISTERED
        if not info.is_isolated_from_above:
            return NOT_ISOLATED
        passes = (step for step in self.steps if isinstance(step, Pass))
        if not all(pass_.can_schedule_on(info) for pass_ in passes):
            return NOT_SUPPORTED
        return None

    def _make_analysis_manager(self, operation: Operation) -> AnalysisManager:
        if self.around is not None:
            return self.around.state.analysis_manager.nest(operation)
        run = self.run_info
        return AnalysisManager(operation, run.context, run.instrumentor)

    def _run_dynamic(
        self, pass_: Pass, manager: OpPassManager, operation: Operation
    ) -> bool:
        context = self.run_info.context
        if not context.is_ancestor(self.state.operation, operation):
            message = f"'{context.name(operation)}' op {NOT_NESTED}"
            context.emit("error", message, operation)
            self.run_info.record_failure(pass_, context.describe(operation), None)
            return False
        name = context.name(operation)
        if manager.anchor not in (ANY_ANCHOR, name):
            message = f"can't run '{manager.anchor}' pass manager on '{name}' op"
            context.emit("error", message, operation)
            self.run_info.record_failure(pass_, context.describe(operation), None)
            return False
        run = self.run_info
        known = run.take_failure()
        succeeded = run.finalize_dynamic(manager, self).run(operation)
        inner = run.take_failure(known)
        if not succeeded:
            # The pass may go on; only if it fails too is this why.
            self.state.inner_failure = inner
            self.state.touched = True
        return succeeded


class NestedPipelines:
    """Adjacent nested pipelines that share one walk over the operations of another."""

    def __init__(self, outer: FinalizedPipeline, drafts: Iterable[_Draft]) -> None:
        """Bind `drafts` to the run of `outer`, op-specific ones by anchor first."""
        self._outer = outer
        self._pipelines = [
            FinalizedPipeline(outer.run_info, draft, outer)
            for draft in sorted(drafts, key=_dispatch_order)
        ]
        self._by_type: dict[Hashable, FinalizedPipeline | None] = {}

    def run_on_operation(self) -> None:
        """Run, on each operation directly inside the current one, its pipeline."""
        state = self._outer.state
        context = state.context
        type_key, by_type = context.type_key, self._by_type
        for operation in context.children(state.operation):
            key = type_key(operation)
            if key not in by_type:
                by_type[key] = self._pipeline_for(operation)
            pipeline = by_type[key]
            if pipeline is not None and not pipeline.run(operation):
                state.failed = state.touched = True

    def _pipeline_for(self, operation: Operation) -> FinalizedPipeline | None:
        context = self._outer.run_info.context
        name = context.name(operation)
        for pipeline in self._pipelines:
            if pipeline.anchor == name:
                return pipeline
        info = context.info(operation)
        for pipeline in self._pipelines:
            if pipeline.anchor == ANY_ANCHOR and pipeline.can_schedule_on(info):
                return pipeline
        return None


@dataclass
class _Draft:
    """A pass manager while its adjacent nested managers are merged."""

    anchor: str
    elements: list[Pass | list[_Draft]] = field(default_factory=list)

    def can_schedule_on(self, name: str, context: Context) -> bool:
        info = context.lookup(name)
        if info is None or not info.is_isolated_from_above:
            return False
        passes = (each for each in self.elements if isinstance(each, Pass))
        return all(pass_.can_schedule_on(info) for pass_ in passes)


def _draft(manager: OpPassManager, context: Context) -> _Draft:
    draft = _Draft(manager.anchor)
    for element in manager.elements:
        if isinstance(element, Pass):
            draft.elements.append(element)
        else:
            draft.elements.append([_draft(element, context)])
    _merge_adjacent(draft, context)
    return draft


def _merge_adjacent(draft: _Draft, context: Context) -> None:
    """Merge runs of nested managers as MLIR's adaptor does, at every level."""
    merged: list[Pass | list[_Draft]] = []
    for element in draft.elements:
        last = merged[-1] if merged else None
        if (
            isinstance(element, list)
            and isinstance(last, list)
            and not _conflict(last, element, context)
            and not _conflict(element, last, context)
        ):
            _merge_into(last, element)
        else:
            merged.append(element)
    draft.elements = merged
    for element in merged:
        if isinstance(element, list):
            for nested in element:
                _merge_adjacent(nested, context)


def _conflict(ones: list[_Draft], others: list[_Draft], context: Context) -> bool:
    """Return whether an op-agnostic one of `ones` may want operations of `others`."""
    agnostic = next((one for one in ones if one.anchor == ANY_ANCHOR), None)
    return agnostic is not None and any(
        other.anchor == ANY_ANCHOR or agnostic.can_schedule_on(other.anchor, context)
        for other in others
    )


def _merge_into(managers: list[_Draft], following: list[_Draft]) -> None:
    for each in following:
        same = next((one for one in managers if one.anchor == each.anchor), None)
        if same is None:
            managers.append(each)
        else:
            same.elements += each.elements


def _dispatch_order(draft: _Draft) -> tuple[bool, str]:
    return (draft.anchor == ANY_ANCHOR, draft.anchor)


def _check_anchor(pass_: Pass, anchor: str, context: Context) -> None:
    info = None if anchor == ANY_ANCHOR else context.lookup(anchor)
    if info is not None and not pass_.can_schedule_on(info):
        raise SchedulingError(cannot_schedule(pass_, anchor))


def cannot_schedule(pass_: Pass, anchor: str) -> str:
    """Return MLIR's text for a pass that refuses the anchor of its manager."""
    return (
        f"unable to schedule pass '{pass_.name}' on a PassManager intended to run on "
        f"'{anchor}'!"
    )
