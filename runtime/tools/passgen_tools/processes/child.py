"""Child processes: exit codes, signals, and the end of their parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
"""Linux's `prctl`: the signal that comes when the parent's thread has ended."""

_PR_SET_CHILD_SUBREAPER: Final = 36
"""Linux's `prctl`: a process whose parent has ended becomes a child of this one."""

LOST_FILES: Final = 74
"""The exit code of a child whose files a pass has closed or written to (`EX_IOERR`)."""

_POLL_S: Final = 0.02
"""The polling interval on systems that cannot wait for a process with a time limit."""


def signal_name(code: int) -> str:
    """Return the name of the signal in an exit code; empty if it has none."""
    if code >= 0:
        return ""
    try:
        return signal.Signals(-code).name
    except ValueError:  # such as most of the real-time signals
        return f"signal {-code}"


def die_with_parent() -> None:
    """Let Linux kill this process when its parent ends, whatever code runs then.

    Also while native code holds the interpreter's lock.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Let Linux make processes that children of this one leave its own children."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_orphans() -> None:
    """End all children of this process, and those that they leave: Linux names them."""
    while children := _children():
        for pid in children:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    found: list[int] = []
    for path in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):  # the thread has ended
            found += map(int, path.read_text().split())
    return found


def exit_code_within(pid: int, limit_s: float | None) -> int | None:
    """Return the exit code of a child, negative for a signal; `None` if it lives on.

    Args:
        pid: of the child, which nothing else waits for.
        limit_s: how long to wait for its end; without a limit if not given.
    """
    if limit_s is not None and not _ends_within(pid, limit_s):
        return None
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _ends_within(pid: int, limit_s: float) -> bool:
    if hasattr(os, "pidfd_open"):
        file = os.pidfd_open(pid)
        try:
            return bool(select.select([file], [], [], limit_s)[0])
        finally:
            os.close(file)
    deadline_s = time.monotonic() + limit_s
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline_s:
            return False
        time.sleep(_POLL_S)
    return True
