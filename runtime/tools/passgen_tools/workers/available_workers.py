"""The workers of a run: the executor, and the time until its workers are ready."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from passgen_runtime.errors import wrong_argument
from passgen_tools.workers.choice import num_cores
from passgen_tools.workers.dispatcher import BatchEvent, Dispatcher
from passgen_tools.workers.messages import ENTRY

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

START_S = 1.0
"""The expected time until a new process can run passes."""

_MIN_START_S = 0.01
"""The expected time once `START_S` is over and no worker has answered."""


def _made_by(make: Callable[[], Executor]) -> Executor:
    made = make()
    if not hasattr(made, "submit"):
        kind = "a concurrent.futures.Executor"
        raise wrong_argument("the result of the executor's callable", made, kind)
    return made


class AvailableWorkers:
    """The workers of an executor, which is made when it is first needed."""

    def __init__(
        self,
        executor: Executor | Callable[[], Executor],
        job_timeout_s: float | None,
        on_event: Callable[[BatchEvent], None],
    ) -> None:
        """Use `executor`.

        Args:
            executor: the executor, or a callable that makes it.
            job_timeout_s: how long a worker may take for one operation.
            on_event: called for each batch that has come back or was lost.

        Raises:
            TypeError: `executor` is neither an executor nor a callable.
            ValueError: `job_timeout_s` is not above 0.
        """
        if not callable(executor) and not hasattr(executor, "submit"):
            kind = "a concurrent.futures.Executor, or a callable that makes one"
            raise wrong_argument("executor", executor, kind)
        if job_timeout_s is not None and not 0 < job_timeout_s < math.inf:
            raise ValueError(f"job_timeout_s must be above 0, and is {job_timeout_s}")
        self.job_timeout_s = job_timeout_s
        self.are_starting = False
        """Whether the workers were started and none has answered yet."""

        self._on_event = on_event
        self._executor = partial(_made_by, executor) if callable(executor) else executor
        self._dispatcher: Dispatcher | None = None
        self._answers: list[Future[Any]] | None = None
        self._asked_s = 0.0

    @property
    def are_made(self) -> bool:
        """Whether the executor exists: it was given, or made already."""
        return self._dispatcher is not None or not callable(self._executor)

    @property
    def dispatcher(self) -> Dispatcher:
        """The dispatcher that sends batches to the executor."""
        if self._dispatcher is None:
            self._dispatcher = Dispatcher(
                self._executor, timeout_s=self.job_timeout_s, on_event=self._on_event
            )
        return self._dispatcher

    @property
    def num_workers(self) -> int:
        """The number of workers of the executor; before it is made, that of cores."""
        return self.dispatcher.num_workers if self.are_made else num_cores()

    def remaining_start_s(self, header: bytes) -> float:
        """Return the expected time until a worker is ready.

        The first call sends `header` to each worker, which prepares its passes.
        """
        if self._answers is None:
            self._asked_s = time.perf_counter()
            dispatcher = self.dispatcher
            self._answers = [
                dispatcher.submit(ENTRY, header, b"")
                for _ in range(dispatcher.num_workers)
            ]
        self.are_starting = not any(answer.done() for answer in self._answers)
        if not self.are_starting:
            return 0.0
        return max(_MIN_START_S, START_S - (time.perf_counter() - self._asked_s))

    def close(self) -> None:
        """End the workers that were made for the run."""
        if self._dispatcher is not None:
            self._dispatcher.close()
