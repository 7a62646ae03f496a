"""Pipelines that do not repeat an idempotent pass where nothing has changed.

Implements `LastRunTracking` of LLVM, by operation. Pipelines without an idempotent pass
do not load this module.
"""

from __future__ import annotations

from passgen_runtime.analysis import PreservedAnalyses
from passgen_runtime.context import Operation
from passgen_runtime.errors import PassFailure
from passgen_runtime.operation_pass import Pass, PassConfiguration
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_runtime.pass_manager.execution import Element, FinalizedPipeline


class SkippingPipeline(FinalizedPipeline):
    """A pipeline with an idempotent pass, or one that runs inside or around it.

    A dynamic pipeline forgets each run: its pass may change operations in between.
    """

    def begin_run(self) -> None:
        """Bind the passes, and note the configurations of those that are idempotent."""
        super().begin_run()
        self._configurations = {
            id(step): PassConfiguration(step)
            for step in self._passes
            if step.idempotent
        }

    def _is_observed(self) -> bool:
        return True

    def _run_observed(
        self,
        operation: Operation,
        parent: PipelineParentInfo | None = None,
        *,
        checks_steps: bool = False,
    ) -> PassFailure | None:
        state, key = self.state, self.state.context.key(operation)
        around = None if state.skipping is state else state.around
        runs = None if around is None else around.last_runs
        state.last_runs = {} if runs is None else runs.setdefault(key, {})
        return super()._run_observed(operation, parent, checks_steps=checks_steps)

    def _run_step(
        self, step: Element, operation: Operation, declared: PreservedAnalyses | None
    ) -> PassFailure | None:
        state, runs = self.state, self.state.last_runs
        if runs is None or not isinstance(step, Pass):
            return super()._run_step(step, operation, declared)
        configuration = self._configurations.get(id(step))
        if configuration in runs.get("passes", ()):
            if state.settings.counts_optional:
                step.times_skipped += 1
            state.instrumentor.call("run_on_skip", step, operation)
            return None
        failure = super()._run_step(step, operation, declared)
        if failure is not None or state.outcome != "unchanged":
            state.note_change()
        if failure is None and configuration and state.outcome != "unfinished":
            runs.setdefault("passes", set()).add(configuration)
        return failure
