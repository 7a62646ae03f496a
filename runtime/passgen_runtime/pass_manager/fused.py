"""Passes that an IR library runs by itself: several as one, or in its own walk."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from passgen_runtime.operation_pass import Pass, bind_all, unbind_all
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_runtime.pass_manager.execution import (
    Element,
    FinalizedPipeline,
    PipelineGroup,
    passes_in,
)
from passgen_runtime.pass_manager.nested import NestedPipelines
from passgen_runtime.pass_manager.run_state import RunState
from passgen_runtime.textual_pipeline import ANY_ANCHOR


class FusedPass(Pass):
    """Elements of a pipeline that an IR library runs as one; see `Pass.fused_by`."""

    def __init__(self, elements: Iterable[Element], *, verify_each: bool) -> None:
        """Run `elements`, in order.

        Args:
            elements: passes that this class fuses, and groups of pipelines of these.
            verify_each: whether to verify the IR after each pass.
        """
        self.elements = tuple(elements)
        self.verify_each = verify_each
        self._nested = [
            nested
            for element in self.elements
            if not isinstance(element, Pass)
            for nested in element.pipelines
        ]

    def __str__(self) -> str:
        """Return the elements as in a textual pipeline."""
        return ",".join(map(str, self.elements))

    def passes(self) -> Iterator[Pass]:
        """Yield all passes, those of nested pipelines included."""
        yield from passes_in(self.elements)

    def mark_matched(self, names: Iterable[str]) -> None:
        """Note which nested pipelines meet an operation directly inside.

        Args:
            names: of the operations there; consumed only as far as needed.
        """
        mark_matched(self._nested, names)


def mark_matched(pipelines: Iterable[FinalizedPipeline], names: Iterable[str]) -> None:
    """Note which of `pipelines` meet an operation called one of `names`."""
    waiting = [each for each in pipelines if not each.was_matched]
    for name in names if waiting else ():
        for pipeline in waiting:
            if pipeline.anchor in {ANY_ANCHOR, name}:
                for nested in pipeline.pipelines():
                    nested.was_matched = True
        waiting = [each for each in waiting if not each.was_matched]
        if not waiting:
            return


def fused_class(element: Element) -> type[FusedPass] | None:
    """Return the class that fuses all passes of `element`, if there is one."""
    if isinstance(element, Pass):
        return element.fused_by
    classes = {pass_.fused_by for pass_ in passes_in([element])}
    return classes.pop() if len(classes) == 1 else None


def fused(elements: Iterable[Element], *, verify_each: bool) -> Iterator[Element]:
    """Yield `elements`, consecutive ones as one where one class fuses them."""
    for fused_by, group in groupby(elements, fused_class):
        if fused_by is None:
            yield from group
        else:
            yield fused_by(list(group), verify_each=verify_each)


class FusedPipelines(NestedPipelines):
    """A group of nested pipelines whose passes an IR library runs, each by itself.

    Instrumentations that follow passes see each one once, for all operations that it
    runs on; the operation that they get is the one around these.
    """

    def __init__(self, group: NestedPipelines, fused_by: type[FusedPass]) -> None:
        """Prepare to run `group`, whose passes `fused_by` runs."""
        super().__init__(
            group.state, group.managers, lambda _: group.pipelines, merges=group.merges
        )
        self.declared_preservation = None
        self._fused = {
            id(pass_): self._alone(pass_, anchors, fused_by)
            for pass_, anchors in _with_anchors(self)
        }
        # Instrumentations get the passes as they were written, and may fail them.
        self._bound = [*self._fused.values(), *passes_in([self])]

    def begin_run(self) -> None:
        """Bind the passes to the state of the pipeline around them."""
        bind_all(self._bound, self.state)

    def end_run(self) -> None:
        """Release the passes for other runs."""
        unbind_all(self._bound, self.state)

    def run_on_operation(self) -> None:
        """Run each pass on all operations that it is for."""
        state, context = self.state, self.state.context
        names = map(context.name, context.children(state.operation))
        mark_matched(self.pipelines, names)
        self._run(self)

    def _run(self, group: PipelineGroup) -> bool:
        """Run all of `group`; return whether no pass has failed.

        The failure of a pass ends its pipeline, and those around that, but no other.
        """
        instrumentor = self.state.instrumentor
        parent = PipelineParentInfo(threading.get_ident(), None, group.collection)
        has_succeeded = True
        for pipeline in group.pipelines:
            instrumentor.run_before_pipeline(pipeline.anchor, parent)
            has_succeeded &= all(map(self._run_element, pipeline.elements))
            instrumentor.run_after_pipeline(pipeline.anchor, parent)
        return has_succeeded

    def _run_element(self, element: Element) -> bool:
        instrumentor, state = self.state.instrumentor, self.state
        if isinstance(element, Pass):
            return self._run_pass(element)
        instrumentor.run_before_collection(element.collection, state.operation)
        has_succeeded = self._run(element)
        instrumentor.run_after_collection(element.collection, state.operation)
        return has_succeeded

    def _run_pass(self, pass_: Pass) -> bool:
        instrumentor, state = self.state.instrumentor, self.state
        had_failed, state.failed = state.failed, False
        instrumentor.run_before_pass(pass_, state.operation)
        self._fused[id(pass_)].run_on_operation()
        if state.failed:
            instrumentor.run_after_pass_failed(pass_, state.operation)
        else:
            instrumentor.run_after_pass(pass_, state.operation)
        has_succeeded = not state.failed  # a hook may fail the pass
        state.failed |= had_failed
        return has_succeeded

    def _alone(
        self, pass_: Pass, anchors: Sequence[str], fused_by: type[FusedPass]
    ) -> FusedPass:
        """Return a pass that runs `pass_` in pipelines nested as `anchors` say."""
        element: Element = pass_
        for anchor in reversed(anchors):
            pipeline = FinalizedPipeline(self.state, anchor, [element])
            element = _group_of(self.state, pipeline)
        return fused_by([element], verify_each=self.state.verify_each)


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
