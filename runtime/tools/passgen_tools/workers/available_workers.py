"""The workers of a run: their executor, and the time until they are ready."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from passgen_runtime.errors import wrong_argument
from passgen_tools.workers.choice import num_cores
from passgen_tools.workers.dispatcher import BatchEvent, Dispatcher
from passgen_tools.workers.messages import ENTRY

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

START_S = 1.0
"""How long a new process takes until it can run passes."""

_MIN_START_S = 0.01
"""How long one that is expected at any moment takes."""


class AvailableWorkers:
    """The workers of an executor, which is made when they are first needed."""

    def __init__(
        self,
        executor: Executor | Callable[[], Executor],
        job_timeout_s: float | None,
        on_event: Callable[[BatchEvent], None],
    ) -> None:
        """Use `executor`.

        Args:
            executor: has the workers, or a callable that makes it.
            job_timeout_s: how long a worker may take for one operation.
            on_event: called for each batch that is back or lost.

        Raises:
            TypeError: there is no such executor.
            ValueError: the limit is not above 0.
        """
        if not callable(executor) and not hasattr(executor, "submit"):
            kind = "a concurrent.futures.Executor, or a callable that makes one"
            raise wrong_argument("executor", executor, kind)
        if job_timeout_s is not None and not 0 < job_timeout_s < math.inf:
            message = f"job_timeout_s must be above 0, and is {job_timeout_s}"
            raise ValueError(message)
        self.job_timeout_s = job_timeout_s
        self.are_starting = False
        """Whether they start, and have not answered yet."""

        self._on_event = on_event
        self._latest: Any = executor
        """The executor, once there is one."""

        self._is_maker = callable(executor)
        self._make = lambda: self._make_executor(executor)
        self._made: Dispatcher | None = None
        self._answers: list[Future[Any]] | None = None
        self._asked_s = 0.0

    @property
    def are_made(self) -> bool:
        """Whether there is an executor: made before, or given."""
        return self._made is not None or not self._is_maker

    def _make_executor(self, make: Any) -> Executor:  # noqa: ANN401 - a callable
        made = make()
        if not hasattr(made, "submit"):
            kind = "a concurrent.futures.Executor"
            raise wrong_argument("the result of the executor's callable", made, kind)
        self._latest = made
        executor: Executor = made
        return executor

    @property
    def dispatcher(self) -> Dispatcher:
        """The dispatcher that sends batches to the executor."""
        if self._made is None:
            self._made = Dispatcher(
                self._make if self._is_maker else self._latest,
                timeout_s=self.job_timeout_s,
                on_event=self._on_event,
            )
        return self._made

    @property
    def num_workers(self) -> int:
        """The number of workers that are there, or else expected."""
        return self.dispatcher.num_workers if self.are_made else num_cores()

    def remaining_start_s(self, header: bytes) -> float:
        """Return the expected time until a worker is ready; ask them once.

        Args:
            header: what they prepare first.
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
        """End those that were made for the run."""
        if self._made is not None:
            self._made.close()
