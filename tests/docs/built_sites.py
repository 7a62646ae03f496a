"""Sites that are built once for the tests of all workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.once_for_workers import make_once

ROOT = Path(__file__).parents[2]


def built_site(factory: pytest.TempPathFactory, name: str, *arguments: str) -> Path:
    """Return the folder of the site `name`.

    Args:
        factory: gives folders for the tests of this run.
        name: the name of the folder.
        arguments: those of Python; the command takes the folder after them.
    """

    def build(folder: Path) -> None:
        command = [sys.executable, *arguments, str(folder)]
        subprocess.run(command, cwd=ROOT, check=True)

    return make_once(factory, name, build)
