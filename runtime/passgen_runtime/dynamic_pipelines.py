"""Dynamic pipelines: those that a pass runs on its operation or inside it.

Implements "Dynamic Pass Pipelines" of MLIR's PassManagement page. A dynamic pipeline is
a part of the run: it shares analyses, instrumentation, verification and statistics.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import DialectError, PassFailure
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_runtime.pass_scheduling import structure_key
from passgen_runtime.run_statistics import adopt_dynamic_statistics
from passgen_runtime.textual_pipeline import ANY_ANCHOR

if TYPE_CHECKING:
    from passgen_runtime.pass_execution import FinalizedPipeline
    from passgen_runtime.pass_manager import OpPassManager

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

    copy: OpPassManager | None
    """What runs in the manager's place while other operations run the manager."""

    pipeline: FinalizedPipeline
    text: str
    watch: weakref.ref[OpPassManager]
    """Forgets all this when the manager is gone: it may be made for one operation."""


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
        """
        state = self._around.state
        try:
            failure = self._run(pass_, manager, operation)
        except PassFailure as error:
            failure = error
        if failure is not None:
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
        if not context.is_ancestor(around.state.operation, operation):
            problem = f"'{name}' op {NOT_NESTED}"
        elif manager.anchor not in (ANY_ANCHOR, name):
            problem = f"can't run '{manager.anchor}' pass manager on '{name}' op"
        if problem is not None:
            context.emit("error", problem, operation)
            return around.failure(pass_, operation, None)
        known = self._prepare(pass_, manager)
        parent = PipelineParentInfo(threading.get_ident(), pass_)
        failure = known.pipeline.run(operation, parent)
        adopt_dynamic_statistics(pass_, known.text, known.copy or manager)
        return failure

    def _prepare(self, pass_: Pass, manager: OpPassManager) -> _Known:
        """Return `manager` ready to run; made so once per run, pipeline and thread."""
        key, structure = id(manager), structure_key(manager)
        known = self._known.get(key)
        if known is not None and known.structure == structure:
            return known
        run = self._around.run_info
        _check_dialects(pass_, manager, run.context)
        owner = run.owners.setdefault(key, self._around)
        copy = None if owner is self._around else manager.copy()
        executed = copy or manager
        pipeline = run.finalize(executed, self._around)
        run.initialize(executed.passes())

        def forget(_: object) -> None:
            self._known.pop(key, None)
            run.owners.pop(key, None)

        watch = weakref.ref(manager, forget)
        known = _Known(structure, copy, pipeline, str(manager), watch)
        self._known[key] = known
        return known


def _check_dialects(pass_: Pass, manager: OpPassManager, context: Context) -> None:
    """Check that everything that `manager` depends on was loaded before the run.

    Raises:
        DialectError: it was not, because `pass_` does not declare it.
    """
    for inner in manager.passes():
        for dialect in inner.get_dependent_dialects():
            if not context.is_loaded(dialect):
                outer = pass_.argument or pass_.name
                message = (
                    f"pass '{outer}' runs '{inner.argument or inner.name}' in a "
                    f"dynamic pipeline, which depends on dialect '{dialect}', and no "
                    "dialect can be loaded while a pipeline runs: declare it in the "
                    f"dependentDialects of '{outer}'"
                )
                raise DialectError(message)
