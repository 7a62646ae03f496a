"""Runs of `filecheck` on IR that tests make in process."""

from __future__ import annotations

import subprocess
from pathlib import Path


def is_accepted(ir: str, test: Path) -> bool:
    """Return whether IR is as the CHECK lines of a test say."""
    checked = subprocess.run(
        ["filecheck", str(test)], input=ir, text=True, capture_output=True, check=False
    )
    return checked.returncode == 0
