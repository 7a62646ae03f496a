"""Finalization of pass managers, and dynamic pipelines.

Implements "Dynamic Pass Pipelines" of MLIR's PassManagement page. A pass may run a
dynamic pipeline on its operation or inside it. The pipeline is a part of the run: it
shares analyses, instrumentation, verification and statistics.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import DialectError, PassFailure
from passgen_runtime.operation_pass import Pass, PassConfiguration, PassSequence
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_runtime.pass_manager.execution import Element, FinalizedPipeline
from passgen_runtime.pass_manager.nested import NestedPipelines
from passgen_runtime.pass_manager.op_pass_manager import OpPassManager, check_anchor
from passgen_runtime.pass_manager.run_state import RunState
from passgen_runtime.pass_manager.run_statistics import adopt_dynamic_statistics
from passgen_runtime.pass_manager.scheduling import merge_adjacent, structure_key
from passgen_runtime.textual_pipeline import ANY_ANCHOR

NOT_NESTED = (
    "Trying to schedule a dynamic pipeline on an operation that isn't nested under the "
    "current operation the pass is processing"
)
"""MLIR's message about a dynamic pipeline on an operation outside the pass's."""


def finalize(
    manager: OpPassManager, state: RunState, *, merges: bool = True
) -> FinalizedPipeline:
    """Return `manager` ready to run with `state`.

    As in MLIR, of consecutive groups, only the last merges the adjacent managers inside
    it.

    Args:
        manager: the pipeline as written.
        state: the state of the pipeline.
        merges: whether adjacent nested managers are merged.

    Raises:
        SchedulingError: a pass cannot run on its manager's anchor.
        MissingImplementationError: a pass is only declared.
    """
    is_useful = any(pass_.idempotent for pass_ in manager.passes())
    state.skipping = state if is_useful and state.settings.skips_unchanged else None
    pipeline = _finalize(manager, state, merges=merges)
    for holder in pipeline.pipelines():
        for element in holder.elements:
            if isinstance(element, Pass):
                check_anchor(element, holder.anchor, state.context)
    return pipeline


def _finalize(
    manager: OpPassManager, state: RunState, *, merges: bool
) -> FinalizedPipeline:
    elements: list[Element] = []
    written = [
        inner if isinstance(inner, Pass) else [inner] for inner in manager.elements
    ]
    if merges:
        written = merge_adjacent(manager, state.context)
    for index, element in enumerate(written):
        if isinstance(element, Pass):
            elements.append(element.in_context(state.context))
        else:
            is_last = not isinstance(next(iter(written[index + 1 :]), None), list)
            elements.append(_group(element, state, index, merges=merges and is_last))
    finalizer = state.context.finalizer
    steps = elements if finalizer is None else finalizer(elements, state)
    if state.skipping is None:
        return FinalizedPipeline(state, manager.anchor, elements, steps)
    from passgen_runtime.pass_manager import skipping  # noqa: PLC0415 - rare

    return skipping.SkippingPipeline(state, manager.anchor, elements, steps)


def _group(
    managers: list[OpPassManager], state: RunState, index: int, *, merges: bool
) -> NestedPipelines:
    """Return the group of `managers`, the element at `index`."""

    def make_pipelines(managers: Sequence[OpPassManager]) -> list[FinalizedPipeline]:
        return [
            _finalize(
                manager,
                state.inside(f"{state.path}/{manager.anchor}[{index}]"),
                merges=merges,
            )
            for manager in managers
        ]

    return NestedPipelines(state, managers, make_pipelines, merges=merges)


@dataclass(slots=True)
class _DynamicPipeline:
    """A finalized dynamic pipeline."""

    structure: Hashable
    """The structure of the manager when it was finalized; it may change later."""

    copy: OpPassManager
    """The copy that runs: passes of the manager may be in other pipelines."""

    pipeline: FinalizedPipeline
    configuration: PassConfiguration
    """The configuration of the manager at that time."""

    text: str
    """The text of the manager at that time; its statistics are listed by it."""

    watch: weakref.ref[OpPassManager]
    """Drops this object with the manager, which may serve one operation only."""

    def is_current(self, manager: OpPassManager) -> bool:
        """Return whether `manager` holds the same passes as they were."""
        is_same = self.structure == structure_key(manager)
        return is_same and self.configuration == PassConfiguration(manager)


def run_dynamic(
    state: RunState, pass_: Pass, manager: PassSequence[Pass], operation: Operation
) -> bool:
    """Run `manager` for `pass_`; return whether it succeeded.

    Raises:
        SchedulingError: a pass in it cannot run where it was put.
        DialectError: a pass in it depends on a dialect that is not loaded.
    """
    assert isinstance(manager, OpPassManager)
    try:
        failure = _run_dynamic(state, pass_, manager, operation)
    except PassFailure as error:
        failure = error
    if failure is not None:
        if failure.exit is not None:
            raise failure.exit
        # The pass may go on; if it fails too, this is the reason.
        state.inner_failure = failure
        state.touched = True
    return failure is None


def _run_dynamic(
    state: RunState, pass_: Pass, manager: OpPassManager, operation: Operation
) -> PassFailure | None:
    context = state.context
    name = context.name(operation)
    problem = None
    is_nested = state.operation in context.ancestors(operation)
    if not is_nested:
        problem = f"'{name}' op {NOT_NESTED}"
    elif manager.anchor not in {ANY_ANCHOR, name}:
        problem = f"can't run '{manager.anchor}' pass manager on '{name}' op"
    if problem is not None:
        context.emit("error", problem, operation, shows_operation=not is_nested)
        return state.failure_of(pass_, operation)
    known = _prepare(state, pass_, manager)
    parent = PipelineParentInfo(threading.get_ident(), pass_)
    failure = known.pipeline.run(operation, parent)
    adopt_dynamic_statistics(pass_, known.text, known.copy)
    return failure


def _prepare(state: RunState, pass_: Pass, manager: OpPassManager) -> _DynamicPipeline:
    """Return `manager` finalized; done once per run, pipeline and thread."""
    key = id(manager)
    known: _DynamicPipeline | None = state.dynamic.get(key)
    if known is not None and known.is_current(manager):
        return known
    context = state.context
    _check_dialects(pass_, manager, context)
    copy = manager.copy()
    around = state.path if state.action is None else state.action.path
    pipeline = finalize(copy, state.inside(f"{around}/{manager.anchor}"))
    pipeline.begin_run()
    pipeline.initialize(context)
    known = state.dynamic[key] = _DynamicPipeline(
        structure_key(manager),
        copy,
        pipeline,
        PassConfiguration(manager),
        str(manager),
        weakref.ref(manager, lambda _: state.dynamic.pop(key, None)),
    )
    return known


def _check_dialects(pass_: Pass, manager: OpPassManager, context: Context) -> None:
    """Check that the dialects that `manager` depends on were loaded before the run.

    Raises:
        DialectError: one was not, because `pass_` does not declare it.
    """
    for inner in manager.passes():
        for dialect in inner.get_dependent_dialects():
            try:
                context.load_dialects((dialect,))
            except DialectError:
                outer = pass_.argument or pass_.name
                raise DialectError(
                    f"pass '{outer}' runs '{inner.argument or inner.name}' in a "
                    f"dynamic pipeline, which depends on dialect '{dialect}', and no "
                    "dialect can be loaded while a pipeline runs: declare it in the "
                    f"dependentDialects of '{outer}'"
                ) from None
