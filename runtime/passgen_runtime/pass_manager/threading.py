"""Multithreading: independent operations on the threads of an executor.

The caller works too and never waits for a task that has not begun, so levels may fan
out inside one another on one executor, however small, without a deadlock.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar

from passgen_runtime.errors import wrong_argument

if TYPE_CHECKING:
    # At run time imported when threads are first needed: starting is measured.
    from concurrent.futures import Executor, Future

T = TypeVar("T")


class ThreadingPolicy(Protocol):
    """Decides at which levels of nesting a run fans out."""

    def __call__(self, *, depth: int, fans_out_above: bool, num_targets: int) -> bool:
        """Return whether to run operations of one level concurrently.

        Args:
            depth: 1 for the operations directly inside the root, 2 inside those, ...
            fans_out_above: whether a level around this one fans out already.
            num_targets: how many operations there are; at least 2.
        """


def outermost_level(*, depth: int, fans_out_above: bool, num_targets: int) -> bool:
    """Fan out at the outermost level with more than one operation, and nowhere else."""
    del depth, num_targets
    return not fans_out_above


def every_level(*, depth: int, fans_out_above: bool, num_targets: int) -> bool:
    """Fan out wherever there is more than one operation."""
    del depth, fans_out_above, num_targets
    return True


class Threading:
    """The executor and the policy of a pass manager."""

    def __init__(
        self,
        executor: Executor | None,
        max_workers: int | None,
        policy: ThreadingPolicy,
    ) -> None:
        """Use `executor`, or a pool of `max_workers` threads made when needed.

        Raises:
            TypeError: the executor or the policy is not one.
            ValueError: there would be no worker.
        """
        if executor is not None and not hasattr(executor, "submit"):
            is_count = isinstance(executor, int)
            notes = (f"write max_workers={executor!r}",) if is_count else ()
            kind = "a concurrent.futures.Executor"
            raise wrong_argument("executor", executor, kind, *notes)
        if not callable(policy):
            raise wrong_argument("policy", policy, "a ThreadingPolicy")
        if max_workers is not None and max_workers < 1:
            message = f"max_workers must be 1 or more, and is {max_workers}"
            raise ValueError(message)
        self.policy = policy
        self.max_workers = max_workers or os.cpu_count() or 1
        self._executor = executor
        self._lock = threading.Lock()

    def map(self, function: Callable[[T], None], items: Sequence[T]) -> None:
        """Call `function` on each of `items` in several threads, begun in this order.

        Each thread has a copy of the caller's context variables. The caller does
        what the executor refuses. If the function raises, no further items are
        begun, those begun are waited for, and the exception of the first item is raised
        here: all items before it have been done.
        """
        remaining = enumerate(items)
        lock = threading.Lock()
        is_stopped = threading.Event()
        raised: dict[int, BaseException] = {}

        def work() -> None:
            while not is_stopped.is_set():
                with lock:
                    number, item = next(remaining, (-1, _NOTHING))
                if isinstance(item, _Nothing):
                    return
                try:
                    function(item)
                except BaseException as error:  # noqa: BLE001 - raised by the caller
                    raised[number] = error
                    is_stopped.set()

        others = self._submit(work, min(self.max_workers, len(items)) - 1)
        try:
            work()
        finally:
            is_stopped.set()
            begun = [other for other in others if not other.cancel()]
            import_module("concurrent.futures").wait(begun)
        if raised:
            raise raised[min(raised)]

    def _submit(self, work: Callable[[], None], count: int) -> list[Future[None]]:
        """Give `work` to `count` threads, or to as many as the executor offers."""
        executor = self._get_executor()
        futures: list[Future[None]] = []
        # Such as an executor that was shut down, or that cannot start a thread.
        with suppress(RuntimeError):
            while len(futures) < count:
                futures.append(executor.submit(copy_context().run, work))
        return futures

    def _get_executor(self) -> Executor:
        with self._lock:
            if self._executor is None:
                self._executor = import_module("concurrent.futures").ThreadPoolExecutor(
                    self.max_workers, thread_name_prefix="pass"
                )
            return self._executor


class _Nothing:
    """The type of the marker that no item is left."""


_NOTHING = _Nothing()


def threads_run_in_parallel() -> bool:
    """Return whether this interpreter runs Python code in several threads at once."""
    is_gil_enabled = getattr(sys, "_is_gil_enabled", None)
    return is_gil_enabled is not None and not is_gil_enabled()
