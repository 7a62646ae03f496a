"""The state of a run: of one pipeline, in one thread, with the settings of the run.

Passes see it as `PassExecutionState`. That class stands below instrumentations, which
know passes; so what the run of pipelines needs besides is added here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassFailure
from passgen_runtime.operation_pass import Pass, PassExecutionState
from passgen_runtime.pass_instrumentation import PassInstrumentor
from passgen_runtime.pass_manager.op_pass_manager import OpPassManager
from passgen_runtime.pass_manager.threading import Threading


class RunState(PassExecutionState):
    """What a pipeline knows of its run, and its passes of the current operation."""

    __slots__ = (
        "_run_dynamic",
        "depth",
        "dynamic",
        "fans_out_above",
        "instrumentor",
        "thread_ids",
        "threads",
        "verify_each",
    )

    def __init__(  # noqa: PLR0913 - the settings of a pass manager
        self,
        context: Context,
        instrumentor: PassInstrumentor,
        run_dynamic: Callable[[RunState, Pass, OpPassManager, Operation], bool],
        *,
        verify_each: bool,
        threads: Threading | None,
        thread_ids: set[int],
        around: RunState | None = None,
        is_concurrent: bool = False,
    ) -> None:
        """Start without an operation.

        Args:
            context: of the IR.
            instrumentor: calls the instrumentations.
            run_dynamic: runs a pipeline for a pass; returns whether it succeeded.
            verify_each: whether the IR is verified after each pass.
            threads: run nested pipelines, if there are any.
            thread_ids: of the threads that work for the run at the moment.
            around: the state of the pipeline around this one.
            is_concurrent: whether other operations of the same level run meanwhile.
        """
        super().__init__(context, instrumentor, around)
        self.instrumentor = instrumentor
        self.verify_each = verify_each
        self.threads = threads
        self.thread_ids = thread_ids
        self.depth: int = 0 if around is None else around.depth + 1
        self.fans_out_above: bool = is_concurrent or (
            around is not None and around.fans_out_above
        )
        self.dynamic: dict[int, Any] = {}
        """What `run_dynamic` has made ready for the passes in this run."""

        self._run_dynamic = run_dynamic

    def inside(self, *, is_concurrent: bool = False) -> RunState:
        """Return the state of a pipeline that runs inside this one."""
        return RunState(
            self.context,
            self.instrumentor,
            self._run_dynamic,
            verify_each=self.verify_each,
            threads=self.threads,
            thread_ids=self.thread_ids,
            around=self,
            is_concurrent=is_concurrent,
        )

    def run_pipeline(
        self, pass_: Pass, pipeline: OpPassManager, operation: Operation
    ) -> bool:
        """Run `pipeline` on `operation` for `pass_`; return whether it succeeded."""
        return self._run_dynamic(self, pass_, pipeline, operation)

    @property
    def is_of_this_thread(self) -> bool:
        """Whether the current thread works for the run."""
        return threading.get_ident() in self.thread_ids

    @contextmanager
    def working(self) -> Iterator[None]:
        """Let the current thread work for the run during the block."""
        is_new = not self.is_of_this_thread
        self.thread_ids.add(threading.get_ident())
        try:
            yield
        finally:
            if is_new:
                self.thread_ids.discard(threading.get_ident())

    def failure_of(
        self, step: object, operation: Operation, cause: BaseException | None = None
    ) -> PassFailure:
        """Return the failure of `step`: one that came from inside it says more."""
        if self.inner_failure is not None and cause is None:
            return self.inner_failure
        failure = PassFailure(
            pass_name=step.name if isinstance(step, Pass) else "",
            argument=step.argument if isinstance(step, Pass) else "",
            operation=self.context.describe(operation),
        )
        failure.__cause__ = cause
        return failure
