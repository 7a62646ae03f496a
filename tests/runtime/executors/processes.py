"""The processes of a test: which there are, and whether they have ended."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

PATIENCE_S = 20
"""Longer than anything here takes."""


def children(parent: int | None = None) -> list[int]:
    """Return the processes that another one has started, or this one."""
    line = re.compile(rf"^PPid:\t{parent or os.getpid()}$", re.MULTILINE)
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):  # it has ended
            if line.search(path.read_text(errors="replace")):
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
