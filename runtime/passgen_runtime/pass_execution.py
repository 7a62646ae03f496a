"""The run of a pipeline over an operation, dispatched as MLIR does it.

Implements `OpToOpPassAdaptor` of mlir/lib/Pass/Pass.cpp. Each pipeline learns whether
it accepts an operation type the first time it meets one; from then on an operation
finds its nested pipeline by the identity of its type.

Failure of a pass on one operation ends the pipeline of that operation. Its siblings
still run, and then the pipeline around them ends with the first failure among them, in
the order of the operations.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

from passgen_runtime.analysis_manager import AnalysisManager
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import Diagnostic, IRError, PassFailure, SchedulingError
from passgen_runtime.operation_pass import Pass, PassExecutionState
from passgen_runtime.pass_instrumentation import (
    PassInstrumentor,
    PipelineParentInfo,
)
from passgen_runtime.pass_scheduling import ScheduledPipeline, schedule
from passgen_runtime.pass_statistics import statistics_of
from passgen_runtime.pass_threading import Threading
from passgen_runtime.textual_pipeline import ANY_ANCHOR

if TYPE_CHECKING:
    from passgen_runtime.pass_manager import OpPassManager

NOT_NESTED = (
    "Trying to schedule a dynamic pipeline on an operation that isn't nested under the "
    "current operation the pass is processing"
)
"""MLIR's words for a dynamic pipeline on an operation that is not the pass's."""


class _RunOn(Protocol):
    """Runs a pipeline on an operation; returns the failure that ended it, if any."""

    def __call__(
        self, operation: Operation, parent: PipelineParentInfo | None = None, /
    ) -> PassFailure | None: ...


class PipelineRun:
    """One run of a pass manager: what all of its pipelines share, in all threads."""

    def __init__(
        self,
        context: Context,
        instrumentor: PassInstrumentor,
        *,
        verify_each: bool,
        threads: Threading | None,
    ) -> None:
        """Prepare a run."""
        self.context = context
        self.instrumentor = instrumentor
        self.verify_each = verify_each
        self.threads = threads
        self._dynamic: dict[int, tuple[OpPassManager, FinalizedPipeline]] = {}

    def finalize(
        self, manager: OpPassManager, around: FinalizedPipeline | None = None
    ) -> FinalizedPipeline:
        """Return `manager` ready to run, inside the pipeline `around` it if any.

        Raises:
            SchedulingError: a pass cannot run on the anchor of its manager.
            PassFailure: a pass failed to initialize.
        """
        pipeline = FinalizedPipeline(self, schedule(manager, self.context), around)
        for pass_ in manager.passes():
            try:
                pass_.initialize(self.context)
            except Exception as error:
                raise PassFailure(
                    pass_name=pass_.name,
                    argument=pass_.argument,
                    operation="its initialization",
                    pipeline=str(manager),
                ) from error
        return pipeline

    def finalize_dynamic(
        self, manager: OpPassManager, around: FinalizedPipeline
    ) -> FinalizedPipeline:
        """Return the dynamic pipeline `manager` ready to run; once per run and thread.

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
        """Bind the passes of `scheduled` to this run.

        Args:
            run: the run.
            scheduled: what to run; its passes are bound to no other pipeline.
            around: the pipeline whose operations hold the operations of this one.
            is_concurrent: whether other operations of the same level run meanwhile.
        """
        self.run_info = run
        self.scheduled = scheduled
        self.anchor = scheduled.anchor
        self.around = around
        self.depth: int = around.depth + 1 if around else 0
        self.fans_out_above: bool = is_concurrent or (
            around is not None and around.fans_out_above
        )
        self.state = PassExecutionState(
            run.context, self._make_analysis_manager, self._run_dynamic
        )
        self.steps: list[Pass | NestedPipelines] = []
        for element in scheduled.elements:
            if isinstance(element, Pass):
                element.bind(self.state)
                self.steps.append(element)
            else:
                self.steps.append(NestedPipelines(self, element))
        self._calls: list[Callable[[], None]] = [
            step.run_on_operation for step in self.steps
        ]
        self._is_plain = not run.verify_each and not run.instrumentor
        self._refusals: dict[Hashable, str | None] = {}

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
            return self._failure(self.steps[0], operation, None)
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
    def run_admitted(self) -> _RunOn:
        """What runs everything on an operation whose type is known not to be refused."""
        return self._run_plain if self._is_plain else self._run_observed

    def _run_plain(
        self, operation: Operation, _parent: PipelineParentInfo | None = None
    ) -> PassFailure | None:
        """Run all steps with no verifier and no instrumentation between them.

        What each pass on each operation costs is decided here: keep it to the call.
        """
        state = self.state
        if state.operation is not None:
            raise self._already_running()
        state.operation = operation
        call: Callable[[], None] | None = None
        try:
            for call in self._calls:
                call()
                if state.touched:
                    if state.failed:
                        return self._failure(self._step_of(call), operation, None)
                    state.settle()
        except Exception as error:  # noqa: BLE001 - chained to the run's own error
            return self._failure(self._step_of(call), operation, error)
        finally:
            if state.touched:
                state.leave()
            state.operation = None
        return None

    def _run_observed(
        self, operation: Operation, parent: PipelineParentInfo | None = None
    ) -> PassFailure | None:
        """Run all steps, each between its instrumentation hooks and verified."""
        state = self.state
        if state.operation is not None:
            raise self._already_running()
        state.operation = operation
        try:
            return self._run_steps(operation, parent)
        finally:
            state.leave()

    def _run_steps(
        self, operation: Operation, parent: PipelineParentInfo | None
    ) -> PassFailure | None:
        instrumentor = self.run_info.instrumentor
        parent = parent or PipelineParentInfo(threading.get_ident(), None)
        if instrumentor:
            instrumentor.run_before_pipeline(self.anchor, parent)
        failure: PassFailure | None = None
        for step in self.steps:
            failure = self._run_step(step, operation)
            if failure is not None:
                break
        if instrumentor:
            instrumentor.run_after_pipeline(self.anchor, parent)
        return failure

    def _run_step(
        self, step: Pass | NestedPipelines, operation: Operation
    ) -> PassFailure | None:
        run, state = self.run_info, self.state
        pass_ = step if isinstance(step, Pass) else None
        if pass_ is not None and run.instrumentor:
            run.instrumentor.run_before_pass(pass_, operation)
        failure: PassFailure | None = None
        try:
            step.run_on_operation()
        except Exception as error:  # noqa: BLE001 - chained to the run's own error
            failure = self._failure(step, operation, error)
        if state.failed and failure is None:
            failure = self._failure(step, operation, None)
        preserved = state.settle()
        if run.verify_each and failure is None and not preserved.is_all:
            try:
                # What is nested was verified when its own pipeline ran.
                run.context.verify(operation, recursive=pass_ is not None)
            except IRError as error:
                run.context.handle(error.diagnostic)
                failure = self._failure(step, operation, error)
        if pass_ is not None and run.instrumentor:
            if failure is not None:
                run.instrumentor.run_after_pass_failed(pass_, operation)
            else:
                run.instrumentor.run_after_pass(pass_, operation)
        return failure

    def _failure(
        self, step: object, operation: Operation, cause: BaseException | None
    ) -> PassFailure:
        """Return the failure of `step`: one that came from inside it says more."""
        if self.state.inner_failure is not None and cause is None:
            return self.state.inner_failure
        failure = PassFailure(
            pass_name=step.name if isinstance(step, Pass) else "",
            argument=step.argument if isinstance(step, Pass) else "",
            operation=self.run_info.context.describe(operation),
            pipeline="",
        )
        failure.__cause__ = cause
        return failure

    def _step_of(self, call: Callable[[], None] | None) -> Pass | NestedPipelines:
        assert call is not None
        return self.steps[self._calls.index(call)]

    def _already_running(self) -> SchedulingError:
        return SchedulingError(f"the pipeline {self.anchor}(...) is already running")

    def _make_analysis_manager(self, operation: Operation) -> AnalysisManager:
        if self.around is not None:
            return self.around.state.analysis_manager.nest(operation)
        run = self.run_info
        return AnalysisManager(operation, run.context, run.instrumentor)

    def _run_dynamic(
        self, pass_: Pass, manager: OpPassManager, operation: Operation
    ) -> bool:
        context = self.run_info.context
        name = context.name(operation)
        problem = None
        if not context.is_ancestor(self.state.operation, operation):
            problem = f"'{name}' op {NOT_NESTED}"
        elif manager.anchor not in (ANY_ANCHOR, name):
            problem = f"can't run '{manager.anchor}' pass manager on '{name}' op"
        if problem is not None:
            context.emit("error", problem, operation)
            failure: PassFailure | None = self._failure(pass_, operation, None)
        else:
            pipeline = self.run_info.finalize_dynamic(manager, self)
            parent = PipelineParentInfo(threading.get_ident(), pass_)
            failure = pipeline.run(operation, parent)
            _adopt_dynamic_statistics(pass_, manager)
        if failure is not None:
            # The pass may go on; only if it fails too is this why.
            self.state.inner_failure = failure
            self.state.touched = True
        return failure is None


class NestedPipelines:
    """A group of nested pipelines, which share one walk over the operations inside."""

    def __init__(
        self, outer: FinalizedPipeline, group: Iterable[ScheduledPipeline]
    ) -> None:
        """Bind the passes of `group` to the run of `outer`."""
        self._outer = outer
        self._group = tuple(group)
        self._pipelines = [
            FinalizedPipeline(outer.run_info, scheduled, outer)
            for scheduled in self._group
        ]
        self._index_by_type: dict[Hashable, int | None] = {}
        self._run_by_type: dict[Hashable, _RunOn | None] = {}

    def run_on_operation(self) -> None:
        """Run, on each operation directly inside the current one, its pipeline."""
        outer, state = self._outer, self._outer.state
        threads = outer.run_info.threads
        if threads is not None and self._run_concurrently(threads):
            return
        context = state.context
        type_key, run_by_type = context.type_key, self._run_by_type
        for operation in context.children(state.operation):
            key = type_key(operation)
            try:
                run = run_by_type[key]
            except KeyError:
                run = run_by_type[key] = self._find_run(operation)
            if run is not None:
                failure = run(operation)
                if failure is not None:
                    state.fail(failure)

    def _run_concurrently(self, threads: Threading) -> bool:
        """Run the targets in several threads if there are several; return whether."""
        outer, context = self._outer, self._outer.run_info.context
        targets = self._targets()
        if len(targets) < 2 or not threads.policy(  # noqa: PLR2004 - more than one
            depth=outer.depth + 1,
            fans_out_above=outer.fans_out_above,
            num_targets=len(targets),
        ):
            return False
        # Made here, so that no two threads make the same one.
        for _, operation, _ in targets:
            outer.state.analysis_manager.nest(operation)
        parent = PipelineParentInfo(threading.get_ident(), None)
        failures: list[PassFailure | None] = [None] * len(targets)
        outputs: list[list[Diagnostic | str]] = [[] for _ in targets]
        with self._replicas() as replicas:

            def run(target: tuple[int, Operation, int]) -> None:
                number, operation, index = target
                pipelines = replicas.take()
                with context.collecting(outputs[number]):
                    failures[number] = pipelines[index].run(operation, parent)
                replicas.give_back(pipelines)

            threads.map(run, targets)
        for output in outputs:
            for each in output:
                context.handle(each)
        for failure in failures:
            if failure is not None:
                outer.state.fail(failure)
        return True

    def _targets(self) -> list[tuple[int, Operation, int]]:
        """Return number, operation and index of the pipeline of each target."""
        context = self._outer.run_info.context
        targets: list[tuple[int, Operation, int]] = []
        for operation in context.children(self._outer.state.operation):
            key = context.type_key(operation)
            if key not in self._index_by_type:
                self._index_by_type[key] = self._find_index(operation)
            index = self._index_by_type[key]
            if index is not None:
                targets.append((len(targets), operation, index))
        return targets

    @contextmanager
    def _replicas(self) -> Iterator[_Replicas]:
        """Give each thread pipelines of its own; add up their statistics at the end."""
        replicas = _Replicas(self._outer, self._group)
        try:
            yield replicas
        finally:
            for group in replicas.groups:
                for original, copy in zip(self._group, group, strict=True):
                    for into, from_ in zip(
                        original.passes(), copy.passes(), strict=True
                    ):
                        _move_statistics(into, from_)

    def _find_run(self, operation: Operation) -> _RunOn | None:
        """Return what to call on operations of this type; found once for each type."""
        index = self._find_index(operation)
        if index is None:
            return None
        pipeline = self._pipelines[index]
        is_refused = pipeline.refusal(operation) is not None
        return pipeline.run if is_refused else pipeline.run_admitted

    def _find_index(self, operation: Operation) -> int | None:
        """Return which pipeline runs on operations of this type: its own, or `any`."""
        context = self._outer.run_info.context
        name, info = context.name(operation), context.info(operation)
        for index, pipeline in enumerate(self._group):
            if pipeline.anchor == name:
                return index
        for index, pipeline in enumerate(self._group):
            if pipeline.is_op_agnostic and pipeline.refusal(info) is None:
                return index
        return None


class _Replicas:
    """Copies of a group of pipelines, each used by one thread at a time."""

    def __init__(
        self, outer: FinalizedPipeline, group: tuple[ScheduledPipeline, ...]
    ) -> None:
        self.groups: list[list[ScheduledPipeline]] = []
        self._outer = outer
        self._group = group
        self._free: SimpleQueue[list[FinalizedPipeline]] = SimpleQueue()

    def take(self) -> list[FinalizedPipeline]:
        """Return pipelines that no other thread uses."""
        try:
            return self._free.get_nowait()
        except Empty:
            copies = [scheduled.clone() for scheduled in self._group]
            self.groups.append(copies)
            return [
                FinalizedPipeline(
                    self._outer.run_info, copy, self._outer, is_concurrent=True
                )
                for copy in copies
            ]

    def give_back(self, pipelines: list[FinalizedPipeline]) -> None:
        """Let other threads use `pipelines`."""
        self._free.put(pipelines)


def _adopt_dynamic_statistics(pass_: Pass, manager: OpPassManager) -> None:
    """Move the counts of a dynamic pipeline to the pass that ran it.

    What is kept is one pipeline for each text, because passes may build the pipeline
    anew for each operation.
    """
    kept = pass_.dynamic_pipelines.setdefault(str(manager), manager.copy())
    for into, from_ in zip(kept.passes(), manager.passes(), strict=True):
        _move_statistics(into, from_)


def _move_statistics(into: Pass, from_: Pass) -> None:
    for name, counter in statistics_of(from_).items():
        setattr(into, name, int(getattr(into, name)) + counter.value)
        counter.value = 0
    for text, manager in from_.dynamic_pipelines.items():
        kept = into.dynamic_pipelines.setdefault(text, manager.copy())
        for kept_pass, pass_ in zip(kept.passes(), manager.passes(), strict=True):
            _move_statistics(kept_pass, pass_)
    from_.dynamic_pipelines.clear()
