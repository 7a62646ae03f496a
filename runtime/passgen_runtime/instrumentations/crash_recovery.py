"""A pass that takes the process down, survived: as MLIR's `CrashRecoveryContext` does.

The run goes on in a copy of the process. Where the copy dies of a signal, or a pass
ends it by `os._exit`, the original, in which nothing has happened yet, says so and goes
on; else it ends as the copy did. A copy never outlives the original, even one that is
killed. This takes a `fork`: if there is none, a crash ends the program, and the
reproducer on disk says what it can.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import NoReturn

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.operation_text import subject
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation

_SIZE_BYTES = 64 * 1024
_PR_SET_PDEATHSIG = 1
"""Of `prctl`: the signal that the kernel sends a process when its parent has ended."""

_HAS_ENDED = mmap.mmap(-1, 1)
"""Shared by all copies: set by one that has done everything, just before it ends."""


class CopyEndedError(Exception):
    """The copy of the process has done everything; this one ends with its exit code."""

    def __init__(self, code: int) -> None:
        """Keep the exit code."""
        super().__init__(code)
        self.code = code


class CrashWatch(PassInstrumentation):
    """Lets the original process know what ran in the copy when it died."""

    def __init__(self, context: Context) -> None:
        """Read operations through `context`."""
        self._context = context
        self._shared = mmap.mmap(-1, _SIZE_BYTES)

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Note what begins."""
        data = subject(self._context, pass_, operation).encode()[: _SIZE_BYTES - 1]
        self._shared[: len(data) + 1] = data + b"\0"

    @property
    def last(self) -> str:
        """What began last; empty if nothing did."""
        data, _, _ = self._shared[:].partition(b"\0")
        return data.decode(errors="replace")


def crash_of_copy() -> str | None:
    """Go on in a copy of this process; return how it was ended, if it was.

    Returns:
        `None` in the copy; `by SIGSEGV` or `with exit code 3` in the original once the
        copy has ended before it had done everything.

    Raises:
        CopyEndedError: in the original, once the copy has ended by itself.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    original = os.getpid()
    # Nothing is ever written: it is closed when the original ends, however it ends.
    lifeline, held = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(held)
        _end_with(original, lifeline)
        return None
    os.close(lifeline)
    _, status = os.waitpid(pid, 0)
    os.close(held)
    code = os.waitstatus_to_exitcode(status)
    if _HAS_ENDED[0]:
        raise CopyEndedError(code)
    return f"by {_signal_name(-code)}" if code < 0 else f"with exit code {code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # such as most of the real-time signals
        return f"signal {number}"


def _end_with(original: int, lifeline: int) -> None:
    """Let this process, a copy, be killed once the `original` has ended.

    Linux does so even while native code holds the interpreter's lock; elsewhere, a
    thread waits for the end of the pipe.
    """
    if sys.platform != "linux":
        threading.Thread(target=_await_end, args=(lifeline,), daemon=True).start()
        return
    libc = import_module("ctypes").CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != original:  # it has ended before that was asked for
        os.kill(os.getpid(), signal.SIGKILL)


def _await_end(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGKILL)


def in_copies(
    guarded: Callable[[Callable[[], None]], int], work: Callable[[], None]
) -> int:
    """Return the exit code of `work`, which may go on in copies of this process.

    Args:
        guarded: does the work, and turns errors into an exit code.
        work: may call `crash_of_copy`.
    """
    original = os.getpid()
    try:
        code = guarded(work)
    except CopyEndedError as ended:
        code = ended.code
    except BaseException:
        if os.getpid() == original:
            raise
        traceback.print_exc()
        code = 1
    if os.getpid() != original:
        _end_copy(code)
    return code


def _end_copy(code: int) -> NoReturn:
    """End the copy: nobody waits for what its thread returns."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 1
    _HAS_ENDED[0] = True
    os._exit(code)
