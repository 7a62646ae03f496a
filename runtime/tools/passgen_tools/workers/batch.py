"""A batch in a worker: the one function that is sent to executors.

The function is pickled by reference. Its arguments and its result are numbers, text and
bytes, so that an executor needs only this package.
"""

from __future__ import annotations

import os
import signal
import socket
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Final, Literal, NamedTuple

JOBS_VARIABLE: Final = "PASSGEN_JOBS"
"""The environment variable with the largest number of workers of a process."""


class BatchReply(NamedTuple):
    """The reply of a worker."""

    status: Literal["done", "memory", "raised"]
    worker: str
    wall_time_s: float
    """How long the entry function took."""

    data: bytes
    """The result of the entry function; empty if it raised."""

    error: str = ""
    error_traceback: str = ""


def worker_name() -> str:
    """Return the name of this process, `host:pid`."""
    return f"{socket.gethostname()}:{os.getpid()}"


def run_batch(  # noqa: PLR0913, PLR0917 - executors take plain values
    entry: str,
    header: bytes,
    data: bytes,
    timeout_s: float | None,
    sender: str,
    ticket: str,
) -> BatchReply:
    """Call the entry function on a batch; executors run this in a worker.

    Args:
        entry: `module:function`.
        header: the data that all batches share.
        data: the batch.
        timeout_s: SIGALRM ends this process after that time; `None` sets no limit.
        sender: the name of the process that sent the batch. An executor of threads
            runs the batch in that process: it has no time limit, and its environment
            stays unchanged.
        ticket: unique, since Dask does not repeat a call with equal arguments.
    """
    del ticket
    begin = time.perf_counter()
    name = worker_name()
    is_in_sender = name == sender
    if not is_in_sender:
        # Passes, and programs that they start, must not ask for further workers.
        os.environ[JOBS_VARIABLE] = "1"
    reply = b""
    error = error_traceback = ""
    status: Literal["done", "memory", "raised"] = "done"
    try:
        function = resolve_name(entry)
        if timeout_s is not None:
            function(header, b"")  # the limit excludes what it prepares once
        with _time_limit(None if is_in_sender else timeout_s):
            reply = function(header, data)
    except MemoryError:
        status = "memory"
    except BaseException as raised:  # noqa: BLE001 - it is sent as text
        status = "raised"
        error = "".join(traceback.format_exception_only(raised)).strip()
        error_traceback = traceback.format_exc()
    if worker_name() != name:
        os._exit(0)  # a pass has forked: only the original process replies
    wall_time_s = time.perf_counter() - begin
    return BatchReply(status, name, wall_time_s, reply, error, error_traceback)


@contextmanager
def _time_limit(timeout_s: float | None) -> Iterator[None]:
    """Let SIGALRM end the process after `timeout_s`, whatever code runs then."""
    if timeout_s is None or not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
