"""What recording costs, and how large pages of reports are.

    python tests/benchmarks/recording.py [--rounds N]

A run of `cse,canonicalize` is recorded and not recorded, in turn in one process, on
copies of one module of 1,000 functions; the cost is the ratio in processor time. Passes
of the second measurement run fifty times over it. The passes change the given share of
the functions. Prints one line for each figure, and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from xdsl.dialects.builtin import IntAttr, ModuleOp

from passgen_runtime import OperationPass, PassManager, PassOptions
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_runtime.report import html_page, report_data
from passgen_runtime.run_record import record
from tests.benchmarks.paired import median_ratio, report

NUM_FUNCTIONS: Final = 1000
NUM_PASSES: Final = 50
COST_TARGET: Final = 1.5
SIZE_TARGETS_MB: Final = {1: 0.5, 10: 1.0, 100: 5.0}
"""By the share of functions that each pass changes, in percent."""

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


class Touch(OperationPass[PassOptions]):
    """Gives some functions an attribute that no function had."""

    argument = "touch"
    anchor = "func.func"

    def __init__(self, number: int, percent: int) -> None:
        super().__init__()
        self.number = number
        self.percent = percent

    def run_on_operation(self) -> None:
        index = int(self.operation.sym_name.data[1:])
        if (index + self.number) % 100 < self.percent:
            self.operation.attributes["touched"] = IntAttr(self.number)


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


def size_of_page_mb(path: Path, percent: int) -> float:
    """Return the size of the page of fifty passes that change some functions each."""
    context = XDSLContext()
    manager = PassManager(context)
    functions = manager.nest("func.func")
    for number in range(NUM_PASSES):
        functions.add_pass(Touch(number, percent))
    with record(manager, path):
        manager.run(module(context))
    return len(html_page(report_data(path), "benchmark")) / 1e6


def main() -> int:
    """Print all figures; return 1 if one misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    misses = False
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.db")
        cost = cost_of_recording(path, rounds)
        misses |= report("a recorded run to one that is not", cost, COST_TARGET)
        for percent, target_mb in SIZE_TARGETS_MB.items():
            name = f"MB of a page, each of 50 passes changes {percent} %"
            misses |= report(name, size_of_page_mb(path, percent), target_mb)
    return int(misses)


if __name__ == "__main__":
    sys.exit(main())
