"""The walk of a nested pipeline over the operations inside one, also in threads.

Implements `OpToOpPassAdaptor::runOnOperationImpl` and `runOnOperationAsyncImpl` of
mlir/lib/Pass/Pass.cpp. An operation finds its pipeline by the identity of its type.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from queue import Empty, SimpleQueue
from typing import NamedTuple

from passgen_runtime.analysis import common_preservation
from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import keeping
from passgen_runtime.errors import PassFailure
from passgen_runtime.pass_instrumentation import PipelineCollection, PipelineParentInfo
from passgen_runtime.pass_manager.execution import FinalizedPipeline, RunOn
from passgen_runtime.pass_manager.op_pass_manager import OpPassManager
from passgen_runtime.pass_manager.run_state import Distributor, RunState
from passgen_runtime.pass_manager.threading import Threading


class Target(NamedTuple):
    """An operation to run a pipeline on, by its index in the group."""

    number: int
    operation: Operation
    pipeline_index: int


class WrittenGroup(NamedTuple):
    """The pipelines of a group as written."""

    managers: Sequence[OpPassManager]
    merges: bool
    """Whether adjacent pipelines inside of them merge."""


class NestedPipelines:
    """A group of nested pipelines, which share one walk over the operations inside."""

    def __init__(
        self,
        state: RunState,
        pipelines: Sequence[FinalizedPipeline],
        replicate: Callable[[], list[FinalizedPipeline]],
    ) -> None:
        """Group `pipelines` as one step of another one.

        Args:
            state: of the pipeline around them.
            pipelines: the pipelines to run, one for each anchor.
            replicate: makes copies of them for another thread.
        """
        self.state = state
        self.pipelines = pipelines
        self.replicate = replicate
        self.written = WrittenGroup((), merges=False)
        self.collection = PipelineCollection(tuple(each.anchor for each in pipelines))
        for pipeline in pipelines:
            pipeline.collection = self.collection
        self.declared_preservation = common_preservation(
            each.declared_preservation for each in pipelines
        )
        self._index_by_type: dict[Hashable, int | None] = {}
        # Without and with analyses that were computed before the walk.
        self._runs: tuple[dict[Hashable, RunOn | None], ...] = ({}, {})
        self._replicas: _Replicas | None = None

    def __str__(self) -> str:
        """Return the textual pipelines."""
        return ",".join(map(str, self.pipelines))

    def begin_run(self) -> None:
        """Forget the previous run, but not which pipeline each type runs."""
        for runs in self._runs:
            runs.clear()
        self._replicas = None
        for pipeline in self.pipelines:
            pipeline.begin_run()

    def end_run(self) -> None:
        """Release the passes for other runs."""
        for pipeline in self.pipelines:
            pipeline.end_run()

    def run_on_operation(self) -> None:
        """Run, on each operation directly inside the current one, its pipeline."""
        state = self.state
        distributor = state.distribution.distributor
        if distributor is not None and self._run_in_workers(distributor):
            return
        threads = state.threads
        if threads is not None and self._run_concurrently(threads):
            return
        context = state.context
        type_key, run_by_type = context.type_key, self._runs[state.has_analyses]
        waiting = [*context.children(state.operation)]
        waiting.reverse()
        while waiting:
            # MLIR's bindings slow down with the number of operations that are held.
            operation = waiting.pop()
            key = type_key(operation)
            try:
                run = run_by_type[key]
            except KeyError:
                run = run_by_type[key] = self._find_run(operation, key)
            if run is not None:
                failure = run(operation)
                if failure is not None:
                    state.fail(failure)

    def _run_in_workers(self, distributor: Distributor) -> bool:
        """Run the targets in workers if that pays; return whether they have run."""
        if distributor.is_at_work:
            return False
        targets = self._targets(self.state.context.children(self.state.operation))
        if len(targets) < 2:  # noqa: PLR2004 - more than one
            return False
        return distributor.run(self, targets)

    def _run_concurrently(self, threads: Threading) -> bool:
        """Run the targets in several threads if there are several; return whether."""
        state = self.state
        targets = self._targets(state.context.children(state.operation))
        if len(targets) < 2 or not threads.policy(  # noqa: PLR2004 - more than one
            depth=state.depth + 1,
            fans_out_above=state.fans_out_above,
            num_targets=len(targets),
        ):
            return False
        # Made here, so that no two threads make the same one.
        for target in targets:
            state.analysis_manager.nest(target.operation)
        parent = PipelineParentInfo(threading.get_ident(), None, self.collection)
        failures: list[PassFailure | None] = [None] * len(targets)
        actions: list[list[Callable[[], object]]] = [[] for _ in targets]
        num_shown = [len(targets)]
        replicas = self._replicas = self._replicas or _Replicas(self)

        def run(target: Target) -> None:
            try:
                with (
                    state.working(),
                    replicas.borrowed() as pipelines,
                    keeping(actions[target.number]),
                ):
                    pipeline = pipelines[target.pipeline_index]
                    failures[target.number] = pipeline.run(target.operation, parent)
            except PassFailure as failure:
                failures[target.number] = failure
            except BaseException:
                num_shown.append(target.number + 1)
                raise

        try:
            threads.map(run, targets)
        finally:
            replicas.collect()
            # One thread would not have got further than to the first that was raised.
            for action in chain(*actions[: min(num_shown)]):
                state.context.in_order(action)
        for failure in failures:
            if failure is not None:
                state.fail(failure)
        return True

    def _targets(self, children: Sequence[Operation]) -> list[Target]:
        """Return those of `children` that a pipeline runs on."""
        context = self.state.context
        targets: list[Target] = []
        for operation in children:
            index = self._index_of(operation, context.type_key(operation))
            if index is not None:
                targets.append(Target(len(targets), operation, index))
        return targets

    def _find_run(self, operation: Operation, key: Hashable) -> RunOn | None:
        """Return the function that runs on this type; found once for each type."""
        index = self._index_of(operation, key)
        if index is None:
            return None
        pipeline = self.pipelines[index]
        if self.state.has_analyses or pipeline.may_refuse(operation):
            return pipeline.run
        return pipeline.run_admitted

    def _index_of(self, operation: Operation, key: Hashable) -> int | None:
        """Return which pipeline runs on operations of this type."""
        if key not in self._index_by_type:
            self._index_by_type[key] = self._find_index(operation)
        index = self._index_by_type[key]
        if index is not None:
            self.pipelines[index].was_matched = True
        return index

    def _find_index(self, operation: Operation) -> int | None:
        """Return the number of the pipeline of this name, or else of `any`."""
        context = self.state.context
        name = context.name(operation)
        for index, pipeline in enumerate(self.pipelines):
            if pipeline.anchor == name:
                return index
        for index, pipeline in enumerate(self.pipelines):
            if pipeline.is_op_agnostic and not pipeline.refuses_type_of(operation):
                return index
        return None


class _Replicas:
    """Copies of a group of pipelines, each used by one thread at a time."""

    def __init__(self, group: NestedPipelines) -> None:
        self._group = group
        self._copies: list[list[FinalizedPipeline]] = []
        self._free: SimpleQueue[list[FinalizedPipeline]] = SimpleQueue()

    @contextmanager
    def borrowed(self) -> Iterator[list[FinalizedPipeline]]:
        """Lend pipelines that no other thread uses during the block.

        Raises:
            PassFailure: one of their passes cannot be copied.
        """
        try:
            pipelines = self._free.get_nowait()
        except Empty:
            pipelines = self._group.replicate()
            self._copies.append(pipelines)
            for pipeline in pipelines:
                pipeline.begin_run()
        try:
            yield pipelines
        finally:
            self._free.put(pipelines)

    def collect(self) -> None:
        """Merge the statistics of the copies into the originals."""
        for copies in self._copies:
            for original, copy in zip(self._group.pipelines, copies, strict=True):
                original.collect(copy)
