"""A pool of processes that replaces those that die.

`concurrent.futures.ProcessPoolExecutor` fails all of its tasks when one process dies,
does not say which task that process had nor how it ended, and imports the program's
main module again. Here, a thread for each process starts it, hands it one task at a
time, and starts another one in its place.
"""

from __future__ import annotations

import os
import pickle
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from passgen_tools.processes import worker_process
from passgen_tools.processes.losses import (
    ExecutorError,
    Loss,
    WorkerLostError,
    loss_of_exit,
)
from passgen_tools.processes.notes import NoteMemory, open_note_file

T = TypeVar("T")
P = ParamSpec("P")

_MAX_KILLS: Final = 30
_KILLS_LIKE_A_FAILURE: Final = 10
"""How often in a row a process is started that is killed before its first task; one
that ends by itself counts more."""

_END_LIMIT_S: Final = 1.0
"""How long a process without a task may take to end."""

_GRACE_S: Final = 5.0
"""How much longer than its limit a task may take: the worker prepares what the task
needs first, and may end itself."""

_Task = tuple["Future[Any]", bytes, float | None]


class ProcessPool(Executor):
    """A pool that replaces processes that die.

    They are fresh interpreters, which do not import the main module. A task whose
    process has died fails with a `WorkerLostError`; no other task does.
    """

    def __init__(
        self, num_workers: int, preload: Sequence[str] = (), **variables: str
    ) -> None:
        """Start the processes.

        Args:
            num_workers: how many there are.
            preload: modules that they import while they wait for their first task.
            variables: of their environment, beside those of this process.
        """
        if num_workers < 1:
            raise ValueError(f"num_workers must be 1 or more, and is {num_workers}")
        self.num_workers = num_workers
        self._preload = tuple(preload)
        self._variables = variables
        self._tasks = queue.SimpleQueue[_Task | None]()
        self._lock = threading.Lock()
        self._workers = set[_Worker]()
        self._is_shut_down = False
        self._is_killed = False
        self._threads = [
            threading.Thread(target=self._serve, name=f"worker-{number}", daemon=True)
            for number in range(num_workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Let a process call `fn`, which it imports.

        Raises:
            RuntimeError: the pool is shut down.
        """
        return self.submit_within(None, fn, *args, **kwargs)

    def submit_within(
        self,
        limit_s: float | None,
        fn: Callable[P, T],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Future[T]:
        """Let a process call `fn`, and kill it some time after a limit.

        Whatever the process does then: it may be stopped, or ignore signals.

        Raises:
            RuntimeError: the pool is shut down.
        """
        data = pickle.dumps((fn, args, kwargs), pickle.HIGHEST_PROTOCOL)
        future = Future[T]()
        with self._lock:
            if self._is_shut_down:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._tasks.put((future, data, limit_s))
        return future

    def shutdown(
        self,
        wait: bool = True,  # noqa: FBT001, FBT002 - as the base class has it
        *,
        cancel_futures: bool = False,
    ) -> None:
        """Take no more tasks, and end the processes when the last one is done."""
        with self._lock:
            if cancel_futures:
                self._cancel_tasks()
            self._is_shut_down = True
            for _ in self._threads:
                self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def kill(self) -> None:
        """End the processes now, with the tasks that they have."""
        with self._lock:
            self._is_killed = True
            for worker in self._workers:
                worker.kill()
        self.shutdown(cancel_futures=True)

    def _cancel_tasks(self) -> None:
        with suppress(queue.Empty):
            while True:
                task = self._tasks.get_nowait()
                if task is not None:  # `shutdown` ends threads again
                    task[0].cancel()

    def _serve(self) -> None:
        """Keep one process at work; the whole life of a thread."""
        if hasattr(signal, "pthread_sigmask"):
            # The process begins with this mask: Ctrl-C would end it before it can
            # ignore the signal.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        worker: _Worker | None = None
        with suppress(ExecutorError):  # the first task tries again, and is told
            worker = self._start()
        while (task := self._tasks.get()) is not None:
            future, data, limit_s = task
            if not future.set_running_or_notify_cancel():
                continue
            worker = self._do(worker, future, data, limit_s)
            del future, data, task  # the thread may wait long for the next one
        self._forget(worker)

    def _do(
        self,
        worker: _Worker | None,
        future: Future[Any],
        data: bytes,
        limit_s: float | None,
    ) -> _Worker | None:
        """Let a process do a task; return it, or what was started in its place."""
        try:
            if worker is None or worker.has_ended():
                self._forget(worker)
                worker = None
                worker = self._start()
            is_result, value = worker.call(data, limit_s)
        except (WorkerLostError, ExecutorError) as error:
            self._forget(worker)
            future.set_exception(error)
            return None
        except BaseException as error:  # noqa: BLE001 - the caller has it
            future.set_exception(error)
            return worker
        if is_result:
            future.set_result(value)
        else:
            future.set_exception(value)
        return worker

    def _start(self) -> _Worker:
        """Return a new process that is ready.

        Raises:
            ExecutorError: it ends again and again before its first task.
        """
        notes: tuple[str, ...] = ()
        num_left = _MAX_KILLS
        while num_left > 0:
            worker = self._new_worker()
            try:
                worker.prepare(self._preload)
            except WorkerLostError as error:
                self._forget(worker)
                notes = (str(error), *error.loss.notes)
                # SIGKILL comes from outside, and once more is no surprise.
                is_killed = error.loss.signal == "SIGKILL"
                num_left -= 1 if is_killed else _KILLS_LIKE_A_FAILURE
            else:
                return worker
        lines = ("a worker process cannot start", *(f"note: {note}" for note in notes))
        raise ExecutorError("\n".join(lines))

    def _new_worker(self) -> _Worker:
        with self._lock:
            if self._is_killed:
                raise ExecutorError("the pool was ended")
            try:
                worker = _Worker(self._variables)
            except OSError as error:
                message = f"cannot start a worker process: {error.strerror}"
                raise ExecutorError(message) from error
            self._workers.add(worker)
        return worker

    def _forget(self, worker: _Worker | None) -> None:
        if worker is not None:
            worker.end()
            with self._lock:
                self._workers.discard(worker)


class _Worker:
    """A process, as the thread that hands it tasks sees it."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Start it with more variables in its environment.

        Raises:
            OSError: the system has no room for it.
        """
        options = ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []
        options += [f"-W{option}" for option in sys.warnoptions]
        self._note_file = open_note_file()
        self._notes = NoteMemory(self._note_file)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter
                [sys.executable, "-P", *options, "-c", worker_process.BOOTSTRAP],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(self._note_file,),
                env={**os.environ, **variables},
            )
        except OSError:
            self._close_notes()
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._tasks = self._process.stdin
        self._replies = self._process.stdout
        self._name = f"{socket.gethostname()}:{self._process.pid}"
        self._lock = threading.Lock()
        self._num_tasks = 0
        self._has_expired = False
        """Whether it was killed because a task took too long."""

        # Its end closes the pipe, unless a pass has forked a process that lives on.
        has_pidfd = hasattr(os, "pidfd_open")
        self._pidfd = os.pidfd_open(self._process.pid) if has_pidfd else None

    def prepare(self, preload: Sequence[str]) -> None:
        """Tell it where to find modules, and wait until it is ready.

        Raises:
            WorkerLostError: it has ended.
        """
        with suppress(BrokenPipeError):
            self._tasks.write(pickle.dumps([str(folder) for folder in sys.path]))
            preparation = pickle.dumps((preload, self._note_file))
            worker_process.write_message(
                self._tasks, worker_process.PREPARATION, preparation
            )
        self._receive(worker_process.PREPARATION, _num_oom_kills())

    def call(self, task: bytes, limit_s: float | None) -> tuple[bool, Any]:
        """Return whether a task has a result, and it or its exception.

        Raises:
            WorkerLostError: the process has ended.
        """
        num_oom_kills = _num_oom_kills()
        self._notes.erase()
        self._num_tasks += 1
        with self._killed_after(limit_s):
            with suppress(BrokenPipeError):
                worker_process.write_message(self._tasks, self._num_tasks, task)
            data = self._receive(self._num_tasks, num_oom_kills)
        reply: tuple[bool, Any] = worker_process.unpickle(data)
        return reply

    @contextmanager
    def _killed_after(self, limit_s: float | None) -> Iterator[None]:
        """Kill the process if the block takes longer than a limit, and some time."""
        if limit_s is None:
            yield
            return
        # Any of the block's calls may wait for a process that is stopped.
        timer = threading.Timer(limit_s + _GRACE_S, self._expire)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _expire(self) -> None:
        self._has_expired = True
        self.kill()

    def _receive(self, task_number: int, num_oom_kills: int) -> bytes:
        """Return the reply of the process to one task.

        Raises:
            WorkerLostError: it has ended.
        """
        has_pipe = True
        try:
            while self._has_answer():
                message = worker_process.read_message(self._replies)
                if message is None:
                    break
                if message[0] == task_number:
                    return message[1]
            code = self._process.wait(_GRACE_S)
        except (worker_process.ForeignDataError, subprocess.TimeoutExpired):
            has_pipe = False
            self.kill()
            code = self._process.wait()
        more_oom_kills = _num_oom_kills() > num_oom_kills
        loss = loss_of_exit(self._name, code, memory_ran_out=more_oom_kills)
        if self._has_expired:
            loss = Loss("timeout", self._name, "SIGKILL")
        elif not has_pipe:
            # The pass that has written to it may have ended since.
            raise WorkerLostError(Loss("files", self._name))
        raise WorkerLostError(replace(loss, last_note=self._notes.read()))

    def _has_answer(self) -> bool:
        """Wait for an answer or the end of the process; return whether there is one."""
        if self._pidfd is None:
            return True  # reading waits
        poll = select.poll()
        poll.register(self._replies, select.POLLIN)
        poll.register(self._pidfd, select.POLLIN)
        poll.poll()
        poll.unregister(self._pidfd)
        return bool(poll.poll(0))

    def has_ended(self) -> bool:
        """Return whether it has died, or is about to, without a task."""
        return self._has_expired or self._process.poll() is not None

    def kill(self) -> None:
        """End it now; called by any thread."""
        with self._lock:
            if self._process.returncode is None:
                self._process.kill()

    def end(self) -> None:
        """Wait for its end, and close the pipes."""
        with suppress(OSError):
            self._tasks.close()
        try:
            self._process.wait(_END_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._replies.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
        self._close_notes()

    def _close_notes(self) -> None:
        self._notes.close()
        os.close(self._note_file)


def _num_oom_kills() -> int:
    """Return the number of processes that Linux has ended for lack of memory."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
