"""The processes of a test: which there are, and whether they have ended."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

PATIENCE_S = 20
"""Longer than anything here takes."""


def children(parent: int | None = None, but: str = "") -> list[int]:
    """Return the processes of another one, or of this one.

    Args:
        parent: the other one.
        but: what is in the command line of those that do not count.
    """
    line = re.compile(rf"^PPid:\t{parent or os.getpid()}$", re.MULTILINE)
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):  # it has ended
            command = (path.parent / "cmdline").read_text(errors="replace")
            counts = not but or but not in command
            if counts and line.search(path.read_text(errors="replace")):
                found.append(int(path.parent.name))
    return found


def all_have_ended(processes: list[int]) -> bool:
    """Wait until the processes have ended, for a while."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if not any(Path(f"/proc/{process}").exists() for process in processes):
            return True
        time.sleep(0.01)
    return False
