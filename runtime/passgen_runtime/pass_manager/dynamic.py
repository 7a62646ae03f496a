"""Dynamic pipelines: those that a pass runs on its operation or inside it.

Implements "Dynamic Pass Pipelines" of MLIR's PassManagement page. A dynamic pipeline is
a part of the run: it shares analyses, instrumentation, verification and statistics.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable
from dataclasses import dataclass

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import DialectError, PassFailure, wrong_argument
from passgen_runtime.operation_pass import OF_THE_RUN, Pass
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_runtime.pass_manager.execution import FinalizedPipeline, finalize
from passgen_runtime.pass_manager.op_pass_manager import OpPassManager
from passgen_runtime.pass_manager.run_statistics import adopt_dynamic_statistics
from passgen_runtime.pass_manager.scheduling import structure_key
from passgen_runtime.textual_pipeline import ANY_ANCHOR

NOT_NESTED = (
    "Trying to schedule a dynamic pipeline on an operation that isn't nested under the "
    "current operation the pass is processing"
)
"""MLIR's words for a dynamic pipeline on an operation that is not the pass's."""


@dataclass(slots=True)
class _Known:
    """A dynamic pipeline made ready to run."""

    structure: Hashable
    """Of the manager when it was made ready: it may have been changed since."""

    attributes: list[dict[str, object]]
    """Of its passes, then."""

    copy: OpPassManager
    """What runs in its place: its passes may be in other pipelines, or threads."""

    pipeline: FinalizedPipeline
    text: str
    watch: weakref.ref[OpPassManager]
    """Forgets all this when the manager is gone: it may be made for one operation."""

    def stands_for(self, manager: OpPassManager) -> bool:
        """Return whether `manager` and its passes are still as they were.

        Options are compared by value, other attributes by identity.
        """
        if self.structure != structure_key(manager):
            return False
        passes = zip(manager.passes(), self.copy.passes(), self.attributes, strict=True)
        return all(
            pass_.options == copy.options and _is_same(_attributes(pass_), before)
            for pass_, copy, before in passes
        )


class DynamicPipelines:
    """The dynamic pipelines that the passes of one pipeline run."""

    def __init__(self, around: FinalizedPipeline) -> None:
        """Start with none, inside the pipeline `around` them."""
        self._around = around
        self._known: dict[int, _Known] = {}

    def begin_run(self) -> None:
        """Forget the previous run: each run initializes its passes."""
        self._known.clear()

    def run(self, pass_: Pass, manager: OpPassManager, operation: Operation) -> bool:
        """Run `manager` for `pass_`; return whether it succeeded.

        Raises:
            SchedulingError: a pass in it cannot run where it was put.
            DialectError: a pass in it depends on a dialect that is not loaded.
            TypeError: it is no pass manager.
        """
        if not isinstance(manager, OpPassManager):
            note = "parse_pass_pipeline(text) makes one of a text"
            raise wrong_argument("pipeline", manager, "an OpPassManager", note)
        state = self._around.state
        try:
            failure = self._run(pass_, manager, operation)
        except PassFailure as error:
            failure = error
        if failure is not None:
            if failure.exit is not None:
                raise failure.exit
            # The pass may go on; only if it fails too is this why.
            state.inner_failure = failure
            state.touched = True
        return failure is None

    def _run(
        self, pass_: Pass, manager: OpPassManager, operation: Operation
    ) -> PassFailure | None:
        around, context = self._around, self._around.run_info.context
        name = context.name(operation)
        problem = None
        is_nested = context.is_ancestor(around.state.operation, operation)
        if not is_nested:
            problem = f"'{name}' op {NOT_NESTED}"
        elif manager.anchor not in (ANY_ANCHOR, name):
            problem = f"can't run '{manager.anchor}' pass manager on '{name}' op"
        if problem is not None:
            context.emit("error", problem, operation, shows_operation=not is_nested)
            return around.failure(pass_, operation, None)
        known = self._prepare(pass_, manager)
        parent = PipelineParentInfo(threading.get_ident(), pass_)
        failure = known.pipeline.run(operation, parent)
        adopt_dynamic_statistics(pass_, known.text, known.copy)
        return failure

    def _prepare(self, pass_: Pass, manager: OpPassManager) -> _Known:
        """Return `manager` ready to run; made so once per run, pipeline and thread."""
        key = id(manager)
        known = self._known.get(key)
        if known is not None and known.stands_for(manager):
            return known
        run = self._around.run_info
        _check_dialects(pass_, manager, run.context)
        copy = manager.copy()
        pipeline = finalize(copy, run, self._around)
        pipeline.begin_run()
        pipeline.initialize()
        known = self._known[key] = _Known(
            structure_key(manager),
            [_attributes(each) for each in manager.passes()],
            copy,
            pipeline,
            str(manager),
            weakref.ref(manager, lambda _: self._known.pop(key, None)),
        )
        return known


def _attributes(pass_: Pass) -> dict[str, object]:
    """Return what a pass holds of its own, besides options and the state of runs."""
    own = dict(vars(pass_))
    own.pop("_options", None)
    for name in OF_THE_RUN:
        own.pop(name, None)
    return own


def _is_same(attributes: dict[str, object], others: dict[str, object]) -> bool:
    return attributes.keys() == others.keys() and all(
        value is others[name] for name, value in attributes.items()
    )


def _check_dialects(pass_: Pass, manager: OpPassManager, context: Context) -> None:
    """Check that everything that `manager` depends on was loaded before the run.

    Raises:
        DialectError: it was not, because `pass_` does not declare it.
    """
    for inner in manager.passes():
        for dialect in inner.get_dependent_dialects():
            try:
                context.load_dialects((dialect,))
            except DialectError:
                outer = pass_.argument or pass_.name
                message = (
                    f"pass '{outer}' runs '{inner.argument or inner.name}' in a "
                    f"dynamic pipeline, which depends on dialect '{dialect}', and no "
                    "dialect can be loaded while a pipeline runs: declare it in the "
                    f"dependentDialects of '{outer}'"
                )
                raise DialectError(message) from None
