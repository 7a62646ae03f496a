"""Groups of nested pipelines, and the runners that run them.

Implements `OpToOpPassAdaptor::runOnOperationImpl` of mlir/lib/Pass/Pass.cpp. An
operation finds its pipeline by the identity of its type.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from passgen_runtime.analysis import common_preservation
from passgen_runtime.context import Operation
from passgen_runtime.errors import PassFailure
from passgen_runtime.pass_instrumentation import PipelineCollection, PipelineParentInfo
from passgen_runtime.pass_manager.execution import FinalizedPipeline, RunOn
from passgen_runtime.pass_manager.op_pass_manager import OpPassManager
from passgen_runtime.pass_manager.run_state import RunState


class Runner:
    """Runs groups of nested pipelines: this class, on one operation after the other.

    A subclass may run them elsewhere, or in another order: operations of a group are
    independent. One runner may run several pass managers at once.
    """

    is_multithreaded: ClassVar[bool] = False
    """Whether passes of a run may be running in several threads of this process."""

    def begin_run(self, pipeline: FinalizedPipeline) -> None:
        """Prepare for a run of `pipeline`, whose passes are initialized.

        Raises:
            PassError: this runner cannot run it; no pass runs.
        """

    def run(self, group: NestedPipelines) -> Sequence[PassFailure]:
        """Run `group` on its operations; return the failures in their order."""
        return group.run_in_turn()

    def end_run(self) -> None:
        """Clean up after a run, successful or not."""


class Target(NamedTuple):
    """An operation to run a pipeline on, by its index in the group."""

    number: int
    operation: Operation
    pipeline_index: int


MakePipelines: TypeAlias = Callable[
    [Sequence[OpPassManager]], Sequence[FinalizedPipeline]
]
"""Finalizes pipelines as written, in their order."""


class NestedPipelines:
    """A group of nested pipelines, which share one walk over the operations inside."""

    def __init__(
        self,
        state: RunState,
        managers: Sequence[OpPassManager],
        make_pipelines: MakePipelines,
        *,
        merges: bool,
    ) -> None:
        """Group pipelines as one step of another one.

        Args:
            state: the state of the pipeline around them.
            managers: the pipelines as written, one for each anchor.
            make_pipelines: finalizes them, or clones of them.
            merges: whether adjacent pipelines inside them are merged.
        """
        self.state = state
        self.managers = managers
        self.merges = merges
        self.make_pipelines = make_pipelines
        self.pipelines: Sequence[FinalizedPipeline] = make_pipelines(managers)
        anchors = tuple(pipeline.anchor for pipeline in self.pipelines)
        self.collection = PipelineCollection(anchors)
        for pipeline in self.pipelines:
            pipeline.collection = self.collection
        self.declared_preservation = common_preservation(
            pipeline.declared_preservation for pipeline in self.pipelines
        )
        self._run_group: Callable[[NestedPipelines], Sequence[PassFailure]]
        self._run_group = state.settings.runner.run
        self._index_by_type: dict[Hashable, int | None] = {}
        # For walks without, and with, analyses that were computed before.
        self._runs: tuple[dict[Hashable, RunOn | None], ...] = ({}, {})

    def __str__(self) -> str:
        """Return the textual pipelines."""
        return ",".join(map(str, self.pipelines))

    def begin_run(self) -> None:
        """Begin a run of the pipelines; keep their dispatch by type."""
        for runs in self._runs:
            runs.clear()
        for pipeline in self.pipelines:
            pipeline.begin_run()

    def end_run(self) -> None:
        """Release the passes for other runs."""
        for pipeline in self.pipelines:
            pipeline.end_run()

    def run_on_operation(self) -> None:
        """Run the pipelines on the operations directly inside the current one."""
        for failure in self._run_group(self):
            self.state.fail(failure)

    # For runners.

    def run_in_turn(self) -> Sequence[PassFailure]:
        """Run on one operation after the other; return the failures."""
        failures: list[PassFailure] = []
        context = self.state.context
        type_key, run_by_type = context.type_key, self._runs[self.state.has_analyses]
        waiting = [*context.children(self.state.operation)][::-1]
        while waiting:
            # MLIR's bindings slow down with the number of operations that are held.
            operation = waiting.pop()
            key = type_key(operation)
            try:
                run = run_by_type[key]
            except KeyError:
                run = run_by_type[key] = self._find_run(operation, key)
            if run is not None and (failure := run(operation)) is not None:
                failures.append(failure)
        return failures

    def targets(self) -> list[Target]:
        """Return the operations inside the current one that a pipeline runs on."""
        context = self.state.context
        targets: list[Target] = []
        for operation in context.children(self.state.operation):
            index = self._index_of(operation, context.type_key(operation))
            if index is not None:
                targets.append(Target(len(targets), operation, index))
        return targets

    def run_target(self, target: Target) -> PassFailure | None:
        """Run on one operation, in the thread of the group; return its failure."""
        parent = PipelineParentInfo(threading.get_ident(), None, self.collection)
        return self.pipelines[target.pipeline_index].run(target.operation, parent)

    def _find_run(self, operation: Operation, key: Hashable) -> RunOn | None:
        """Return the function that runs on this type; found once for each type."""
        index = self._index_of(operation, key)
        if index is None:
            return None
        pipeline = self.pipelines[index]
        return (
            pipeline.run if self.state.has_analyses else pipeline.select_run(operation)
        )

    def _index_of(self, operation: Operation, key: Hashable) -> int | None:
        """Return which pipeline runs on operations of this type."""
        if key not in self._index_by_type:
            self._index_by_type[key] = self._find_index(operation)
        index = self._index_by_type[key]
        if index is not None:
            self.pipelines[index].was_matched = True
        return index

    def _find_index(self, operation: Operation) -> int | None:
        """Return the index of the pipeline anchored on this name, or else on `any`."""
        name = self.state.context.name(operation)
        for index, pipeline in enumerate(self.pipelines):
            if pipeline.anchor == name:
                return index
        for index, pipeline in enumerate(self.pipelines):
            if pipeline.is_op_agnostic and not pipeline.schedule_error(operation):
                return index
        return None
