"""The program of a process in a `ProcessPool`.

It reads tasks from its standard input, and ends at the end of the input: the parent has
ended, or no longer needs the process. What passes print goes to its standard error.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import IO, Any, Final

from passgen_tools.processes.child import LOST_FILES, die_with_parent
from passgen_tools.processes.notes import LEAVE_NOTE, NoteMemory

BOOTSTRAP: Final = (
    "import os, pickle, sys; tasks = os.fdopen(os.dup(0), 'rb'); "
    "sys.path[:] = pickle.load(tasks); "
    f"from {__name__} import main; main(tasks); tasks.close()"
)
"""The program: it must find this package where the parent process does."""

_MAGIC: Final = b"passgen\n"
_HEADER: Final = struct.Struct("<8sQQ")
"""The magic, the number of the task that a message belongs to, and its length."""

_MAX_MESSAGE_BYTES: Final = 2**30

PREPARATION: Final = 0
"""The task number of messages before the first task."""


class ForeignDataError(Exception):
    """A pipe has bytes that are not a message, because a pass wrote to it."""


def write_message(stream: IO[bytes], task_number: int, data: bytes) -> None:
    """Write one message to a pipe.

    Raises:
        OSError: the other end is closed.
    """
    stream.write(_HEADER.pack(_MAGIC, task_number, len(data)))
    stream.write(data)
    stream.flush()


def read_message(stream: IO[bytes]) -> tuple[int, bytes] | None:
    """Return the task number and data of the next message of a pipe.

    `None` where the pipe ends, also in the middle of a message.

    Raises:
        ForeignDataError: there is no message.
    """
    begin = stream.read(_HEADER.size)
    if len(begin) < _HEADER.size:
        return None
    magic, task_number, length = _HEADER.unpack(begin)
    if magic != _MAGIC or length > _MAX_MESSAGE_BYTES:
        raise ForeignDataError
    data = stream.read(length)
    return (task_number, data) if len(data) == length else None


def unpickle(data: bytes) -> Any:  # noqa: ANN401 - pickle knows no types
    """Return the object that a process of this pool has sent; no others send any."""
    return pickle.loads(data)  # noqa: S301 - as above


def main(tasks: IO[bytes]) -> None:
    """Do the tasks of the parent process until it ends the pipe."""
    replies = os.fdopen(os.dup(1), "wb")
    _replace_standard_streams()
    # Ctrl-C is the parent's business.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    die_with_parent()
    preparation = read_message(tasks)
    modules, notes = ((), None) if preparation is None else unpickle(preparation[1])
    if notes is not None:
        LEAVE_NOTE.set(_guard(NoteMemory(notes).write, tasks, replies))
    for module in modules:
        with suppress(Exception):  # the task that needs it fails, and says why
            import_module(module)
    with suppress(BrokenPipeError), replies:  # the parent has ended
        write_message(replies, PREPARATION, b"")
        _work(tasks, replies)


def _guard(
    leave_note: Callable[[str], object], *pipes: IO[bytes]
) -> Callable[[str], None]:
    """Return a `leave_note` that ends the process if a pass has closed a pipe.

    The note that stands then is that of the pass.
    """
    numbers = [_file_number(pipe) for pipe in pipes]

    def leave(text: str) -> None:
        if [_file_number(pipe) for pipe in pipes] != numbers:
            os._exit(LOST_FILES)
        leave_note(text)

    return leave


def _file_number(pipe: IO[bytes]) -> int | None:
    """Return the number of the file behind a pipe; `None` if it is closed."""
    try:
        return os.fstat(pipe.fileno()).st_ino
    except OSError:
        return None


def _replace_standard_streams() -> None:
    """Keep the pipes from what passes read and print."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # the program was started without a standard error
        os.dup2(nowhere, 1)
    os.close(nowhere)


def _work(tasks: IO[bytes], replies: IO[bytes]) -> None:
    inbox = queue.SimpleQueue[tuple[int, bytes] | None]()
    is_busy = threading.Event()
    process_id = os.getpid()

    def read() -> None:
        with suppress(OSError):  # a pass has closed the pipe
            while (message := read_message(tasks)) is not None:
                is_busy.set()
                inbox.put(message)
        if is_busy.is_set():
            os._exit(1)
        inbox.put(None)

    threading.Thread(target=read, daemon=True).start()
    is_first = True
    # Passes run in the main thread: it has the largest stack.
    while (message := inbox.get()) is not None:
        task_number, data = message
        reply = _reply(data)
        if os.getpid() != process_id:
            os._exit(0)  # the task has forked: the process that has it answers
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # a pass may have closed or replaced it
                stream.flush()
        is_busy.clear()
        try:
            write_message(replies, task_number, reply)
        except BrokenPipeError:
            raise
        except OSError:  # a task without passes has closed it
            os._exit(LOST_FILES)
        if is_first:
            # What the first task has imported is no garbage: looking takes long.
            gc.freeze()
            is_first = False


def _reply(data: bytes) -> bytes:
    """Return the result of a task, pickled, or its exception."""
    try:
        function, args, kwargs = unpickle(data)
        reply = pickle.dumps((True, function(*args, **kwargs)))
    except BaseException as error:  # noqa: BLE001 - the parent raises it
        try:
            return pickle.dumps((False, error))
        except Exception:  # noqa: BLE001 - pickle runs the exception's own code
            text = f"{type(error).__name__}: {error}"
            return pickle.dumps((False, RuntimeError(text)))
    if len(reply) > _MAX_MESSAGE_BYTES:
        text = f"the result takes {len(reply)} bytes of at most {_MAX_MESSAGE_BYTES}"
        return pickle.dumps((False, OverflowError(text)))
    return reply
