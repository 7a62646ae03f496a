"""Pass timing: the time of each pass, pipeline and analysis.

Implements "Pass Timing" of MLIR's PassManagement page, from `PassTiming.cpp`.

    enable_timing(manager)
    manager.run(module)  # and print the report

The time of a pass includes that of the verifier after it. The timer of a pipeline is
below that of the pass or collection that runs it, even in another thread.
"""

from __future__ import annotations

import threading

from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import print_text
from passgen_runtime.instrumentations.timing_manager import TimingManager, TimingScope
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager import PassManager


class PassTiming(PassInstrumentation):
    """Measures passes, pipelines and analyses with the timers of a manager."""

    detail = Detail.PASSES

    def __init__(self, timing: TimingManager, *, prints: bool = False) -> None:
        """Put all timers below the root of `timing`.

        Args:
            timing: the manager of the timers.
            prints: whether the report goes to standard error at the end of each run.
        """
        self._timing = timing
        self._prints = prints
        self._active: dict[int, list[TimingScope]] = {}
        """The running timers of each thread, innermost last."""

        self._collections: dict[PipelineCollection, TimingScope] = {}

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Start the timer of a nested or dynamic pipeline; the outermost has none."""
        if parent.is_outermost:
            self._timing.root_scope.num_steps = 0
            # An interrupted run has stopped no timers.
            self._active.pop(parent.thread_id, None)
            return
        collection = parent.collection
        around = self._collections[collection] if collection else self.innermost()
        timer = around.timer.child(("pipeline", anchor), f"'{anchor}' Pipeline")
        self._push(self._timing.start(timer, around))

    def run_after_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Stop the timer of a nested or dynamic pipeline; the outermost has none."""
        if not parent.is_outermost:
            self._pop()
        elif self._prints:
            print_text(self._timing.report())

    def run_before_collection(
        self, collection: PipelineCollection, _operation: Operation
    ) -> None:
        """Start the timer of nested pipelines; the tree hides that of a single one."""
        step = self._start_step(str(collection), is_hidden=len(collection.anchors) == 1)
        self._collections[collection] = step

    def run_after_collection(
        self, collection: PipelineCollection, _operation: Operation
    ) -> None:
        """Stop the timer of nested pipelines."""
        del self._collections[collection]
        self._pop()

    def run_before_pass(self, pass_: Pass, _operation: Operation) -> None:
        """Start the timer of a pass."""
        self._start_step(pass_.name)

    def run_after_pass(self, _pass: Pass, _operation: Operation) -> None:
        """Stop the timer of a pass."""
        self._pop()

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Stop the timer of a pass."""
        self.run_after_pass(pass_, operation)

    def run_on_skip(self, pass_: Pass, operation: Operation) -> None:
        """Show that a pass was skipped, in no time."""
        self._start_step(f"{pass_.name} (skipped, unchanged)")
        self.run_after_pass(pass_, operation)

    def run_before_analysis(self, analysis: type, _operation: Operation) -> None:
        """Start the timer of an analysis."""
        around = self.innermost()
        key = f"{analysis.__module__}.{analysis.__qualname__}"
        timer = around.timer.child(key, f"(A) {analysis.__name__}")
        self._push(self._timing.start(timer, around))

    def run_after_analysis(self, _analysis: type, _operation: Operation) -> None:
        """Stop the timer of an analysis."""
        self._pop()

    def _start_step(self, name: str, *, is_hidden: bool = False) -> TimingScope:
        """Start the timer of the next step of the pipeline that runs in this thread.

        A pipeline's steps come in the same order on each operation, and in copies of it
        in other threads: their number distinguishes two instances of a pass.
        """
        around = self.innermost()
        key = (around.num_steps, name)
        around.num_steps += 1
        timer = around.timer.child(key, name, is_hidden=is_hidden)
        scope = self._timing.start(timer, around)
        self._push(scope)
        return scope

    def innermost(self) -> TimingScope:
        """Return the innermost running scope of this thread."""
        active = self._active.get(threading.get_ident())
        return active[-1] if active else self._timing.root_scope

    def _push(self, scope: TimingScope) -> None:
        self._active.setdefault(scope.thread_id, []).append(scope)

    def _pop(self) -> None:
        self._timing.stop(self._active[threading.get_ident()].pop())


def enable_timing(
    manager: PassManager, timing: TimingManager | None = None
) -> TimingManager:
    """Let `manager` measure its runs; return the timers.

    Args:
        manager: the pass manager.
        timing: the manager of the timers, from which the caller makes the report; if
            not given, each run prints a report on all runs to standard error.
    """
    given = timing or TimingManager()
    manager.add_instrumentation(PassTiming(given, prints=timing is None))
    return given
