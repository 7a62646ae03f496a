"""The documentation as a site."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site that `make docs` builds, once for all workers.

    PASSGEN_DOCUMENTATION names a folder that holds it already.
    """
    if built := os.environ.get("PASSGEN_DOCUMENTATION"):
        return ROOT / built
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / "documentation.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "documentation").exists():
            _build(folder)
    return folder / "documentation"


def _build(folder: Path) -> None:
    options = ["--fail-on-warning", "--quiet", "-d", str(folder / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, "docs", str(folder / "built")]
    subprocess.run(command, cwd=ROOT, check=True)
    (folder / "built").rename(folder / "documentation")
