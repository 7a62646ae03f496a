"""The state of a run: of one pipeline, in one thread, with the settings of the run.

Passes see it as `PassExecutionState`. That class stands below instrumentations, which
know passes; so the settings of the run are added here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassFailure
from passgen_runtime.operation_pass import Pass, PassExecutionState
from passgen_runtime.pass_instrumentation import PassInstrumentor
from passgen_runtime.pass_manager.op_pass_manager import OpPassManager
from passgen_runtime.pass_manager.threading import Threading


class Distributor(Protocol):
    """Runs groups of nested pipelines in workers; made by `distribution` for a run."""

    report: list[str]
    """What was sent where, and why; in sentences."""

    is_at_work: bool
    """Whether it runs a group: one inside of that runs where it is."""

    def run(self, group: Any, targets: Sequence[Any]) -> bool:  # noqa: ANN401 - above
        """Run `targets`, the operations of a group; return whether it has."""

    def check(self, pipeline: Any) -> None:  # noqa: ANN401 - stands above
        """Check that what may go out of `pipeline` can, before anything runs.

        Raises:
            PassError: a pass cannot be sent to a worker.
        """

    def close(self) -> None:
        """End the workers that were made for the run."""


class Distribution:
    """Where the groups of one pass manager find the distributor of the run."""

    def __init__(self) -> None:
        """Start without any: everything runs in this process."""
        self.distributor: Distributor | None = None


class RunState(PassExecutionState):
    """The settings of a run, and the operation that a pipeline works on."""

    __slots__ = (
        "_run_dynamic",
        "depth",
        "distribution",
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
        distribution: Distribution | None = None,
        around: RunState | None = None,
        is_concurrent: bool = False,
    ) -> None:
        """Start without an operation.

        Args:
            context: of the IR.
            instrumentor: calls the instrumentations.
            run_dynamic: runs a pipeline for a pass; returns whether it succeeded.
            verify_each: whether the IR is verified after each pass.
            threads: the threads for nested pipelines; `None` to use none.
            thread_ids: of the threads that work for the run at the moment.
            distribution: has the workers for nested pipelines, if there are any.
            around: the state of the pipeline around this one.
            is_concurrent: whether other operations of the same level run meanwhile.
        """
        super().__init__(context, instrumentor, around)
        self.instrumentor = instrumentor
        self.verify_each = verify_each
        self.threads = threads
        self.thread_ids = thread_ids
        self.distribution = distribution or Distribution()
        self.depth: int = 0 if around is None else around.depth + 1
        self.fans_out_above: bool = is_concurrent or (
            around is not None and around.fans_out_above
        )
        self.dynamic: dict[int, Any] = {}
        """The dynamic pipelines that were made ready in this run; for `run_dynamic`."""

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
            distribution=self.distribution,
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
