"""Batches of bytes on the workers of an executor, and what happens when one is lost."""

from __future__ import annotations

import os
import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Final, Self, TypeAlias

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
"""One that it works on, and one that has arrived when that is done."""

_MAX_BREAKS: Final = 5
"""How many executors in a row may break before they take a batch."""


@dataclass(frozen=True, slots=True)
class BatchDone:
    """The reply of the entry to a batch, or to a part of one that was halved."""

    items: range
    reply: bytes
    worker: str
    """The worker's host and process, `host:pid`."""


@dataclass(frozen=True, slots=True)
class ItemLost:
    """An item that ended its worker each time that it was alone on it."""

    index: int
    loss: Loss
    """The last one."""

    attempts: int


Outcome: TypeAlias = BatchDone | ItemLost


@dataclass(frozen=True, slots=True)
class BatchEvent:
    """A batch that came back, or whose worker was lost."""

    items: range
    worker: str
    wall_time_s: float
    """How long the entry took; 0 if the worker was lost."""

    loss: Loss | None = None


class Dispatcher:
    """Sends batches to the workers of an executor, and sends lost ones again.

    Batches of a lost worker are halved until the guilty item is alone. An item is
    given up only after it was lost alone, with nothing else in flight where an executor
    does not say which worker has died, and that more than `max_retries` times.
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
        """Use a given executor, or make one, and again when it breaks.

        Args:
            executor: it stays the caller's; those that a callable makes are ended by
                `close`. A callable is called here for the first time, so that workers
                start while there is nothing to send yet.
            num_workers: how many batches are worked on at a time; by default what
                `number_of_workers` finds.
            timeout_s: what takes longer is halved, until a single item that does is
                lost. The worker is ended, unless it is this process.
            max_retries: how often an item that was lost alone is sent again.
            on_event: called for each batch that is back or lost, by `run`.
        """
        self._make = None if isinstance(executor, Executor) else executor
        self._executor = executor if isinstance(executor, Executor) else executor()
        self.num_workers = num_workers or number_of_workers(self._executor)
        self.timeout_s = timeout_s
        self.max_retries = max_retries
        self.on_event = on_event
        self._open = set[Future[BatchReply]]()
        """What is in flight in the executor."""

    def __enter__(self) -> Self:
        """Return the dispatcher."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the executor that was made, with all that its workers do."""
        if self._make is None:
            return
        if isinstance(self._executor, ProcessPool):
            self._executor.kill()
        else:
            # What hangs is not waited for.
            self._executor.shutdown(wait=not self._open)

    def run(
        self,
        entry: str,
        header: bytes,
        encode: Callable[[range], bytes],
        batches: Sequence[range],
    ) -> Generator[Outcome, None, None]:
        """Yield the outcomes of all items, in the order of the batches.

        The iterator sends more whenever it is asked for the next reply. Replies that
        come before their turn are kept. Closed early, it sends no more, and takes back
        what no worker has begun.

        Args:
            entry: `module:function`, called in a worker as `function(header, data)`;
                it returns bytes. What it raises fails the run. With a time limit, it
                is called without data before, and has time to prepare.
            header: the same for all batches.
            encode: returns the data of a batch when it is sent, and again when it is
                lost, for the same items or for half of them.
            batches: numbers of items, each in one batch.

        Raises:
            ExecutorError: the entry has raised; a given executor is broken, or each one
                that is made.
        """
        indices = [index for batch in batches for index in batch]
        if len(set(indices)) < len(indices):
            raise ValueError("an item is in two batches")
        return _Run(self, entry, header, encode).outcomes(batches)

    def submit(self, entry: str, header: bytes, data: bytes) -> Future[BatchReply]:
        """Send one batch, without care for its loss."""
        ticket = os.urandom(8).hex()
        submit = self._executor.submit
        if isinstance(self._executor, ProcessPool):
            submit = partial(self._executor.submit_within, self.timeout_s)
        future = submit(
            run_batch, entry, header, data, self.timeout_s, worker_name(), ticket
        )
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        return future

    def renew(self, cause: BaseException, in_flight: str) -> None:
        """Make a new executor in the place of a broken one.

        Args:
            cause: why it is broken.
            in_flight: which items it had.

        Raises:
            ExecutorError: it was given.
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
    """How often it was lost alone."""

    def halves(self) -> tuple[_Batch, _Batch]:
        middle = len(self.items) // 2
        return _Batch(self.items[:middle]), _Batch(self.items[middle:])


class _Run:
    """The state of one run: what is to be sent, in flight, and back."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        entry: str,
        header: bytes,
        encode: Callable[[range], bytes],
    ) -> None:
        self._dispatcher = dispatcher
        self._entry = entry
        self._header = header
        self._encode = encode
        self._waiting = deque[_Batch]()
        self._suspects = deque[_Batch]()
        """Batches of which one has ended a worker: each of them flies alone."""

        self._is_alone = False
        """Whether the batch in flight is a suspect."""

        self._sent_at_s = 0.0
        """When a batch was sent last."""

        self._in_flight: dict[Future[BatchReply], _Batch] = {}
        self._finished = queue.SimpleQueue[Future[BatchReply]]()
        self._outcomes: dict[int, Outcome] = {}
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
                    self._send()  # workers go on while the caller has the outcome
                    outcome = self._outcomes.pop(index)
                    index += 1 if isinstance(outcome, ItemLost) else len(outcome.items)
                    yield outcome
        finally:
            for future in self._in_flight:
                future.cancel()

    def _send(self) -> None:
        """Send as many batches as the workers have use for."""
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
                found = task_loss(error)
                if found is None:  # such as a shutdown
                    text = f"the executor takes no work: {error}"
                    raise ExecutorError(text) from error
                last = error
                self._recover_flights(error)
            else:
                self._sent_at_s = time.monotonic()
                self._in_flight[future] = batch
                future.add_done_callback(self._finished.put)
                return
        raise ExecutorError(
            f"{_MAX_BREAKS} executors have broken before they took work: {last}"
        ) from last

    def _take(self, future: Future[BatchReply]) -> None:
        """Note the outcome of a batch that has come back."""
        batch = self._in_flight.pop(future, None)
        if batch is None:  # settled when its executor broke
            return
        was_alone = self._is_alone
        self._is_alone = False
        error = _error_of(future)
        if error is None:
            self._settle(batch, future.result())
            return
        if isinstance(error, ExecutorError):  # of our own pool
            raise error
        found = task_loss(error)
        if found is None:
            place = items_text(batch.items)
            text = f"the executor fails on {place}: {type(error).__name__}: {error}"
            raise ExecutorError(text) from error
        self._judge(batch, found, error, was_alone=was_alone)

    def _judge(
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
            # Whether it was a timeout is seen only where the batch is alone.
            limit_s = self._dispatcher.timeout_s
            is_unclear = found.loss.kind == "worker" and limit_s is not None
            self._send_again(batch, loss, in_turn=is_unclear or not found.is_exact)
        else:
            self._suspects.append(batch)
        if found.breaks_executor:
            self._recover_flights(error, batch)

    def _timeout_or(self, loss: Loss) -> Loss:
        """Return the loss of a batch that was alone as a timeout if it took so long."""
        limit_s = self._dispatcher.timeout_s
        if limit_s is None or time.monotonic() - self._sent_at_s < limit_s:
            return loss
        likely = "this is likely, not certain: the worker ended after that time"
        return replace(loss, kind="timeout", notes=(*loss.notes, likely))

    def _recover_flights(self, error: BaseException, *lost: _Batch) -> None:
        """Take what a broken executor has finished, suspect the rest, and renew it."""
        flights, self._in_flight = self._in_flight, {}
        suspects = list[_Batch]()
        for future, batch in flights.items():
            if _error_of(future) is None:
                self._settle(batch, future.result())
            else:
                suspects.append(batch)
        self._suspects.extend(suspects)
        texts = [items_text(batch.items) for batch in (*lost, *suspects)]
        self._dispatcher.renew(error, ", ".join(texts) or "no items")

    def _send_again(self, batch: _Batch, loss: Loss, *, in_turn: bool) -> None:
        """Halve the batch that has ended its worker, or count what a single item did.

        Args:
            batch: the batch.
            loss: of its worker.
            in_turn: whether its parts are to be alone.
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
        (self._suspects if in_turn else self._waiting).extendleft(reversed(again))

    def _settle(self, batch: _Batch, reply: BatchReply) -> None:
        if reply.status == "memory":
            loss = Loss("memory", reply.worker)
            self._dispatcher.on_event(BatchEvent(batch.items, reply.worker, 0, loss))
            self._send_again(batch, loss, in_turn=False)
            return
        place = f"worker {reply.worker}, on {items_text(batch.items)}"
        if reply.status == "raised":
            error = ExecutorError(f"{place}: {reply.error}")
            error.worker_traceback = reply.error_traceback
            raise error
        done = BatchDone(batch.items, reply.data, reply.worker)
        self._outcomes[batch.items.start] = done
        self._dispatcher.on_event(
            BatchEvent(batch.items, reply.worker, reply.wall_time_s)
        )


def _error_of(future: Future[BatchReply]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        return error
