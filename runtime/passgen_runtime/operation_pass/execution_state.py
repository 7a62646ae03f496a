"""The state of a pipeline's run on an operation, which its passes see and change.

The passes of a pipeline share one in each thread; the run moves it from operation to
operation.
"""

from __future__ import annotations

from typing import Any

from passgen_runtime.analysis import (
    AnalysisManager,
    AnalysisObserver,
    PreservedAnalyses,
)
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassFailure

_NOTHING_PRESERVED = PreservedAnalyses()
"""The preserved analyses of a pass that declares none; never changed."""


class PassExecutionState:
    """The state that passes see while they run; one for all passes of a pipeline.

    `touched` tells the run to look at the state after a pass, so that a pass that only
    works on its operation costs nothing more than its call.
    """

    __slots__ = (
        "_analysis_manager",
        "_around",
        "_observer",
        "_shares_analyses",
        "context",
        "failed",
        "inner_failure",
        "last_preserved",
        "operation",
        "preserved",
        "touched",
    )

    def __init__(
        self,
        context: Context,
        observer: AnalysisObserver | None = None,
        around: PassExecutionState | None = None,
    ) -> None:
        """Start without an operation.

        Args:
            context: the context of the IR.
            observer: notified of each analysis that is computed.
            around: the state of the pipeline around this one.
        """
        self.context = context
        self.operation: Operation = None
        self.failed = False
        self.touched = False
        self.inner_failure: PassFailure | None = None
        """The failure inside the current step: in a nested or dynamic pipeline."""

        self.preserved: PreservedAnalyses | None = None
        self.last_preserved = _NOTHING_PRESERVED
        """The analyses that the last pass preserved; instrumentations look at them."""

        self._observer = observer
        self._around = around
        self._analysis_manager: AnalysisManager | None = None
        self._shares_analyses = False

    # The modules of passes and pipelines import this one, hence `Any`.
    def run_pipeline(
        self,
        pass_: Any,  # noqa: ANN401 - see above
        pipeline: Any,  # noqa: ANN401 - see above
        operation: Operation,
    ) -> bool:
        """Run `pipeline` on `operation` for `pass_`; return whether it succeeded."""
        raise NotImplementedError

    @property
    def has_analyses(self) -> bool:
        """Whether the current operation has an analysis manager yet."""
        return self._analysis_manager is not None

    def share_analyses(self, operation: Operation) -> None:
        """Use the analyses of `operation` that the pipeline around this one has.

        The passes then invalidate them, even if they compute none themselves.
        """
        outer = self._around
        if outer is None or not outer.has_analyses:
            return
        manager = outer.analysis_manager.nested_or_none(operation)
        if manager is not None:
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
                AnalysisManager(self.operation, self.context, self._observer)
                if self._around is None
                else self._around.analysis_manager.nest(self.operation)
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
        self.preserved = None
        self.inner_failure = None
        self.touched = self._analysis_manager is not None
        return preserved

    def leave(self) -> None:
        """Forget the current operation and its analyses."""
        if self._analysis_manager is not None:
            if self.failed or not self._shares_analyses:
                self._analysis_manager.clear()
            self._analysis_manager = None
            self._shares_analyses = False
        self.operation = None
        self.failed = False
        self.touched = False
        self.inner_failure = None
        self.preserved = None
