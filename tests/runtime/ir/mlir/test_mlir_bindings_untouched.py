"""No class and no module of MLIR's bindings is changed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

MOMENTS = {
    "with a context",
    "in a pass",
    "after a run",
    "before a pass",
    "after a pass",
    "in a pass that fails",
    "after a pass that failed",
    "after a run that failed",
    "at the end",
}


def differences(*arguments: str) -> dict[str, list[str]]:
    """Return the changes in a new process, by moment."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.runtime.ir.mlir.bindings_observer", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
        check=True,
    )
    seen: dict[str, list[str]] = json.loads(done.stdout)
    return seen


def test_a_run_changes_nothing_in_the_bindings(package: str) -> None:
    assert differences(package) == {moment: [] for moment in MOMENTS}


@pytest.mark.parametrize(
    ("what", "name"), [("class", "Operation.verify"), ("module", "{package}.ir.Module")]
)
def test_what_is_changed_is_found(package: str, what: str, name: str) -> None:
    """So the test above can fail, also on a change that is undone after a pass."""
    seen = differences(package, what)
    assert seen["with a context"] == []
    assert name.format(package=package) in seen["in a pass"]
    assert name.format(package=package) in seen["at the end"]
