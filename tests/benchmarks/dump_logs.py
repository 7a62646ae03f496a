"""How long pages of logs of IR dumps take, and how large they are.

    python -m tests.benchmarks.dump_logs [--rounds N]

LLVM's `mlir-opt` lowers 100 functions from linalg to LLVM and prints the IR. The page
of the log is compared with the log, and its time with that of the run that printed the
log, in turn. A log of four such runs tells whether time and memory grow with the log.
Prints one line for each figure, and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import tracemalloc
from functools import partial
from pathlib import Path
from typing import Final

from passgen_tools.record import record_dumps
from passgen_tools.report import html_page, report_data
from tests.benchmarks.paired import median_ratio, report
from tests.llvm_tools import find_tool, missing

FLAGS: Final = {
    "after-all": ["--mlir-print-ir-after-all"],
    "before-all, after-all": [
        "--mlir-print-ir-before-all",
        "--mlir-print-ir-after-all",
    ],
    "after-change": ["--mlir-print-ir-after-all", "--mlir-print-ir-after-change"],
}
SIZE_TARGET: Final = 0.05
TIME_TARGET: Final = 1.0
GROWTH_TARGET: Final = 5.0
"""Of the time for a log of four runs, to that for one."""

MEMORY_TARGET: Final = 2.0
"""Likewise, of the memory."""

PIPELINE: Final = (
    "builtin.module(func.func(canonicalize,cse,linalg-fuse-elementwise-ops),"
    "one-shot-bufferize{bufferize-function-boundaries},"
    "func.func(buffer-hoisting,convert-linalg-to-loops,canonicalize,cse,"
    "loop-invariant-code-motion),convert-scf-to-cf,expand-strided-metadata,"
    "lower-affine,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,"
    "convert-cf-to-llvm,reconcile-unrealized-casts,symbol-dce,"
    "llvm.func(canonicalize,cse))"
)
FUNCTION: Final = """\
func.func @f{0}(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>) -> tensor<16x8xf32> {{
  %zero = arith.constant {0}.0 : f32
  %e = tensor.empty() : tensor<16x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x32xf32>, tensor<32x8xf32>)
    outs(%i : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}}
"""


def run(folder: Path, flags: list[str]) -> float:
    """Write `log` in `folder`; return the seconds that the tool ran."""
    tool = find_tool("mlir-opt") or missing("mlir-opt")
    begin = time.perf_counter()
    with (folder / "log").open("wb") as log:
        subprocess.run(
            [tool, folder / "in.mlir", f"--pass-pipeline={PIPELINE}", *flags],
            stdout=subprocess.DEVNULL,
            stderr=log,
            check=True,
        )
    return time.perf_counter() - begin


def page(folder: Path, name: str = "log") -> float:
    """Write the page of a log; return the seconds that this took."""
    begin = time.perf_counter()
    record_dumps(folder / name, folder / "run.db")
    text = html_page(report_data(folder / "run.db"), name)
    (folder / "page").write_text(text, encoding="utf-8")
    return time.perf_counter() - begin


def peak(folder: Path, name: str) -> int:
    """Return the bytes that reading a log into a record takes at most."""
    tracemalloc.start()
    record_dumps(folder / name, folder / "run.db")
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


def main() -> int:
    """Measure; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    misses = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        functions = "".join(FUNCTION.format(index) for index in range(100))
        (folder / "in.mlir").write_text(functions, encoding="utf-8")
        for title, flags in FLAGS.items():
            run(folder, flags)
            ratio = median_ratio(
                partial(page, folder), partial(run, folder, flags), rounds
            )
            log, html = ((folder / each).stat().st_size for each in ("log", "page"))
            print(f"{title}: log {log / 1e6:.2f} MB, page {html / 1e6:.2f} MB")
            misses.append(report(f"{title}: page to log", html / log, SIZE_TARGET))
            misses.append(report(f"{title}: page to run, time", ratio, TIME_TARGET))
        (folder / "log4").write_bytes((folder / "log").read_bytes() * 4)
        growth = median_ratio(
            partial(page, folder, "log4"), partial(page, folder), rounds
        )
        misses.append(report("four runs to one, time", growth, GROWTH_TARGET))
        memory = peak(folder, "log4") / peak(folder, "log")
        misses.append(report("four runs to one, memory", memory, MEMORY_TARGET))
    return int(any(misses))


if __name__ == "__main__":
    sys.exit(main())
