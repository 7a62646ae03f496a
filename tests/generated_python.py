"""Generated Python as its authors' tools see it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RUNTIME = Path(__file__).parents[1] / "runtime"


def mypy_strict(folder: Path) -> str:
    """Return the messages of `mypy --strict` about the modules in `folder`."""
    command = [
        sys.executable, "-m", "mypy", "--strict", "--no-error-summary",
        "--config-file=", "--cache-dir", str(folder / "cache"), ".",
    ]  # fmt: skip
    done = subprocess.run(
        command,
        cwd=folder,
        env={"MYPYPATH": str(RUNTIME)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr
