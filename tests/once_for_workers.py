"""What is made once for the tests of all workers."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def make_once(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]
) -> Path:
    """Return the folder `name` of the run, in which the first worker calls `make`.

    Args:
        factory: gives each worker a folder in the one of the run.
        name: the name of the folder.
        make: gets the folder, which exists if `make` has failed in another worker.
    """
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / f"{name}.done"
        if not done.exists():
            make(folder / name)
            done.touch()
    return folder / name
