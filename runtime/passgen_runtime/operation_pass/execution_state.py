"""The state of a pipeline's run on an operation: what its passes see and declare.

One for all passes of a pipeline in one thread; `pass_execution` moves it from operation
to operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from passgen_runtime.analysis import AnalysisManager, PreservedAnalyses
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassFailure

_NOTHING_PRESERVED = PreservedAnalyses()
"""What a pass declares that says nothing; changed by nobody."""


class PipelineRunner(Protocol):
    """Runs a dynamic pipeline."""

    # The classes of passes and pipelines stand above this module.
    def __call__(
        self,
        pass_: Any,  # noqa: ANN401 - see above
        pipeline: Any,  # noqa: ANN401 - see above
        operation: Operation,
        /,
    ) -> bool:
        """Run `pipeline` on `operation` for `pass_`; return whether it succeeded."""


class PassExecutionState:
    """What passes see of the operation they run on; one for all passes of a pipeline.

    `touched` is set by whatever must be looked at after a pass, so that a pass that
    only works on its operation costs nothing more than its call.
    """

    __slots__ = (
        "_analysis_manager",
        "_make_analysis_manager",
        "_shares_analyses",
        "context",
        "failed",
        "inner_failure",
        "last_preserved",
        "operation",
        "preserved",
        "run_pipeline",
        "touched",
    )

    def __init__(
        self,
        context: Context,
        make_analysis_manager: Callable[[Operation], AnalysisManager],
        run_pipeline: PipelineRunner,
    ) -> None:
        """Start without an operation."""
        self.context = context
        self.operation: Operation = None
        self.failed = False
        self.touched = False
        self.inner_failure: PassFailure | None = None
        """What failed in a dynamic pipeline that the current pass ran, if anything."""

        self.preserved: PreservedAnalyses | None = None
        self.last_preserved = _NOTHING_PRESERVED
        """What the pass that ended last declared, for those who look at it then."""

        self.run_pipeline = run_pipeline
        self._make_analysis_manager = make_analysis_manager
        self._analysis_manager: AnalysisManager | None = None
        self._shares_analyses = False

    @property
    def has_analyses(self) -> bool:
        """Whether the current operation has an analysis manager yet."""
        return self._analysis_manager is not None

    def share_analyses(self, manager: AnalysisManager, *, with_caller: bool) -> None:
        """Use the analyses that the pipeline around this one has of the operation.

        Args:
            manager: holds them.
            with_caller: whether a pass around this pipeline runs on the same operation,
                and goes on using them.
        """
        self._analysis_manager = manager
        self._shares_analyses = with_caller
        self.touched = True

    @property
    def analysis_manager(self) -> AnalysisManager:
        """The analyses of the current operation; made when first asked for."""
        if self._analysis_manager is None:
            self._analysis_manager = self._make_analysis_manager(self.operation)
        self.touched = True
        return self._analysis_manager

    def fail(self, failure: PassFailure) -> None:
        """End the pipeline after the current step, because of `failure` inside it."""
        self.failed = self.touched = True
        if self.inner_failure is None or (
            failure.exit is not None and self.inner_failure.exit is None
        ):
            self.inner_failure = failure

    def settle(self, declared: PreservedAnalyses | None) -> PreservedAnalyses:
        """Invalidate analyses after a pass; return what it preserved.

        Args:
            declared: what the class of the pass says it always preserves.
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
