"""Sites that are built once for the tests of all workers."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def built_site(factory: pytest.TempPathFactory, name: str, *arguments: str) -> Path:
    """Return the folder of the site `name`, which the first worker builds.

    Args:
        factory: gives each worker a folder in the one of the run.
        arguments: of Python; the command takes the folder of the site after them.
    """
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name).exists():
            unfinished = folder / f"{name}.unfinished"
            command = [sys.executable, *arguments, str(unfinished)]
            subprocess.run(command, cwd=ROOT, check=True)
            unfinished.rename(folder / name)
    return folder / name
