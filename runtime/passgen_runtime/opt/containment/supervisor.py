"""Runs in a process that may end: `--contain`, which a crash reproducer implies.

The parent forks before an IR library is imported, and waits. The contained process does
all the work, and notes its progress. If it ends early, the parent starts another one,
which reports the passes that were running, and goes on with the next part of the input.
If native passes were running together, one in between repeats the part pass by pass,
without output, to find the pass.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from passgen_runtime.opt.containment.contained_run import ContainedRun, Crash, Progress
from passgen_runtime.opt.files import OptError
from passgen_runtime.opt.reports import ProcessEndError

_PR_SET_PDEATHSIG: Final = 1
"""Of `prctl`: the signal that the kernel sends a process when its parent has ended."""

_REPETITION_FACTOR: Final = 10
_REPETITION_MIN_S: Final = 60
"""The time limit of a repetition: as a multiple of the run, and at least."""

_MLIR_THREAD: Final = "llvm-worker"
"""How the names of MLIR's threads begin."""


def obstacle(*, is_program: bool) -> str | None:
    """Return why a copy of this process could not go on, if it could not.

    Args:
        is_program: whether the process does nothing but run the driver.
    """
    if not is_program:
        return "only a program can be contained\ncall console_main() instead of main()"
    if not hasattr(os, "fork"):
        return "this system cannot fork processes"
    if threading.active_count() > 1 or _mlir_has_threads():
        return (
            "this program has started threads, which no copy of its process has\n"
            "call the driver before, or give --contain=false"
        )
    return None


def _mlir_has_threads() -> bool:
    """Return whether MLIR has started threads in this process; Linux tells."""
    for path in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # the thread has ended
            if path.read_text(errors="replace").startswith(_MLIR_THREAD):
                return True
    return False


def contain(work: Callable[[ContainedRun], int]) -> int:
    """Return the exit code of `work`, done in processes that may end.

    Args:
        work: does everything that is left; called in the contained processes, in which
            this function returns as well.

    Raises:
        OptError: the system has no room for another process.
        ProcessEndError: one has ended where none could go on.
    """
    progress = Progress()
    while True:
        run, ended = _run(progress)
        if ended is None:
            return run.do(work)
        found = run.progress(ended.code)
        if found is None or found.crash is None:
            return ended.code
        part, before = found.crash.part, progress.crash
        if part is None or (before is not None and before.part == part):
            raise ProcessEndError(str(before or found.crash))
        if found.crash.runs_native_passes and not found.crash.is_timeout:
            limit_s = max(_REPETITION_MIN_S, int(_REPETITION_FACTOR * ended.seconds))
            again, ended = _run(found, limit_s)
            if ended is None:
                return again.do(work)
            crash = _named(found.crash, again, ended.code, limit_s)
            found = replace(found, crash=crash)
        progress = found


def _named(crash: Crash, again: ContainedRun, code: int, limit_s: int) -> Crash:
    """Return `crash` with the pass that has ended a repetition, one pass at a time.

    Args:
        crash: of passes that ran together.
        again: the repetition.
        code: its exit code.
        limit_s: its time limit.
    """
    found = again.progress(code)
    culprit = None if found is None else found.crash
    if code == -signal.SIGALRM:
        note = f"a second run, one pass at a time, had not ended after {limit_s} s"
    elif culprit is None:
        note = "a second run, one pass at a time, did not end the process"
    else:
        note = "found by a second run, one pass at a time"
        crash = replace(crash, running=culprit.running, frames=culprit.frames)
    return replace(crash, notes=(*crash.notes, note))


@dataclass(frozen=True, slots=True)
class _Ended:
    """A process that has ended."""

    code: int
    """Its exit code, negative for a signal."""

    seconds: float
    """How long it has taken."""


def _run(
    before: Progress, repetition_limit_s: int | None = None
) -> tuple[ContainedRun, _Ended | None]:
    """Return a contained run, and in this process how it has ended.

    Raises:
        OptError: the system has no room for another process.
    """
    begin = time.monotonic()
    try:
        run = ContainedRun(before, repetition_limit_s=repetition_limit_s)
        code = _forked()
    except OSError as error:
        message = f"error: cannot contain the run: {error.strerror}"
        raise OptError(message) from error
    return run, None if code is None else _Ended(code, time.monotonic() - begin)


def _forked() -> int | None:
    """Fork; return `None` in the new process, and its exit code in this one."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    parent = os.getpid()
    # Nothing is ever written: it is closed when the parent ends, in whichever way.
    lifeline = () if sys.platform == "linux" else os.pipe()
    pid = os.fork()
    if pid == 0:
        _end_with(parent, lifeline)
        return None
    try:
        _, status = os.waitpid(pid, 0)
    except BaseException:  # such as Ctrl-C, which native code may ignore
        # The process may have ended, and been waited for, just before.
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        raise
    finally:
        for end in lifeline:
            os.close(end)
    return os.waitstatus_to_exitcode(status)


def _end_with(parent: int, lifeline: tuple[int, ...]) -> None:
    """Let this process be killed once the `parent` has ended.

    Linux does so even while native code holds the interpreter's lock; elsewhere, a
    thread waits for the end of the pipe.
    """
    if lifeline:
        read, write = lifeline
        os.close(write)
        threading.Thread(target=_await_end, args=(read,), daemon=True).start()
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended before that was asked for
        os.kill(os.getpid(), signal.SIGKILL)


def _await_end(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGKILL)
