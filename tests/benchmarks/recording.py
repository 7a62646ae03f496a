"""What recording costs.

    python -m tests.benchmarks.recording [--rounds N]

A run of `cse,canonicalize` is recorded and not recorded, in turn in one process, on
copies of one module of 1,000 functions, of which the passes change every hundredth; the
cost is the ratio in processor time. Prints one line, and exits 1 if the figure misses
its target.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from xdsl.dialects.builtin import ModuleOp

from passgen_runtime import PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_tools.record import record
from tests.benchmarks.paired import median_ratio, report

NUM_FUNCTIONS: Final = 1000
COST_TARGET: Final = 1.5

_BODY: Final = """\
  %0 = arith.addi %x, %y : i32
  %1 = arith.muli %0, %y : i32
  %2 = arith.subi %1, %x : i32
  %3 = arith.{repeated} %x, %y : i32
  %4 = arith.xori %2, %3 : i32
  %5 = arith.ori %4, %0 : i32
  %6 = arith.andi %5, %x : i32
  %7 = arith.addi %6, %1 : i32
  func.return %7 : i32
"""


def module(context: XDSLContext) -> ModuleOp:
    """Return functions of ten operations; cse changes every hundredth."""
    texts = []
    for index in range(NUM_FUNCTIONS):
        body = _BODY.format(repeated="addi" if index % 100 == 0 else "shli")
        texts.append(f"func.func @f{index}(%x: i32, %y: i32) -> i32 {{\n{body}}}\n")
    parsed = context.parse("".join(texts), "functions.mlir")
    assert isinstance(parsed, ModuleOp)
    return parsed


def cost_of_recording(path: Path, rounds: int) -> float:
    """Return the ratio of a recorded run to one that is not."""
    context = XDSLContext()
    original = module(context)

    def manager() -> PassManager:
        manager = PassManager(context)
        functions = manager.nest("func.func")
        functions.add_pass(CSE())
        functions.add_pass(Canonicalizer())
        return manager

    def plain() -> float:
        copy, made = original.clone(), manager()
        begin_s = time.process_time()
        made.run(copy)
        return time.process_time() - begin_s

    def recorded() -> float:
        copy, made = original.clone(), manager()
        begin_s = time.process_time()
        with record(made, path):
            made.run(copy)
        return time.process_time() - begin_s

    return median_ratio(recorded, plain, rounds)


def main() -> int:
    """Print the figure; return 1 if it misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        cost = cost_of_recording(Path(folder, "run.db"), rounds)
    return int(report("a recorded run to one that is not", cost, COST_TARGET))


if __name__ == "__main__":
    sys.exit(main())
