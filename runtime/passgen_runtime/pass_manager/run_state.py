"""The state of a pipeline's run in one thread, with the settings of the run.

Passes see it as `PassExecutionState`, which cannot refer to instrumentations: these
import passes. So this subclass adds the settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassFailure
from passgen_runtime.operation_pass import Pass, PassExecutionState
from passgen_runtime.pass_instrumentation import Detail, PassInstrumentor
from passgen_runtime.pass_manager.actions import ActionHandler, PassExecution
from passgen_runtime.pass_manager.op_pass_manager import OpPassManager


@dataclass(frozen=True, slots=True, eq=False)
class RunSettings:
    """The settings of a run, for all of its pipelines."""

    context: Context
    instrumentor: PassInstrumentor
    """Calls the instrumentations."""

    runner: Any
    """The `Runner` of nested pipelines; `Any` because its module imports this one."""

    run_dynamic: Callable[[RunState, Pass, OpPassManager, Operation], bool]
    """Runs a pipeline for a pass; returns whether it succeeded."""

    verify_each: bool
    """Whether the IR is verified after each pass."""

    handlers: Sequence[ActionHandler] = ()
    """Wrap each execution of a pass."""

    @property
    def detail(self) -> Detail:
        """The detail that instrumentations and handlers need."""
        return Detail.OPERATIONS if self.handlers else self.instrumentor.detail


class RunState(PassExecutionState):
    """The settings of a run, and the operation that a pipeline works on."""

    __slots__ = (
        "action",
        "depth",
        "dynamic",
        "instrumentor",
        "path",
        "settings",
        "verify_each",
    )

    def __init__(
        self, settings: RunSettings, path: str, around: RunState | None = None
    ) -> None:
        """Start without an operation.

        Args:
            settings: the settings of the run.
            path: the place of the pipeline; see `PassExecution.path`.
            around: the state of the pipeline around this one.
        """
        super().__init__(settings.context, settings.instrumentor, around)
        self.settings = settings
        self.instrumentor = settings.instrumentor
        self.verify_each = settings.verify_each
        self.path = path
        self.depth: int = 0 if around is None else around.depth + 1
        self.dynamic: dict[int, Any] = {}
        """The dynamic pipelines finalized in this run; for `run_dynamic`."""

        self.action: PassExecution | None = None
        """The execution of the current pass, if there are handlers for it."""

    def inside(self, path: str) -> RunState:
        """Return the state of a pipeline that runs inside this one, at `path`."""
        return RunState(self.settings, path, around=self)

    def run_pipeline(
        self, pass_: Pass, pipeline: OpPassManager, operation: Operation
    ) -> bool:
        """Run `pipeline` on `operation` for `pass_`; return whether it succeeded."""
        return self.settings.run_dynamic(self, pass_, pipeline, operation)

    def failure_of(
        self, step: object, operation: Operation, cause: BaseException | None = None
    ) -> PassFailure:
        """Return the failure of `step`, or the failure inside it that caused it."""
        if self.inner_failure is not None and cause is None:
            return self.inner_failure
        failure = PassFailure(
            pass_name=step.name if isinstance(step, Pass) else "",
            argument=step.argument if isinstance(step, Pass) else "",
            operation=self.context.describe(operation),
        )
        failure.__cause__ = cause
        return failure
