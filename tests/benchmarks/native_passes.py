"""What our pass manager adds to a pipeline of MLIR's own passes.

    python tests/benchmarks/native_passes.py [--rounds N] [--package mlir]

Ten native passes through `PassManager.run` of ours and through that of the bindings, as
these have it without our guards, on copies of one module, in turn in one process. A
figure is the ratio of the medians of the rounds, in processor time of all threads: of
runs of managers that have run before, and of parsing the pipeline and running it once.
Prints a line a size and exits 1 where one from which on the cost should not show misses
its target.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from passgen_runtime.ir.mlir import MLIRContext, Operation
from passgen_runtime.ir.mlir.native_passes import mlir_registry
from passgen_runtime.pass_manager import PassManager
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


Run: TypeAlias = Callable[[Operation], None]


def measured(run: Run, module: Operation) -> float:
    """Return the processor time that `run` takes on `module`, in seconds."""
    start = time.process_time()
    run(module)
    return time.process_time() - start


def ratios(
    context: MLIRContext, num_functions: int, rounds: int
) -> tuple[float, float]:
    """Return the ratios of our times to those of the bindings, without parsing, with.

    Args:
        context: of the module.
        num_functions: in the module.
        rounds: how often each is measured.
    """
    functions = (FUNCTION.format(index=index) for index in range(num_functions))
    module = context.parse("".join(functions), "input.mlir")
    bindings = context.bindings
    registry = mlir_registry(bindings.package)

    def our_manager() -> PassManager:
        return parse_pass_manager(PIPELINE, context, registry)

    def their_run() -> Run:
        manager = bindings.passmanager.PassManager.parse(PIPELINE, context.mlir)
        return partial(bindings.run, manager)

    def parse_and_run_ours(operation: Operation) -> None:
        our_manager().run(operation)

    def parse_and_run_theirs(operation: Operation) -> None:
        their_run()(operation)

    parsed = our_manager().run, their_run()
    parsing = parse_and_run_ours, parse_and_run_theirs
    return (
        ratio(context, module, rounds, parsed),
        ratio(context, module, rounds, parsing),
    )


def ratio(
    context: MLIRContext, module: Operation, rounds: int, runs: tuple[Run, Run]
) -> float:
    """Return the ratio of the median times of `runs` on copies of `module`."""
    ours, theirs = runs
    times: dict[Run, list[float]] = {ours: [], theirs: []}
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
        run, parsed_and_run = ratios(context, size, rounds)
        target = TARGET if size >= SMALLEST_WITH_TARGET else None
        is_missed |= target is not None and max(run, parsed_and_run) > target
        print(
            f"{size:5} functions: {run:.3f}, with parsing {parsed_and_run:.3f} "
            f"(target {target})"
        )
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
