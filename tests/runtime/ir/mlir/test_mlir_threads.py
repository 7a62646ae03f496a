"""MLIR's own threads stay as a context has them, and their diagnostics are shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from passgen_runtime import parse_pass_manager
from passgen_runtime.ir.mlir import MLIRContext, mlir_registry
from tests.mlir_bindings_needed import require_bindings

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
    package: str, kind: str, nesting: str, *, limit_s: int
) -> subprocess.CompletedProcess[str]:
    require_bindings(package)
    program = "tests.runtime.ir.mlir.reports_from_threads"
    return run("-m", program, package, kind, nesting, "1000", str(limit_s))


@pytest.mark.parametrize(("package", "kind"), KINDS)
def test_the_bindings_alone_report_from_threads_over_one_module(
    package: str, kind: str
) -> None:
    """So MLIR's threads can stay on there, with a handler of diagnostics."""
    done = run_bindings_alone(package, kind, "flat", limit_s=300)
    assert (done.stdout, done.returncode) == ("reports in each run: [8]\n", 0)


@pytest.mark.parametrize(("package", "kind"), KINDS)
def test_the_bindings_alone_hang_or_abort_over_modules_in_modules(
    package: str, kind: str
) -> None:
    """So threads are off there. Once this test fails, they can stay on."""
    done = run_bindings_alone(package, kind, "nested", limit_s=5)
    assert done.stdout == ""
    assert "GIL was not held" in done.stderr or "Timeout" in done.stderr


def test_runs_that_report_much_do_not_hang_and_show_it_all() -> None:
    require_bindings("mlir")
    done = run(str(REPEATED_RUNS), "--repetitions", "10")
    assert (done.returncode, done.stderr) == (0, "")


WARNING = """\
func.func @{}(%m: memref<64xf32>) {{
  affine.for %i = 0 to 64 {{
    %v = affine.load %m[%i] : memref<64xf32>
    affine.store %v, %m[%i] : memref<64xf32>
  }}
  return
}}
"""
WARN = "func.func(affine-data-copy-generate{fast-mem-capacity=0 generate-dma=0})"
FLAT = WARNING.format("f") + WARNING.format("g")
KERNELS = "gpu.module @empty {}\n"
DEEP = "func.func @h() { scf.execute_region { builtin.module {} scf.yield } return }\n"


@pytest.mark.parametrize(
    ("source", "pipeline", "has_threads"),
    [
        (FLAT, WARN, True),
        (FLAT, f"symbol-dce,{WARN},cse,func.func(cse,canonicalize)", True),
        (FLAT + KERNELS, WARN, False),
        (FLAT + DEEP, WARN, False),
        (FLAT, f"{WARN},gpu.module(cse)", False),
        (FLAT, f"{WARN},any(cse)", False),
        (FLAT, f"{WARN},func.func(func.func(cse))", False),
    ],
)
def test_native_passes_have_threads_unless_parallel_work_is_nested(
    source: str, pipeline: str, *, has_threads: bool, context: MLIRContext
) -> None:
    num_before = context.mlir.get_num_threads()
    during: list[int] = []
    context.diagnostic_handler = lambda _: during.append(context.mlir.get_num_threads())
    module = context.parse(source, "in.mlir")
    manager = parse_pass_manager(
        f"builtin.module({pipeline})", context, mlir_registry()
    )
    manager.run(module)
    assert set(during) == {num_before if has_threads else 1}
    assert context.mlir.get_num_threads() == num_before


def test_threads_come_back_when_the_last_block_without_them_ends(
    context: MLIRContext,
) -> None:
    """Blocks in several threads of Python may end in any order."""
    num_before = context.mlir.get_num_threads()
    first, second = context.without_threads, context.without_threads
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert context.mlir.get_num_threads() == 1
    second.__exit__(None, None, None)
    assert context.mlir.get_num_threads() == num_before
    context.disable_multithreading()
    with context.without_threads:
        pass
    assert context.mlir.get_num_threads() == 1
