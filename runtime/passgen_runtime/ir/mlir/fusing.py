"""Fusion of MLIR's own passes: MLIR runs several of them as one pipeline.

The detail that instrumentations need limits the fusion: see `Detail`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import groupby

from passgen_runtime.ir.mlir.native_pipeline import (
    NativePass,
    NativePipeline,
    mark_matched,
)
from passgen_runtime.operation_pass import Pass, bind_all, unbind_all
from passgen_runtime.pass_instrumentation import Detail, PipelineParentInfo
from passgen_runtime.pass_manager import (
    Element,
    FinalizedPipeline,
    NestedPipelines,
    PipelineGroup,
    RunState,
    passes_in,
)


def fuse(elements: Sequence[Element], state: RunState) -> Sequence[Element]:
    """Return the steps that run `elements`: the finalizer of a `Context`."""
    match state.settings.detail:
        case Detail.RUNS:
            verify_each = bool(state.settings.verify_each)
            return list(_fuse_neighbors(elements, verify_each=verify_each))
        case Detail.PASSES:
            return [
                (
                    NativePipelines(element)
                    if isinstance(element, NestedPipelines) and _is_native(element)
                    else element
                )
                for element in elements
            ]
        case _:
            return elements


def _is_native(element: Element) -> bool:
    passes = list(passes_in([element]))
    return bool(passes) and all(isinstance(pass_, NativePass) for pass_ in passes)


def _fuse_neighbors(
    elements: Sequence[Element], *, verify_each: bool
) -> Iterator[Element]:
    for is_native, neighbors in groupby(elements, _is_native):
        if is_native:
            yield NativePipeline(list(neighbors), verify_each=verify_each)
        else:
            yield from neighbors


class NativePipelines(NestedPipelines):
    """A group of nested pipelines whose passes MLIR runs one at a time.

    Instrumentations see each pass once, for all operations that it runs on; their hooks
    get the operation around these.
    """

    def __init__(self, group: NestedPipelines) -> None:
        """Prepare to run `group`, which has only passes of MLIR."""
        super().__init__(
            group.state, group.managers, lambda _: group.pipelines, merges=group.merges
        )
        self.declared_preservation = None
        self._native = {
            id(pass_): self._alone(pass_, anchors)
            for pass_, anchors in _with_anchors(self)
        }
        # Instrumentations get the original passes, and may fail them.
        self._bound = [*self._native.values(), *passes_in([self])]

    def begin_run(self) -> None:
        """Bind the passes to the state of the pipeline around them."""
        bind_all(self._bound, self.state)

    def end_run(self) -> None:
        """Release the passes for other runs."""
        unbind_all(self._bound, self.state)

    def run_on_operation(self) -> None:
        """Run each pass on all operations that its anchors match."""
        state, context = self.state, self.state.context
        names = map(context.name, context.children(state.operation))
        mark_matched(self.pipelines, names)
        state.note_change()
        self._run(self)

    def _run(self, group: PipelineGroup) -> bool:
        """Run all of `group`; return whether no pass has failed.

        The failure of a pass ends its pipeline and those around it, but no other.
        """
        instrumentor = self.state.instrumentor
        parent = PipelineParentInfo(threading.get_ident(), None, group.collection)
        has_succeeded = True
        for pipeline in group.pipelines:
            instrumentor.call("run_before_pipeline", pipeline.anchor, parent)
            has_succeeded &= all(map(self._run_element, pipeline.elements))
            instrumentor.call("run_after_pipeline", pipeline.anchor, parent)
        return has_succeeded

    def _run_element(self, element: Element) -> bool:
        instrumentor, state = self.state.instrumentor, self.state
        if isinstance(element, Pass):
            return self._run_pass(element)
        instrumentor.call("run_before_collection", element.collection, state.operation)
        has_succeeded = self._run(element)
        instrumentor.call("run_after_collection", element.collection, state.operation)
        return has_succeeded

    def _run_pass(self, pass_: Pass) -> bool:
        instrumentor, state = self.state.instrumentor, self.state
        had_failed, state.failed = state.failed, False
        instrumentor.call("run_before_pass", pass_, state.operation)
        self._native[id(pass_)].run_on_operation()
        hook = "run_after_pass_failed" if state.failed else "run_after_pass"
        instrumentor.call(hook, pass_, state.operation)
        has_succeeded = not state.failed  # a hook may fail the pass
        state.failed |= had_failed
        return has_succeeded

    def _alone(self, pass_: Pass, anchors: Sequence[str]) -> NativePipeline:
        """Return a pipeline of MLIR with `pass_` alone, nested in `anchors`."""
        element: Element = pass_
        for anchor in reversed(anchors):
            elements = [element]
            pipeline = FinalizedPipeline(self.state, anchor, elements, elements)
            element = _group_of(self.state, pipeline)
        verify_each = bool(self.state.settings.verify_each)
        return NativePipeline([element], verify_each=verify_each)


def _group_of(state: RunState, pipeline: FinalizedPipeline) -> NestedPipelines:
    return NestedPipelines(state, (), lambda _: [pipeline], merges=False)


def _with_anchors(
    group: PipelineGroup, around: tuple[str, ...] = ()
) -> Iterator[tuple[Pass, tuple[str, ...]]]:
    """Yield each pass in `group` with the anchors of the pipelines around it."""
    for pipeline in group.pipelines:
        anchors = (*around, pipeline.anchor)
        for element in pipeline.elements:
            if isinstance(element, Pass):
                yield element, anchors
            else:
                yield from _with_anchors(element, anchors)
