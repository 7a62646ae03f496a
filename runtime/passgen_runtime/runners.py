"""Runners of nested pipelines: `Threads` runs them in the threads of an executor.

Implements `OpToOpPassAdaptor::runOnOperationAsyncImpl` of mlir/lib/Pass/Pass.cpp. The
caller works too and never waits for a task that has not begun, so levels may fan
out inside one another on one executor, however small, without a deadlock.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from itertools import chain
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol, TypeVar

from passgen_runtime.diagnostics import keeping
from passgen_runtime.errors import PassFailure
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_runtime.pass_manager import (
    FinalizedPipeline,
    NestedPipelines,
    OpPassManager,
    Runner,
    Target,
    take_statistics,
)

if TYPE_CHECKING:
    # Imported on first use at run time, for a fast start.
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


class Threads(Runner):
    """Runs groups of nested pipelines in several threads.

    Results, statistics, diagnostics and their order stay those of one thread.
    """

    is_multithreaded = True

    def __init__(
        self,
        executor: Executor | None = None,
        max_workers: int | None = None,
        policy: ThreadingPolicy = outermost_level,
    ) -> None:
        """Use `executor`, or a pool made when needed.

        Args:
            executor: runs the threads.
            max_workers: how many operations run at once; by default, one a processor.
            policy: at which levels of nesting operations run concurrently.

        Raises:
            ValueError: `max_workers` is less than 1.
        """
        if max_workers is not None and max_workers < 1:
            raise ValueError(f"max_workers: expected 1 or more, found {max_workers}")
        self.policy = policy
        self.max_workers = max_workers or os.cpu_count() or 1
        self._executor = executor
        self._lock = threading.Lock()
        self._here = _ThisThread()
        self._replicas: dict[NestedPipelines, _Replicas] = {}
        """Made for a run: options may change between runs."""

    def end_run(self) -> None:
        """Forget the copies of pipelines; threads stay for the next run."""
        self._replicas.clear()

    def run(self, group: NestedPipelines) -> Sequence[PassFailure]:
        """Run on the targets in several threads, if the policy says so."""
        state = group.state
        targets = group.targets()
        if len(targets) < 2 or not self.policy(  # noqa: PLR2004 - more than one
            depth=state.depth + 1,
            fans_out_above=self._here.is_concurrent,
            num_targets=len(targets),
        ):
            return group.run_in_turn()
        # Analysis managers are made here, so that no two threads make the same one.
        for target in targets:
            state.analysis_manager.nest(target.operation)
        parent = PipelineParentInfo(threading.get_ident(), None, group.collection)
        failures: list[PassFailure | None] = [None] * len(targets)
        actions: list[list[Callable[[], object]]] = [[] for _ in targets]
        num_shown = [len(targets)]
        replicas = self._replicas.setdefault(group, _Replicas(group))

        def run(target: Target) -> None:
            try:
                with (
                    self._here.running_concurrently(),
                    replicas.borrow() as pipelines,
                    keeping(actions[target.number]),
                ):
                    pipeline = pipelines[target.pipeline_index]
                    failures[target.number] = pipeline.run(target.operation, parent)
            except PassFailure as failure:
                failures[target.number] = failure
            except BaseException:
                num_shown.append(target.number + 1)
                raise

        try:
            self.map(run, targets)
        finally:
            replicas.collect()
            # A single thread would have stopped at the first exception.
            for action in chain(*actions[: min(num_shown)]):
                state.context.in_order(action)
        return [failure for failure in failures if failure is not None]

    def map(self, function: Callable[[T], None], items: Sequence[T]) -> None:
        """Call `function` on each of `items` in several threads, started in this order.

        Each thread has a copy of the caller's context variables. The caller does
        what the executor refuses. If the function raises, no further items are
        started, running ones are waited for, and the exception of the first item is
        raised here: all items before it have been done.
        """
        remaining = enumerate(items)
        lock = threading.Lock()
        is_stopped = threading.Event()
        raised: dict[int, BaseException] = {}

        def work() -> None:
            while not is_stopped.is_set():
                with lock:
                    taken = next(remaining, None)
                if taken is None:
                    return
                number, item = taken
                try:
                    function(item)
                except BaseException as error:  # noqa: BLE001 - raised by the caller
                    raised[number] = error
                    is_stopped.set()

        # Imported on first use, for a fast start.
        from concurrent.futures import wait  # noqa: PLC0415

        others = self._submit(work, min(self.max_workers, len(items)) - 1)
        try:
            work()
        finally:
            is_stopped.set()
            wait([begun for begun in others if not begun.cancel()])
        if raised:
            raise raised[min(raised)]

    def _submit(self, work: Callable[[], None], count: int) -> list[Future[None]]:
        """Give `work` to `count` threads, or to as many as the executor offers."""
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - see `map`

        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self.max_workers, "pass")
        futures: list[Future[None]] = []
        # Raised by an executor that was shut down, or cannot start a thread.
        with suppress(RuntimeError):
            while len(futures) < count:
                futures.append(self._executor.submit(copy_context().run, work))
        return futures


class _ThisThread(threading.local):
    """The state of the current thread."""

    is_concurrent = False
    """Whether it runs an operation while other threads run others."""

    @contextmanager
    def running_concurrently(self) -> Iterator[None]:
        before, self.is_concurrent = self.is_concurrent, True
        try:
            yield
        finally:
            self.is_concurrent = before


class _Replicas:
    """Copies of a group of pipelines, each used by one thread at a time."""

    def __init__(self, group: NestedPipelines) -> None:
        self._group = group
        self._copies: list[Sequence[FinalizedPipeline]] = []
        self._free: SimpleQueue[Sequence[FinalizedPipeline]] = SimpleQueue()

    @contextmanager
    def borrow(self) -> Iterator[Sequence[FinalizedPipeline]]:
        """Yield pipelines that no other thread uses during the block.

        Raises:
            PassFailure: one of their passes cannot be copied.
        """
        try:
            pipelines = self._free.get_nowait()
        except Empty:
            group = self._group
            pipelines = group.make_pipelines(list(map(_clone_pipeline, group.managers)))
            self._copies.append(pipelines)
            for pipeline in pipelines:
                pipeline.begin_run()
        try:
            yield pipelines
        finally:
            self._free.put(pipelines)

    def collect(self) -> None:
        """Move the statistics and matches of the copies to the originals."""
        for copies in self._copies:
            for original, copy in zip(self._group.pipelines, copies, strict=True):
                _collect(original, copy)


def _collect(original: FinalizedPipeline, copy: FinalizedPipeline) -> None:
    """Move the statistics and matches of `copy` to `original`."""
    take_statistics(original.passes(), copy.passes())
    for mine, other in zip(original.pipelines(), copy.pipelines(), strict=True):
        mine.was_matched |= other.was_matched


def _clone_pipeline(manager: OpPassManager) -> OpPassManager:
    """Return a copy with clones of all passes, for another thread.

    Raises:
        PassFailure: one of them cannot be copied.
    """
    duplicate = OpPassManager(manager.anchor)
    duplicate.elements = [
        _clone_pipeline(inner) if isinstance(inner, OpPassManager) else _clone(inner)
        for inner in manager.elements
    ]
    return duplicate


def _clone(pass_: Pass) -> Pass:
    try:
        return pass_.clone()
    except Exception as error:
        raise PassFailure(
            pass_name=pass_.name,
            argument=pass_.argument,
            operation="its copying for a thread",
        ) from error
