"""A batch in a worker: the one function that is sent to executors.

It is pickled by reference, and its arguments and its result are numbers, text and
bytes alone, so that an executor needs nothing but this package.
"""

from __future__ import annotations

import os
import signal
import socket
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Final, Literal, NamedTuple

JOBS_VARIABLE: Final = "PASSGEN_JOBS"
"""The environment variable that bounds how many workers a process may ask for."""


class BatchReply(NamedTuple):
    """The reply of a worker."""

    status: Literal["done", "memory", "raised"]
    worker: str
    wall_time_s: float
    """How long the entry took."""

    data: bytes
    """What the entry has returned, if it is done."""

    error: str = ""
    error_traceback: str = ""


def worker_name() -> str:
    """Return the name of this process: its host and number."""
    return f"{socket.gethostname()}:{os.getpid()}"


def run_batch(  # noqa: PLR0913, PLR0917 - executors take plain values
    entry: str,
    header: bytes,
    data: bytes,
    timeout_s: float | None,
    sender: str,
    ticket: str,
) -> BatchReply:
    """Call the entry on a batch; run by a worker.

    Args:
        entry: `module:function`.
        header: what all batches have in common.
        data: the batch.
        timeout_s: SIGALRM ends this process after that time; if not given, none does.
        sender: the name of the process that sent it, which may be this one where the
            executor has threads: it is not ended, and keeps its environment.
        ticket: different each time. Dask does not do again what it has done before.
    """
    del ticket
    begin = time.perf_counter()
    name = worker_name()
    is_at_home = name == sender
    if not is_at_home:
        # Passes, and programs that they start, ask for no further workers.
        os.environ[JOBS_VARIABLE] = "1"
    reply = b""
    error = error_traceback = ""
    status: Literal["done", "memory", "raised"] = "done"
    try:
        module, _, function_name = entry.partition(":")
        function = getattr(import_module(module), function_name)
        if timeout_s is not None:
            function(header, b"")  # what it does once only does not count
        with _time_limit(None if is_at_home else timeout_s):
            reply = function(header, data)
    except MemoryError:
        status = "memory"
    except BaseException as raised:  # noqa: BLE001 - it travels as text
        status = "raised"
        error = "".join(traceback.format_exception_only(raised)).strip()
        error_traceback = traceback.format_exc()
    if worker_name() != name:
        os._exit(0)  # a pass has forked: the process that has the batch answers
    wall_time_s = time.perf_counter() - begin
    return BatchReply(status, name, wall_time_s, reply, error, error_traceback)


@contextmanager
def _time_limit(timeout_s: float | None) -> Iterator[None]:
    """Let SIGALRM end the process after a time, whatever code runs then."""
    if timeout_s is None or not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
