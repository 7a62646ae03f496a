"""Repeats a threaded run over 200 functions and compares all that it shows.

    python tests/benchmarks/threaded_runs.py [--repetitions N] [--workers N]

Each repetition has a new module and manager. IR, statistics, diagnostics,
printed text and failure must be those of a run in one thread, bit for bit. Prints one
line a figure and exits 1 when a repetition differs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys

from passgen_runtime import Diagnostic, PassError, PassManager, default_registry
from passgen_runtime.context import Operation
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import register_all_passes
from passgen_runtime.pipeline_resolution import parse_pass_manager

NUM_FUNCTIONS = 200
FUNCTION = """\
func.func @f{number}(%a: i32) -> i32 {{
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  return %{result} : i32
}}
"""
PIPELINE = (
    "builtin.module(func.func(cse,composite-fixed-point-pass{pipeline=cse},"
    "print-ir{label=inside}),symbol-dce)"
)


def outcome(context: XDSLContext, module: Operation, num_workers: int) -> list[str]:
    """Return all that a run shows; in one thread if there is one worker."""
    diagnostics: list[Diagnostic] = []
    context.diagnostic_handler = diagnostics.append
    module = context.clone(module)
    manager: PassManager = parse_pass_manager(PIPELINE, context)
    if num_workers > 1:
        manager.enable_multithreading(max_workers=num_workers)
    failure = ""
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed):
        try:
            manager.run(module)
        except PassError as error:
            failure = str(error)
    return [
        context.print(module),
        manager.statistics_report(),
        *map(str, diagnostics),
        printed.getvalue(),
        failure,
    ]


def main() -> int:
    """Repeat, compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=4)
    given = parser.parse_args()
    # A small interval makes threads change places often.
    sys.setswitchinterval(1e-5)
    register_all_passes(default_registry)
    text = "".join(
        FUNCTION.format(number=number, result=number % 2)
        for number in range(NUM_FUNCTIONS)
    )
    context = XDSLContext()
    module = context.parse(text, "input.mlir")
    alone = outcome(context, module, 1)
    num_different = sum(
        outcome(context, module, given.workers) != alone
        for _ in range(given.repetitions)
    )
    print(f"threaded runs over {NUM_FUNCTIONS} functions: {given.repetitions}")
    print(f"runs that differ from one thread's: {num_different} (target 0)")
    return int(num_different > 0)


if __name__ == "__main__":
    sys.exit(main())
