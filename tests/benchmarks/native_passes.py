"""What our pass manager adds to a pipeline of MLIR's own passes.

    python tests/benchmarks/native_passes.py [--rounds N] [--package mlir]

Ten native passes through `PassManager.run` of ours and through that of the bindings, on
copies of one module, in turn in one process. A figure is the ratio of the medians of
the rounds, in processor time of all threads. Prints a line a size and exits 1 where one
from which on the cost should not show misses its target.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable

from passgen_runtime.ir.mlir import MLIRContext, Operation
from passgen_runtime.ir.mlir_passes import mlir_registry
from passgen_runtime.pipeline_resolution import parse_pass_manager

PIPELINE = (
    "builtin.module(func.func(cse,canonicalize,sccp,loop-invariant-code-motion,"
    "control-flow-sink),symbol-dce,inline,func.func(cse,canonicalize),sccp)"
)
SIZES = (1, 10, 100, 1000)
MOST_RUNS = 1000
SMALLEST_WITH_TARGET = 100
TARGET = 1.05
FUNCTION = """\
func.func @f{index}(%a: i32, %b: i32) -> i32 {{
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  %2 = arith.muli %0, %1 : i32
  %c = arith.cmpi slt, %2, %a : i32
  %3 = scf.if %c -> i32 {{
    %4 = arith.subi %2, %b : i32
    scf.yield %4 : i32
  }} else {{
    %4 = arith.muli %2, %b : i32
    scf.yield %4 : i32
  }}
  return %3 : i32
}}
"""


def measured(run: Callable[[Operation], None], module: Operation) -> float:
    """Return the processor time that `run` takes on `module`, in seconds."""
    start = time.process_time()
    run(module)
    return time.process_time() - start


def ratio(context: MLIRContext, num_functions: int, rounds: int) -> float:
    """Return the ratio of our median time to that of the bindings."""
    functions = (FUNCTION.format(index=index) for index in range(num_functions))
    module = context.parse("".join(functions), "input.mlir")
    registry = mlir_registry(context.bindings.package)
    ours = parse_pass_manager(PIPELINE, context, registry).run
    theirs = context.bindings.passmanager.PassManager.parse(PIPELINE, context.mlir).run
    times: dict[Callable[[Operation], None], list[float]] = {ours: [], theirs: []}
    for run, _ in itertools.product(times, range(3)):
        run(context.clone(module))
    for number in range(rounds):
        for run in (ours, theirs) if number % 2 else (theirs, ours):
            times[run].append(measured(run, context.clone(module)))
    return statistics.median(times[ours]) / statistics.median(times[theirs])


def main() -> int:
    """Measure, print, and return whether a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--package", default="mlir")
    arguments = parser.parse_args()
    context = MLIRContext(arguments.package)
    is_missed = False
    for size in SIZES:
        rounds = max(arguments.rounds, MOST_RUNS // size)
        value = ratio(context, size, rounds)
        target = TARGET if size >= SMALLEST_WITH_TARGET else None
        is_missed = is_missed or (target is not None and value > target)
        print(f"{size:5} functions: {value:.3f} (target {target})")
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
