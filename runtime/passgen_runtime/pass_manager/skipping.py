"""Pipelines that do not repeat an idempotent pass where nothing has changed.

Implements `LastRunTracking` of LLVM, by operation. Pipelines without an idempotent pass
do not load this module.
"""

from __future__ import annotations

from collections.abc import Hashable

from passgen_runtime.analysis import PreservedAnalyses
from passgen_runtime.context import Operation
from passgen_runtime.errors import PassFailure
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager.execution import Element, FinalizedPipeline, RunOn


class LastRuns:
    """The idempotent passes that ran on an operation, which has not changed since."""

    def __init__(self, around: LastRuns | None = None) -> None:
        """Start without passes; `around` has those of the operation around."""
        self.passes: set[Hashable] = set()
        self.around = around
        self._inside: dict[Hashable, LastRuns] = {}

    def nest(self, key: Hashable) -> LastRuns:
        """Return the passes of an operation inside; each thread has others."""
        return self._inside.setdefault(key, LastRuns(self))

    def note_change(self) -> None:
        """Forget the passes of the operation, of all inside it and of all around."""
        self._inside.clear()
        runs: LastRuns | None = self
        while runs is not None:
            runs.passes.clear()
            runs = runs.around


class SkippingPipeline(FinalizedPipeline):
    """A pipeline with an idempotent pass, or one that runs inside or around it.

    A dynamic pipeline forgets each run: its pass may change operations in between.
    """

    def begin_run(self) -> None:
        """Bind the passes, and note the options of those that are idempotent."""
        super().begin_run()
        self._keys = {
            step: (type(step), str(step)) for step in self._passes if step.idempotent
        }

    def select_run(self) -> RunOn:
        """Return the function that runs on operations without checks and analyses."""
        return self._in_scope(self._run_observed)

    def _run_steps(
        self, operation: Operation, *, checks_steps: bool
    ) -> PassFailure | None:
        state, around = self.state, self.state.around
        state.outcome = "changed"
        if state.skipping is state or around is None:
            state.last_runs = LastRuns()
        else:
            state.last_runs = around.last_runs.nest(state.context.key(operation))
        return super()._run_steps(operation, checks_steps=checks_steps)

    def _run_step(
        self, step: Element, operation: Operation, declared: PreservedAnalyses | None
    ) -> PassFailure | None:
        state, runs = self.state, self.state.last_runs
        if not isinstance(step, Pass):
            return super()._run_step(step, operation, declared)
        key = self._keys.get(step)
        if key in runs.passes:
            step.times_skipped += 1
            state.instrumentor.call("run_on_skip", step, operation)
            return None
        failure = super()._run_step(step, operation, declared)
        outcome, state.outcome = state.outcome, "changed"
        if failure is not None or outcome != "unchanged":
            runs.note_change()
        if failure is None and key is not None and outcome != "unfinished":
            runs.passes.add(key)
        return failure
