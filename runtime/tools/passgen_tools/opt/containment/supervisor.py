"""Runs in a contained process: `--contain`, which a crash reproducer implies.

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
from functools import partial
from pathlib import Path
from typing import Final

from passgen_tools import processes
from passgen_tools.opt.containment.contained_run import ContainedRun, Crash, Progress
from passgen_tools.opt.files import OptError
from passgen_tools.opt.process import end_process
from passgen_tools.opt.reports import ProcessEndError

_REPETITION_FACTOR: Final = 10
_REPETITION_MIN_S: Final = 60
"""The time limit of a repetition: a multiple of the first run, and a minimum."""

_GRACE_S: Final = 2.0
"""How long a process may take to write its stack and end after its time limit."""

_MAX_WAIT_S: Final = 10**6
"""More than systems can wait for at once is waited for in parts."""

_MLIR_THREAD: Final = "llvm-worker"
"""How the names of MLIR's threads begin."""


def obstacle(*, is_program: bool) -> str | None:
    """Return why this process cannot be forked; `None` if it can.

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


def contain(work: Callable[[ContainedRun], int], limit_s: float) -> int:
    """Return the exit code of `work`, done in processes that may end.

    Args:
        work: does everything that is left, in the contained processes, which end with
            it.
        limit_s: how long a part of the input may take; 0 if there is no limit.

    Raises:
        OptError: the system has no room for another process.
        ProcessEndError: one has ended where none could go on.
    """
    progress = Progress()
    processes.adopt_orphans()
    while True:
        run, ended = _run(progress, limit_s)
        if ended is None:
            end_process(partial(run.do, work))
        found = run.progress(ended.code, limit_s if ended.has_expired else 0)
        if found is None or found.crash is None:
            return ended.code
        part, before = found.crash.part, progress.crash
        if part is None or (before is not None and before.part == part):
            raise ProcessEndError(str(before or found.crash))
        if found.crash.runs_native_passes and not found.crash.is_timeout:
            longer_s = int(_REPETITION_FACTOR * ended.wall_time_s)
            again_s = max(_REPETITION_MIN_S, longer_s)
            again, ended = _run(found, again_s, is_repetition=True)
            if ended is None:
                end_process(partial(again.do, work))
            crash = _name_culprit(found.crash, again, ended, again_s)
            found = replace(found, crash=crash)
        progress = found


def _name_culprit(
    crash: Crash, again: ContainedRun, ended: _Ended, limit_s: float
) -> Crash:
    """Return `crash` with the pass that has ended a repetition, one pass at a time.

    Args:
        crash: of passes that ran together.
        again: the repetition.
        ended: how it has ended.
        limit_s: its time limit.
    """
    found = again.progress(ended.code)
    culprit = None if found is None else found.crash
    if ended.has_expired:
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

    wall_time_s: float
    has_expired: bool
    """Whether it was ended because a part of the input took too long."""


def _run(
    before: Progress, limit_s: float, *, is_repetition: bool = False
) -> tuple[ContainedRun, _Ended | None]:
    """Return a contained run, and in this process how it has ended.

    Raises:
        OptError: the system has no room for another process.
    """
    begin = time.monotonic()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    parent = os.getpid()
    # Nothing is ever written: it is closed when the parent ends, in whichever way.
    lifeline = () if sys.platform == "linux" else os.pipe()
    try:
        run = ContainedRun(before, is_repetition=is_repetition)
        pid = os.fork()
    except OSError as error:
        raise OptError(f"error: cannot contain the run: {error.strerror}") from error
    if pid == 0:
        _end_with(parent, lifeline)
        return run, None
    try:
        code, has_expired = _await(pid, run, limit_s)
    except BaseException:  # such as Ctrl-C, which native code may ignore
        # The process may have ended, and been waited for, just before.
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        processes.end_orphans()
        raise
    finally:
        for end in lifeline:
            os.close(end)
    if has_expired or code < 0:  # it could not end them itself
        processes.end_orphans()
    return run, _Ended(code, time.monotonic() - begin, has_expired)


def _await(pid: int, run: ContainedRun, limit_s: float) -> tuple[int, bool]:
    """Return the exit code of a process, and whether it was ended after its limit.

    The limit is kept here: code in the process can ignore signals, or stop it.
    """
    left_s: float | None = min(limit_s, _MAX_WAIT_S) or None
    while (code := processes.exit_code_within(pid, left_s)) is None:
        began_s = run.part_began_s() or time.monotonic()
        left_s = min(began_s + limit_s - time.monotonic(), _MAX_WAIT_S)
        if left_s <= 0:
            os.kill(pid, signal.SIGALRM)  # Python writes its stack
            code = processes.exit_code_within(pid, _GRACE_S)
            if code is None:
                os.kill(pid, signal.SIGKILL)
                code = processes.exit_code_within(pid, None)
            assert code is not None
            return code, True
    return code, False


def _end_with(parent: int, lifeline: tuple[int, ...]) -> None:
    """Let this process be killed once the `parent` has ended.

    Where Linux does not do so, a thread waits for the end of the pipe.
    """
    if lifeline:
        read, write = lifeline
        os.close(write)
        threading.Thread(target=_await_end, args=(read,), daemon=True).start()
        return
    processes.die_with_parent()
    if os.getppid() != parent:  # the parent ended before `prctl` was called
        os.kill(os.getpid(), signal.SIGKILL)


def _await_end(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGKILL)
