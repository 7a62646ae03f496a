"""The dispatcher: sends batches of bytes to workers, and again if a worker is lost."""

from __future__ import annotations

import os
import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeAlias

from passgen_tools.processes import (
    ExecutorError,
    Loss,
    ProcessPool,
    TaskLoss,
    items_text,
    task_loss,
)
from passgen_tools.workers.batch import BatchReply, run_batch, worker_name
from passgen_tools.workers.choice import number_of_workers

_BATCHES_PER_WORKER: Final = 2
"""A worker runs one batch while the next one is sent."""

_MAX_BREAKS: Final = 5
"""How many executors in a row may break before one accepts a batch."""


@dataclass(frozen=True, slots=True)
class BatchDone:
    """The reply of the entry function to a batch, or to a part of a halved batch."""

    items: range
    reply: bytes
    worker: str
    """The worker's host and process, `host:pid`."""


@dataclass(frozen=True, slots=True)
class ItemLost:
    """An item that ended its worker each time that it was sent alone."""

    index: int
    loss: Loss
    """The loss of the last worker."""

    attempts: int


Outcome: TypeAlias = BatchDone | ItemLost


@dataclass(frozen=True, slots=True)
class BatchEvent:
    """A batch that came back, or whose worker was lost."""

    items: range
    worker: str
    wall_time_s: float
    """How long the entry function took; 0 if the worker was lost."""

    loss: Loss | None = None


class Dispatcher:
    """Sends batches to the workers of an executor, and sends lost ones again.

    A batch of a lost worker is halved until the item that ends workers is alone. An
    item counts as lost after more than `max_retries` losses on its own. If an executor
    does not say which worker has died, nothing else is in flight then.
    """

    def __init__(
        self,
        executor: Executor | Callable[[], Executor],
        *,
        num_workers: int | None = None,
        timeout_s: float | None = None,
        max_retries: int = 2,
        on_event: Callable[[BatchEvent], None] = lambda _: None,
    ) -> None:
        """Use a given executor, or make one, and another one when it breaks.

        Args:
            executor: an executor, which the caller ends, or a callable that makes one,
                which `close` ends. A callable is called at once, so that workers start
                before there is anything to send.
            num_workers: how many batches workers run at a time; by default
                `number_of_workers(executor)`.
            timeout_s: the time limit of a batch. A batch that exceeds it is halved; a
                single item is lost. Its worker is ended, unless it is this process.
            max_retries: how often an item that was lost alone is sent again.
            on_event: called by `run` for each batch that has come back or was lost.
        """
        self._make = None if isinstance(executor, Executor) else executor
        self._executor = executor if isinstance(executor, Executor) else executor()
        self.num_workers = num_workers or number_of_workers(self._executor)
        self.timeout_s = timeout_s
        self.max_retries = max_retries
        self.on_event = on_event
        self._open = set[Future[BatchReply]]()
        """The batches in flight."""

    def close(self) -> None:
        """End the executor, with the work of its workers, unless it was given."""
        if self._make is None:
            return
        if isinstance(self._executor, ProcessPool):
            self._executor.kill()
        else:
            # Tasks in flight may hang: do not wait for them.
            self._executor.shutdown(wait=not self._open)

    def run(
        self,
        entry: str,
        header: bytes,
        encode: Callable[[range], bytes],
        batches: Sequence[range],
    ) -> Generator[Outcome, None, None]:
        """Yield the outcomes of all items, in the order of the batches.

        The generator sends more batches whenever it is asked for an outcome, and keeps
        replies that come out of order. When it is closed early, it sends no more
        batches, and cancels those that no worker has begun.

        Args:
            entry: `module:function`, called in a worker as `function(header, data)`;
                it returns bytes. An exception of it fails the run. If there is a time
                limit, it is first called with empty data, without the limit.
            header: the same for all batches.
            encode: returns the data of the items of a batch; called again, with all or
                half of them, after a loss.
            batches: numbers of items, each in one batch.

        Raises:
            ExecutorError: the entry function has raised; or the given executor, or
                each one that was made, is broken.
        """
        return _DispatcherRun(self, entry, header, encode).outcomes(batches)

    def submit(self, entry: str, header: bytes, data: bytes) -> Future[BatchReply]:
        """Send one batch, which is not sent again if it is lost."""
        ticket, name = os.urandom(8).hex(), worker_name()
        submit = self._executor.submit
        if isinstance(self._executor, ProcessPool):
            submit = partial(self._executor.submit_within, self.timeout_s)
        future = submit(run_batch, entry, header, data, self.timeout_s, name, ticket)
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        return future

    def renew(self, cause: BaseException, in_flight: str) -> None:
        """Replace a broken executor by a new one.

        Args:
            cause: why it is broken.
            in_flight: the items that it had.

        Raises:
            ExecutorError: the executor was given, so that no other can be made.
        """
        if self._make is None:
            raise ExecutorError(
                f"the executor is broken and was lost with {in_flight}: {cause}\n"
                "note: give a callable that makes executors, such as "
                "functools.partial(ProcessPool, 4), to have lost work sent again"
            ) from cause
        self.close()
        self._executor = self._make()


@dataclass(frozen=True, slots=True)
class _Batch:
    """Items that are sent together."""

    items: range
    num_losses: int = 0
    """How often its only item was lost alone."""

    def halves(self) -> tuple[_Batch, _Batch]:
        middle = len(self.items) // 2
        return _Batch(self.items[:middle]), _Batch(self.items[middle:])


@dataclass(slots=True)
class _DispatcherRun:
    """The state of one run: batches to send, in flight, and finished."""

    _dispatcher: Dispatcher
    _entry: str
    _header: bytes
    _encode: Callable[[range], bytes]
    _waiting: deque[_Batch] = field(default_factory=deque)
    _suspects: deque[_Batch] = field(default_factory=deque)
    """Batches that may have ended a worker; each is sent alone."""

    _is_alone: bool = False
    """Whether the batch in flight is a suspect."""

    _sent_at_s: float = 0.0
    """The time when the last batch was sent."""

    _in_flight: dict[Future[BatchReply], _Batch] = field(default_factory=dict)
    _finished: queue.SimpleQueue[Future[BatchReply]] = field(
        default_factory=queue.SimpleQueue
    )
    _outcomes: dict[int, Outcome] = field(default_factory=dict)
    """The outcomes of batches, by the first item."""

    def outcomes(self, batches: Sequence[range]) -> Generator[Outcome, None, None]:
        self._waiting.extend(_Batch(batch) for batch in batches if batch)
        try:
            for batch in batches:
                index = batch.start
                while index < batch.stop:
                    while index not in self._outcomes:
                        self._send()
                        self._take(self._finished.get())
                    for _ in range(self._finished.qsize()):
                        self._take(self._finished.get())
                    self._send()  # workers stay busy while the caller has the outcome
                    outcome = self._outcomes.pop(index)
                    index += 1 if isinstance(outcome, ItemLost) else len(outcome.items)
                    yield outcome
        finally:
            for future in self._in_flight:
                future.cancel()

    def _send(self) -> None:
        """Send batches until each worker has enough of them."""
        limit = _BATCHES_PER_WORKER * self._dispatcher.num_workers
        while not self._is_alone and len(self._in_flight) < limit:
            if self._suspects:
                if self._in_flight:
                    return
                self._is_alone = True
                self._submit(self._suspects.popleft())
            elif self._waiting:
                self._submit(self._waiting.popleft())
            else:
                return

    def _submit(self, batch: _Batch) -> None:
        data = self._encode(batch.items)
        for _ in range(_MAX_BREAKS):
            try:
                future = self._dispatcher.submit(self._entry, self._header, data)
            except ExecutorError:
                raise
            except Exception as error:
                if task_loss(error) is None:  # such as a shutdown
                    text = f"the executor takes no work: {error}"
                    raise ExecutorError(text) from error
                last = error
                self._replace_executor(error)
            else:
                self._sent_at_s = time.monotonic()
                self._in_flight[future] = batch
                future.add_done_callback(self._finished.put)
                return
        raise ExecutorError(
            f"{_MAX_BREAKS} executors have broken before they took work: {last}"
        ) from last

    def _take(self, future: Future[BatchReply]) -> None:
        """Note the outcome of a batch that has come back or was lost."""
        batch = self._in_flight.pop(future, None)
        if batch is None:  # noted when its executor broke
            return
        was_alone, self._is_alone = self._is_alone, False
        error = _error_of(future)
        if error is None:
            self._settle(batch, future.result())
            return
        if isinstance(error, ExecutorError):  # raised by ProcessPool
            raise error
        found = task_loss(error)
        if found is None:
            place = items_text(batch.items)
            text = f"the executor fails on {place}: {type(error).__name__}: {error}"
            raise ExecutorError(text) from error
        self._handle_loss(batch, found, error, was_alone=was_alone)

    def _handle_loss(
        self, batch: _Batch, found: TaskLoss, error: BaseException, *, was_alone: bool
    ) -> None:
        """Send a lost batch again, or suspect it and all batches in flight with it."""
        loss = found.loss
        # A suspect may have been in flight with it, and come back first.
        is_alone = was_alone or not (self._in_flight or self._suspects)
        if is_alone and loss.kind == "worker":
            loss = self._timeout_or(loss)
        self._dispatcher.on_event(BatchEvent(batch.items, loss.worker, 0, loss))
        if is_alone or found.is_exact:
            # Only a batch that was sent alone shows whether it was a timeout.
            limit_s = self._dispatcher.timeout_s
            is_unclear = found.loss.kind == "worker" and limit_s is not None
            self._send_again(batch, loss, alone=is_unclear or not found.is_exact)
        else:
            self._suspects.append(batch)
        if found.breaks_executor:
            self._replace_executor(error, batch)

    def _timeout_or(self, loss: Loss) -> Loss:
        """Return the loss of a batch sent alone, as a timeout if it took that long."""
        limit_s = self._dispatcher.timeout_s
        if limit_s is None or time.monotonic() - self._sent_at_s < limit_s:
            return loss
        likely = "this is likely, not certain: the worker ended after that time"
        return replace(loss, kind="timeout", notes=(*loss.notes, likely))

    def _replace_executor(self, error: BaseException, *lost: _Batch) -> None:
        """Replace a broken executor; keep its finished batches, suspect the others."""
        in_flight, self._in_flight = self._in_flight, {}
        suspects = list[_Batch]()
        for future, batch in in_flight.items():
            if _error_of(future) is None:
                self._settle(batch, future.result())
            else:
                suspects.append(batch)
        self._suspects.extend(suspects)
        texts = [items_text(batch.items) for batch in (*lost, *suspects)]
        self._dispatcher.renew(error, ", ".join(texts) or "no items")

    def _send_again(self, batch: _Batch, loss: Loss, *, alone: bool) -> None:
        """Send the halves of a lost batch, or a single item until it has no retries.

        Args:
            batch: the batch.
            loss: the loss of its worker.
            alone: whether to send each part alone.
        """
        if len(batch.items) > 1:
            again: tuple[_Batch, ...] = batch.halves()
        else:
            num_losses = batch.num_losses + 1
            if num_losses > self._dispatcher.max_retries:
                index = batch.items[0]
                self._outcomes[index] = ItemLost(index, loss, num_losses)
                return
            again = (_Batch(batch.items, num_losses),)
        (self._suspects if alone else self._waiting).extendleft(reversed(again))

    def _settle(self, batch: _Batch, reply: BatchReply) -> None:
        if reply.status == "memory":
            loss = Loss("memory", reply.worker)
            self._dispatcher.on_event(BatchEvent(batch.items, reply.worker, 0, loss))
            self._send_again(batch, loss, alone=False)
            return
        place = f"worker {reply.worker}, on {items_text(batch.items)}"
        if reply.status == "raised":
            error = ExecutorError(f"{place}: {reply.error}")
            error.worker_traceback = reply.error_traceback
            raise error
        done = BatchDone(batch.items, reply.data, reply.worker)
        self._outcomes[batch.items.start] = done
        event = BatchEvent(batch.items, reply.worker, reply.wall_time_s)
        self._dispatcher.on_event(event)


def _error_of(future: Future[BatchReply]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        return error
