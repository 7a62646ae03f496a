"""What ends the process all the same is announced, and survived with a reproducer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mlir_bindings_needed import require_bindings

DRIVER = """\
import ctypes, os
from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_runtime.opt import console_main

class ReadNothing(OperationPass[PassOptions]):
    argument = "read-nothing"
    def run_on_operation(self): ctypes.string_at(0)

class Abort(OperationPass[PassOptions]):
    argument = "abort"
    def run_on_operation(self): os.abort()

registry = PassRegistry()
registry.register_pass(ReadNothing)
registry.register_pass(Abort)
console_main(registry=registry)
"""
KERNEL = "gpu.module @m { gpu.func @k(%a: i32) kernel { gpu.return } }\n"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    require_bindings("mlir")
    (tmp_path / "driver.py").write_text(DRIVER, encoding="utf-8")
    (tmp_path / "in.mlir").write_text(KERNEL, encoding="utf-8")
    return tmp_path


def opt(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "driver.py", "--ir=mlir", *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )


NATIVE = "gpu.module(cse,xegpu-subgroup-distribute)"


@pytest.mark.parametrize(
    ("pipeline", "signal", "place"),
    [
        ("cse,read-nothing", "Segmentation fault", 'driver.py", line 7'),
        ("cse,abort", "Aborted", 'driver.py", line 11'),
        (NATIVE, "Aborted", f"in MLIR's own {NATIVE}"),
    ],
)
def test_it_is_said_where_the_process_has_ended(
    directory: Path, pipeline: str, signal: str, place: str
) -> None:
    done = opt(directory, "in.mlir", "-p", f"builtin.module({pipeline})")
    assert done.returncode < 0
    assert f"Fatal Python error: {signal}" in done.stderr
    assert place in done.stderr


@pytest.mark.parametrize(
    ("pipeline", "signal", "name"),
    [
        ("cse,read-nothing", "SIGSEGV", "`ReadNothing` on 'builtin.module'"),
        ("cse,abort", "SIGABRT", "`Abort` on 'builtin.module'"),
        (NATIVE, "SIGABRT", "`XeGPUSubgroupDistribute` on 'gpu.module'"),
    ],
)
def test_a_reproducer_is_left_and_ends_the_process_again(
    directory: Path, pipeline: str, signal: str, name: str
) -> None:
    text = f"builtin.module({pipeline})"
    flag = "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir"
    done = opt(directory, "in.mlir", "-p", text, flag)
    assert done.returncode == 1
    assert f"Pipeline failed while executing [{name} operation" in done.stderr
    assert done.stderr.endswith(
        f"error: the process was ended by {signal} while passes ran\n"
    )
    assert f'pipeline: "{text}"' in (directory / "reproducer.mlir").read_text()
    assert opt(directory, "reproducer.mlir", "--run-reproducer").returncode < 0
