"""The state of a pipeline's run in one thread, with the settings of the run.

The passes of a pipeline share one in each thread, as their `PassExecutionState`; the
run moves it from operation to operation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from passgen_runtime.analysis import AnalysisManager, PreservedAnalyses
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError, PassFailure, ShownNote
from passgen_runtime.operation_pass import Pass, PassSequence
from passgen_runtime.pass_instrumentation import Detail, PassInstrumentor
from passgen_runtime.pass_manager.actions import ActionHandler, PassExecution

_NOTHING_PRESERVED = PreservedAnalyses()
"""The preserved analyses of a pass that declares none; never changed."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run, for all of its pipelines."""

    context: Context
    instrumentor: PassInstrumentor
    """Calls the instrumentations."""

    runner: Any
    """The `Runner` of nested pipelines; `Any` because its module imports this one."""

    run_dynamic: Callable[[RunState, Pass, PassSequence[Pass], Operation], bool]
    """Runs a pipeline for a pass; returns whether it succeeded."""

    handlers: Sequence[ActionHandler]
    """Wrap each execution of a pass."""

    verify_each: bool | Literal["end", "all"]
    """Whether the IR is verified after each pass; see `PassManager`."""

    counts_optional: bool
    """Whether passes count optional statistics."""

    skips_unchanged: bool
    """Whether idempotent passes are skipped where nothing has changed."""

    @property
    def detail(self) -> Detail:
        """The detail that instrumentations and handlers need."""
        return Detail.OPERATIONS if self.handlers else self.instrumentor.detail

    def plain(self) -> dict[str, Any]:
        """Return the settings that are plain data, for a part of the run elsewhere."""
        names = ("verify_each", "counts_optional", "skips_unchanged")
        return {name: getattr(self, name) for name in names}


@dataclass(slots=True, eq=False, repr=False)
class RunState:
    """The operation that a pipeline works on, and the state of the run.

    `touched` tells the run to look at the state after a pass, so that a pass that only
    works on its operation costs nothing more than its call.
    """

    settings: RunSettings
    path: str
    """The place of the pipeline; see `PassExecution.path`."""

    around: RunState | None = None
    """The state of the pipeline around this one."""

    context: Context = field(init=False)
    instrumentor: PassInstrumentor = field(init=False)
    depth: int = field(default=0, init=False)
    dynamic: dict[int, Any] = field(default_factory=dict, init=False)
    """The dynamic pipelines finalized in this run; for `run_dynamic`."""

    action: PassExecution | None = field(default=None, init=False)
    """The execution of the current pass, if there are handlers for it."""

    operation: Operation = field(default=None, init=False)
    failed: bool = field(default=False, init=False)
    touched: bool = field(default=False, init=False)
    inner_failure: PassFailure | None = field(default=None, init=False)
    """The failure inside the current step: in a nested or dynamic pipeline."""

    preserved: PreservedAnalyses | None = field(default=None, init=False)
    last_preserved: PreservedAnalyses = field(default=_NOTHING_PRESERVED, init=False)
    """The analyses that the last pass preserved; instrumentations look at them."""

    outcome: str = field(default="", init=False)
    """The effect that the pass declares: `unchanged`, `unfinished` or empty."""

    skipping: RunState | None = field(default=None, init=False)
    """The state of the outermost pipeline in which passes may be skipped."""

    last_runs: dict[Hashable, Any] | None = field(default=None, init=False)
    """What ran on the operation, as `passes`, and such dicts of others inside."""

    _analysis_manager: AnalysisManager | None = field(default=None, init=False)
    _shares_analyses: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        """Take the rest of the state from the settings, and from the one around."""
        self.context = self.settings.context
        self.instrumentor = self.settings.instrumentor
        if self.around is not None:
            self.depth, self.skipping = self.around.depth + 1, self.around.skipping

    @classmethod
    def of(cls, pass_: Pass) -> RunState:
        """Return the state of the run that uses `pass_`."""
        state = pass_.state
        assert isinstance(state, cls)
        return state

    def inside(self, path: str) -> RunState:
        """Return the state of a pipeline that runs inside this one, at `path`."""
        return RunState(self.settings, path, around=self)

    def run_pipeline(
        self, pass_: Pass, pipeline: PassSequence[Pass], operation: Operation
    ) -> bool:
        """Run `pipeline` on `operation` for `pass_`; return whether it succeeded."""
        return self.settings.run_dynamic(self, pass_, pipeline, operation)

    @property
    def has_analyses(self) -> bool:
        """Whether the current operation has an analysis manager yet."""
        return self._analysis_manager is not None

    def share_analyses(self, operation: Operation) -> None:
        """Use the analyses of `operation` that the pipeline around this one has.

        The passes then invalidate them, even if they compute none themselves.
        """
        outer = self.around
        if outer is None or not outer.has_analyses:
            return
        if (manager := outer.analysis_manager.nested_or_none(operation)) is not None:
            self._analysis_manager = manager
            # If so, the pass that runs this dynamic pipeline still needs them.
            is_same = operation is outer.operation or operation == outer.operation
            self._shares_analyses = is_same
            self.touched = True

    @property
    def analysis_manager(self) -> AnalysisManager:
        """The analyses of the current operation; made on first use."""
        if self._analysis_manager is None:
            self._analysis_manager = (
                AnalysisManager(self.operation, self.context, self.instrumentor.call)
                if self.around is None
                else self.around.analysis_manager.nest(self.operation)
            )
        self.touched = True
        return self._analysis_manager

    def fail(self, failure: PassFailure) -> None:
        """End the pipeline after the current step: `failure` happened inside it."""
        self.failed = self.touched = True
        if self.inner_failure is None or (
            failure.exit is not None and self.inner_failure.exit is None
        ):
            self.inner_failure = failure

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
        failure.notes = tuple(
            str(note)
            for note in getattr(cause, "__notes__", ())
            if isinstance(note, ShownNote)
        )
        return failure

    def note_change(self) -> None:
        """Forget the passes that ran on the operation, inside it and around it."""
        (self.last_runs or {}).clear()
        state = self.around
        while state is not None:
            (state.last_runs or {}).pop("passes", None)
            state = state.around

    def verify(
        self, step: object, operation: Operation, *, recursive: bool = True
    ) -> PassFailure | None:
        """Verify `operation` after `step`; return the failure if it is not valid."""
        try:
            self.context.verify(operation, recursive=recursive)
        except IRError as error:
            self.context.handle(error.diagnostic)
            return self.failure_of(step, operation, error)
        return None

    def end_pass(self, declared: PreservedAnalyses | None) -> PreservedAnalyses:
        """Invalidate analyses after a pass; return those that it preserved.

        Args:
            declared: the analyses that the class of the pass declares preserved.
        """
        preserved = self.preserved
        if preserved is None:
            preserved = declared or _NOTHING_PRESERVED
        elif declared is not None:
            preserved.include(declared)
        self.last_preserved = preserved
        if self._analysis_manager is not None:
            self._analysis_manager.invalidate(preserved)
        self.preserved = self.inner_failure = None
        self.touched = self._analysis_manager is not None
        return preserved

    def leave(self) -> None:
        """Forget the current operation and its analyses."""
        if self._analysis_manager is not None:
            if self.failed or not self._shares_analyses:
                self._analysis_manager.clear()
            self._analysis_manager = None
            self._shares_analyses = False
        self.operation = self.last_runs = self.inner_failure = self.preserved = None
        self.failed = self.touched = False
