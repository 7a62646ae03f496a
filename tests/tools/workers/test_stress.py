from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.executors
def test_workers_killed_at_random_cost_no_reply() -> None:
    # In a process of its own, which has no children but workers.
    modules = [str(ROOT), *(each for each in sys.path if each)]
    script = [sys.executable, "-m", "tests.tools.workers.stress"]
    result = subprocess.run(
        [*script, "--runs=20", "--seed=1"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(modules)},
        text=True,
    )

    assert (result.stderr, result.returncode) == ("", 0)
    lines = result.stdout.splitlines()
    assert "items lost, all of them guilty: 2" in lines
    assert "wrong: 0" in lines
