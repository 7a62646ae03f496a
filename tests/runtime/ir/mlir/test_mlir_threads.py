"""MLIR's own threads stay as a context has them, and what they report is shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mlir_bindings_needed import require_bindings

ENOUGH_RUNS = "1000"
HANGS_AFTER_S = "5"
NEVER_HANGS_S = "300"

REPEATED_RUNS = Path(__file__).parents[3] / "benchmarks" / "threaded_native_runs.py"

KINDS = [("mlir", "errors"), ("mlir", "remarks"), ("jaxlib.mlir", "errors")]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def run_bindings_alone(
    package: str, kind: str, nesting: str, limit_s: str
) -> subprocess.CompletedProcess[str]:
    require_bindings(package)
    program = "tests.runtime.ir.mlir.reports_from_threads"
    return run("-m", program, package, kind, nesting, ENOUGH_RUNS, limit_s)


@pytest.mark.parametrize(("package", "kind"), KINDS)
def test_the_bindings_alone_report_from_threads_over_one_module(
    package: str, kind: str
) -> None:
    """So a handler of diagnostics and MLIR's threads go together there."""
    done = run_bindings_alone(package, kind, "flat", NEVER_HANGS_S)
    assert (done.stdout, done.returncode) == ("reports in each run: [8]\n", 0)


@pytest.mark.parametrize(("package", "kind"), KINDS)
def test_the_bindings_alone_hang_or_abort_over_modules_in_modules(
    package: str, kind: str
) -> None:
    """Threads are off there while MLIR works; without need, once this test fails."""
    done = run_bindings_alone(package, kind, "nested", HANGS_AFTER_S)
    assert done.stdout == ""
    assert "GIL was not held" in done.stderr or "Timeout" in done.stderr


def test_runs_that_report_much_do_not_hang_and_show_it_all() -> None:
    require_bindings("mlir")
    done = run(str(REPEATED_RUNS), "--repetitions", "10")
    assert (done.returncode, done.stderr) == (0, "")
