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

from passgen_runtime.analysis import PreservedAnalyses
from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import do_in_order, keeping
from passgen_runtime.errors import PassFailure
from passgen_runtime.operation_pass import Pass, bind_all, unbind_all
from passgen_runtime.pass_instrumentation import (
    Detail,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager.execution import (
    FinalizedPipeline,
    PipelineStep,
    RunOn,
)
from passgen_runtime.pass_manager.run_statistics import collect_replica
from passgen_runtime.pass_manager.scheduling import (
    Element,
    FusedPass,
    ScheduledPipeline,
    fused_class,
)
from passgen_runtime.pass_manager.threading import Threading


class _Target(NamedTuple):
    """An operation to run a pipeline on, by its index in the group."""

    number: int
    operation: Operation
    pipeline_index: int


def nested_step(
    outer: FinalizedPipeline, group: Sequence[ScheduledPipeline]
) -> PipelineStep:
    """Return the step of `outer` that runs `group`."""
    follows_operations = outer.run_info.instrumentor.detail is Detail.OPERATIONS
    fused_by = None if follows_operations else fused_class([*group])
    if fused_by is not None:
        return FusedPipelines(outer, group, fused_by)
    return NestedPipelines(outer, group)


class NestedPipelines:
    """A group of nested pipelines, which share one walk over the operations inside."""

    def __init__(
        self, outer: FinalizedPipeline, group: Sequence[ScheduledPipeline]
    ) -> None:
        """Bind the passes of `group` to the run of `outer`."""
        self._outer = outer
        self._group = tuple(group)
        self._pipelines = [outer.bind_nested(scheduled) for scheduled in self._group]
        self.collection = _collection(self._group)
        for pipeline in self._pipelines:
            pipeline.collection = self.collection
        self.declared_preservation = _common(self._pipelines)
        self._index_by_type: dict[Hashable, int | None] = {}
        # Without and with analyses that were computed before the walk.
        self._runs: tuple[dict[Hashable, RunOn | None], ...] = ({}, {})
        self._replicas: _Replicas | None = None

    def begin_run(self) -> None:
        """Forget the previous run, but not which types run what."""
        for runs in self._runs:
            runs.clear()
        self._replicas = None
        for pipeline in self._pipelines:
            pipeline.begin_run()

    def end_run(self) -> None:
        """Give the passes free for other runs."""
        for pipeline in self._pipelines:
            pipeline.end_run()

    def run_on_operation(self) -> None:
        """Run, on each operation directly inside the current one, its pipeline."""
        outer, state = self._outer, self._outer.state
        threads = outer.run_info.threads
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

    def _run_concurrently(self, threads: Threading) -> bool:
        """Run the targets in several threads if there are several; return whether."""
        outer, context = self._outer, self._outer.run_info.context
        targets = self._targets(context.children(outer.state.operation))
        if len(targets) < 2 or not threads.policy(  # noqa: PLR2004 - more than one
            depth=outer.depth + 1,
            fans_out_above=outer.fans_out_above,
            num_targets=len(targets),
        ):
            return False
        # Made here, so that no two threads make the same one.
        for target in targets:
            outer.state.analysis_manager.nest(target.operation)
        parent = PipelineParentInfo(threading.get_ident(), None, self.collection)
        failures: list[PassFailure | None] = [None] * len(targets)
        actions: list[list[Callable[[], object]]] = [[] for _ in targets]
        num_shown = [len(targets)]
        replicas = self._replicas = self._replicas or _Replicas(outer, self._group)

        def run(target: _Target) -> None:
            try:
                with (
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
                do_in_order(action)
        for failure in failures:
            if failure is not None:
                outer.state.fail(failure)
        return True

    def _targets(self, children: Sequence[Operation]) -> list[_Target]:
        """Return those of `children` that a pipeline runs on."""
        context = self._outer.run_info.context
        targets: list[_Target] = []
        for operation in children:
            index = self._index_of(operation, context.type_key(operation))
            if index is not None:
                targets.append(_Target(len(targets), operation, index))
        return targets

    def _find_run(self, operation: Operation, key: Hashable) -> RunOn | None:
        """Return what to call on operations of this type; found once for each type."""
        index = self._index_of(operation, key)
        if index is None:
            return None
        pipeline = self._pipelines[index]
        # An op-agnostic one was chosen because it refuses nothing about the type.
        is_refused = (
            not self._group[index].is_op_agnostic
            and pipeline.refusal(operation) is not None
        )
        if is_refused or self._outer.state.has_analyses:
            return pipeline.run
        return pipeline.run_admitted

    def _index_of(self, operation: Operation, key: Hashable) -> int | None:
        """Return which pipeline runs on operations of this type."""
        if key not in self._index_by_type:
            self._index_by_type[key] = self._find_index(operation)
        index = self._index_by_type[key]
        if index is not None:
            self._group[index].was_matched = True
        return index

    def _find_index(self, operation: Operation) -> int | None:
        """Return the number of the pipeline of this name, or else of `any`."""
        context = self._outer.run_info.context
        name, info = context.name(operation), context.info(operation)
        for index, pipeline in enumerate(self._group):
            if pipeline.anchor == name:
                return index
        for index, pipeline in enumerate(self._group):
            if pipeline.is_op_agnostic and pipeline.refusal(info) is None:
                return index
        return None


class FusedPipelines:
    """A group of nested pipelines whose passes an IR library runs, each by itself.

    Instrumentations that follow passes see each one once, for all operations that it
    runs on; the operation that they get is the one around these.
    """

    def __init__(
        self,
        outer: FinalizedPipeline,
        group: Sequence[ScheduledPipeline],
        fused_by: type[FusedPass],
    ) -> None:
        """Prepare to run `group`, whose passes `fused_by` runs, inside `outer`."""
        self._outer = outer
        self._group = tuple(group)
        self._whole = fused_by([[*group]], verify_each=False)
        self._fused_by = fused_by
        self._fused = {
            id(pass_): self._alone(pass_, anchors)
            for pass_, anchors in _passes_in(self._group)
        }
        self.collection = _collection(self._group)
        self.declared_preservation: PreservedAnalyses | None = None

    def begin_run(self) -> None:
        """Bind the passes to the state of the pipeline around them."""
        bind_all(self._fused.values(), self._outer.state)

    def end_run(self) -> None:
        """Give the passes free for other runs."""
        unbind_all(self._fused.values(), self._outer.state)

    def run_on_operation(self) -> None:
        """Run each pass on all operations that it is for."""
        state = self._outer.state
        context = state.context
        self._whole.mark_matched(map(context.name, context.children(state.operation)))
        self._run(self._group, self.collection)

    def _run(
        self, group: Sequence[ScheduledPipeline], collection: PipelineCollection
    ) -> bool:
        """Run all of `group`; return whether no pass has failed.

        The failure of a pass ends its pipeline, and those around that, but no other.
        """
        instrumentor = self._outer.run_info.instrumentor
        parent = PipelineParentInfo(threading.get_ident(), None, collection)
        has_succeeded = True
        for pipeline in group:
            instrumentor.run_before_pipeline(pipeline.anchor, parent)
            has_succeeded &= all(map(self._run_element, pipeline.elements))
            instrumentor.run_after_pipeline(pipeline.anchor, parent)
        return has_succeeded

    def _run_element(self, element: Element) -> bool:
        instrumentor, state = self._outer.run_info.instrumentor, self._outer.state
        if isinstance(element, Pass):
            return self._run_pass(element)
        collection = _collection(element)
        instrumentor.run_before_collection(collection, state.operation)
        has_succeeded = self._run(element, collection)
        instrumentor.run_after_collection(collection, state.operation)
        return has_succeeded

    def _run_pass(self, pass_: Pass) -> bool:
        instrumentor, state = self._outer.run_info.instrumentor, self._outer.state
        had_failed, state.failed = state.failed, False
        instrumentor.run_before_pass(pass_, state.operation)
        self._fused[id(pass_)].run_on_operation()
        has_succeeded = not state.failed
        if has_succeeded:
            instrumentor.run_after_pass(pass_, state.operation)
        else:
            instrumentor.run_after_pass_failed(pass_, state.operation)
        state.failed |= had_failed
        return has_succeeded

    def _alone(self, pass_: Pass, anchors: Sequence[str]) -> FusedPass:
        """Return what runs `pass_` in pipelines nested as `anchors` say."""
        element: Element = pass_
        for anchor in reversed(anchors):
            element = [ScheduledPipeline(anchor, [element])]
        verify_each = self._outer.run_info.verify_each
        return self._fused_by([element], verify_each=verify_each)


def _collection(group: Sequence[ScheduledPipeline]) -> PipelineCollection:
    return PipelineCollection(tuple(each.anchor for each in group))


def _passes_in(
    group: Sequence[ScheduledPipeline], around: tuple[str, ...] = ()
) -> Iterator[tuple[Pass, tuple[str, ...]]]:
    """Yield each pass in `group` with the anchors of the pipelines around it."""
    for pipeline in group:
        anchors = (*around, pipeline.anchor)
        for element in pipeline.elements:
            if isinstance(element, Pass):
                yield element, anchors
            else:
                yield from _passes_in(element, anchors)


def _common(pipelines: Sequence[FinalizedPipeline]) -> PreservedAnalyses | None:
    """Return what all passes of `pipelines` declare preserved, if there is anything."""
    first, *others = [each.declared_preservation for each in pipelines]
    for other in others:
        if first is None or other is None:
            return None
        first.intersect(other)
    return first


class _Replicas:
    """Copies of a group of pipelines, each used by one thread at a time."""

    def __init__(
        self, outer: FinalizedPipeline, group: tuple[ScheduledPipeline, ...]
    ) -> None:
        self._outer = outer
        self._group = group
        self._copies: list[list[ScheduledPipeline]] = []
        self._free: SimpleQueue[list[FinalizedPipeline]] = SimpleQueue()

    @contextmanager
    def borrowed(self) -> Iterator[list[FinalizedPipeline]]:
        """Give pipelines that no other thread uses meanwhile.

        Raises:
            PassFailure: one of their passes cannot be copied.
        """
        try:
            pipelines = self._free.get_nowait()
        except Empty:
            copies = [scheduled.clone() for scheduled in self._group]
            self._copies.append(copies)
            pipelines = [
                self._outer.bind_nested(copy, is_concurrent=True) for copy in copies
            ]
            for pipeline in pipelines:
                pipeline.begin_run()
        try:
            yield pipelines
        finally:
            self._free.put(pipelines)

    def collect(self) -> None:
        """Add up in the originals what the copies have counted."""
        for copies in self._copies:
            for original, copy in zip(self._group, copies, strict=True):
                collect_replica(original, copy)
