"""The dispatcher, on executors of this process that break as they are told."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
)
from contextlib import closing
from typing import Any, ParamSpec, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passgen_tools.adaptors.encoded_ir import pack_parts
from passgen_tools.processes import Loss, WorkerLostError
from passgen_tools.workers import ExecutorError
from passgen_tools.workers.dispatcher import BatchEvent, Dispatcher
from tests.tools.workers.batches import batches, encoder, expected, run
from tests.tools.workers.entries import DOUBLED

T = TypeVar("T")
P = ParamSpec("P")

DEADLY = b"deadly"


class KilledWorker(Exception):  # noqa: N818 - Dask's name
    """A task has lost its worker, as Dask says it."""


class FragilePool(Executor):
    """Two threads, as which a batch with `DEADLY` in it ends its worker."""

    def __init__(self, kind: type[Exception]) -> None:
        """Fail as a pool that raises `kind` does."""
        self.kind = kind
        self._threads = ThreadPoolExecutor(2)
        self._lock = threading.Lock()
        self._open = set[Future[Any]]()
        self._is_broken = False

    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        future = Future[T]()
        with self._lock:
            if self._is_broken:
                raise BrokenExecutor("broken before")
            self._open.add(future)
        self._threads.submit(self._run, future, fn, args, kwargs)
        return future

    def _run(
        self,
        future: Future[Any],
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        is_deadly = DEADLY in args[2]
        result = None if is_deadly else fn(*args, **kwargs)
        with self._lock:
            if future not in self._open:
                return
            failing = {future} if is_deadly else set()
            if is_deadly and self.kind is BrokenExecutor:
                self._is_broken = True
                failing = set(self._open)
            if is_deadly and self.kind is KilledWorker:  # an innocent one as well
                failing |= set(list(self._open)[:1])
            self._open -= failing | {future}
            for each in failing:
                each.set_exception(self._error())
            if not failing:
                future.set_result(result)

    def _error(self) -> Exception:
        if self.kind is WorkerLostError:
            return WorkerLostError(Loss("signal", "here:1", "SIGKILL"))
        return self.kind("a worker has died")

    def shutdown(
        self,
        wait: bool = True,  # noqa: FBT001, FBT002 - as the base class has it
        *,
        cancel_futures: bool = False,
    ) -> None:
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)


KINDS = (BrokenExecutor, KilledWorker, WorkerLostError)


@given(
    deadly=st.lists(st.booleans(), max_size=12),
    size=st.integers(1, 5),
    num_workers=st.integers(1, 4),
    max_retries=st.integers(0, 2),
    kind=st.sampled_from(KINDS),
)
def test_exactly_the_items_that_end_their_worker_are_lost(
    deadly: list[bool],
    size: int,
    num_workers: int,
    max_retries: int,
    kind: type[Exception],
) -> None:
    data = [
        DEADLY if each else str(number).encode() for number, each in enumerate(deadly)
    ]
    with closing(
        Dispatcher(
            lambda: FragilePool(kind), num_workers=num_workers, max_retries=max_retries
        )
    ) as dispatcher:
        done, lost = run(dispatcher, data, size)

    guilty = [number for number, each in enumerate(deadly) if each]
    assert [each.index for each in lost] == guilty
    assert {each.attempts for each in lost} <= {max_retries + 1}
    assert done == expected(data, guilty)


def test_executor_that_was_given_and_breaks_fails_the_run_and_names_the_items() -> None:
    with (
        FragilePool(BrokenExecutor) as pool,
        pytest.raises(ExecutorError) as raised,
    ):
        run(Dispatcher(pool, num_workers=1), [b"a", DEADLY], 2)

    assert str(raised.value) == (
        "the executor is broken and was lost with items 0 to 1: a worker has died\n"
        "note: give a callable that makes executors, such as "
        "functools.partial(ProcessPool, 4), to have lost work sent again"
    )


@pytest.mark.parametrize("kind", [KilledWorker, WorkerLostError])
def test_executor_that_was_given_and_goes_on_is_sent_lost_items_again(
    kind: type[Exception],
) -> None:
    data = [b"a", DEADLY, b"b", b"c"]
    with FragilePool(kind) as pool:
        done, lost = run(Dispatcher(pool, num_workers=1), data, 3)

    assert [each.index for each in lost] == [1]
    assert done == expected(data, [1])


def test_executors_that_break_before_they_take_work_are_not_made_for_ever() -> None:
    made = list[Executor]()

    class Broken(Executor):
        def submit(self, *_: object, **__: object) -> Future[Any]:
            raise BrokenExecutor("no room")

    def make() -> Executor:
        made.append(Broken())
        return made[-1]

    with (
        closing(Dispatcher(make, num_workers=2)) as dispatcher,
        pytest.raises(ExecutorError, match="5 executors have broken before they took"),
    ):
        run(dispatcher, [b"a"], 1)

    assert len(made) == 6


def test_executor_that_is_shut_down_is_named() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()

    with pytest.raises(ExecutorError, match="takes no work: cannot schedule new fut"):
        run(Dispatcher(pool), [b"a"], 1)


def test_items_are_made_when_they_are_sent_and_not_before() -> None:
    made = list[int]()

    def encode(items: range) -> bytes:
        made.extend(items)
        return pack_parts([b"x"] * len(items))

    with ThreadPoolExecutor(1) as pool:
        replies = Dispatcher(pool, num_workers=2).run(
            DOUBLED, b"", encode, batches(20, 1)
        )
        assert made == []
        next(replies)
        assert len(made) <= 2 * 4
        assert len(list(replies)) == 19

    assert made == list(range(20))


def test_what_no_worker_has_begun_is_taken_back_when_the_iterator_is_closed() -> None:
    futures = list[Future[Any]]()

    class Idle(Executor):
        def submit(
            self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
        ) -> Future[T]:
            future = Future[T]()
            if not futures:
                future.set_result(fn(*args, **kwargs))
            futures.append(future)
            return future

    replies = Dispatcher(Idle(), num_workers=2).run(
        DOUBLED, b"", encoder([b"a"] * 9), batches(9, 1)
    )
    next(replies)
    replies.close()

    assert [each.cancelled() for each in futures] == [False] + [True] * 4


def test_error_of_the_entry_names_worker_and_items_and_keeps_the_traceback() -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(
            ExecutorError,
            match=r"^worker \S+:\d+, on items 2 to 3: ValueError: no such thing$",
        ) as raised,
    ):
        run(Dispatcher(pool), [b"a", b"b", b"c", b"raise no such thing"], 2)

    assert "in _raise" in raised.value.worker_traceback


def test_entry_that_cannot_be_imported_is_an_error() -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(ExecutorError, match="No module named 'no_such_module'"),
    ):
        run(Dispatcher(pool), [b"a"], 1, "no_such_module:entry")


def test_lack_of_memory_is_told_apart_and_halves_the_batch() -> None:
    data = [b"a", b"b", b"lack-memory", b"c"]
    events = list[BatchEvent]()

    with ThreadPoolExecutor(1) as pool:
        done, lost = run(Dispatcher(pool, on_event=events.append), data, 4)

    assert [(each.index, each.loss.kind) for each in lost] == [(2, "memory")]
    assert done == expected(data, [2])
    lost_batches = [each.items for each in events if each.loss is not None]
    assert lost_batches == [range(4), range(2, 4), *[range(2, 3)] * 3]


def test_cancelled_task_is_one_that_its_executor_has_lost() -> None:
    class Cancelling(Executor):
        def submit(self, *_: object, **__: object) -> Future[Any]:
            future = Future[Any]()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(ExecutorError, match="lost with item 0") as raised:
        run(Dispatcher(Cancelling(), num_workers=1), [b"a"], 1)

    assert isinstance(raised.value.__cause__, CancelledError)
