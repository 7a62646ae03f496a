"""Repeats a threaded run over 200 functions and compares all that it shows.

    python -m tests.benchmarks.threaded_runs [--repetitions 1000] [--workers 4]

Each repetition has a new module and manager. IR, statistics, diagnostics, printed text
(IR dumps among it) and failure must be those of a run in one thread, bit for bit. A
repetition takes about a second; they are spread over the processors, and a line on
standard error shows the progress. Prints one line for each figure and exits 1 if a
repetition differs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

from passgen_runtime import (
    Diagnostic,
    OperationPass,
    OpPassManager,
    PassError,
    PassManager,
    PassOptions,
    default_registry,
    statistic,
)
from passgen_runtime.context import Operation
from passgen_runtime.instrumentations.ir_printing import (
    IRPrintingConfig,
    enable_ir_printing,
    passes_called,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry.resolution import parse_pass_manager
from passgen_runtime.passes import register_all_passes
from passgen_runtime.runners import Threads

NUM_FUNCTIONS = 200
FUNCTION = """\
func.func @f{number}(%a: i32) -> i32 {{
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  return %{result} : i32
}}
"""
PARTS = ("IR", "statistics", "diagnostics", "printed text", "failure")
REPETITIONS_A_TASK = 5
PIPELINE = (
    "builtin.module(func.func(cse,composite-fixed-point-pass{pipeline=cse},"
    "print-ir{label=inside}),symbol-dce)"
)


class Complain(OperationPass[PassOptions]):
    """Says something about each function, and fails on some."""

    argument = "complain"
    num_seen = statistic("num-seen", "Functions seen.")

    def run_on_operation(self) -> None:
        """Count, complain, and fail where the number ends in 7."""
        name = self.operation.sym_name.data
        self.num_seen += 1
        self.emit_remark(f"seen {name}")
        if name.endswith("7"):
            self.emit_error(f"no {name}")
            self.signal_pass_failure()


class RunInside(OperationPass[PassOptions]):
    """Runs a pass of all functions, which is also in the pipeline around it."""

    argument = "run-inside"

    def __init__(self, shared: Complain) -> None:
        """Run `shared`."""
        super().__init__()
        self.shared = shared

    def run_on_operation(self) -> None:
        """Run it in a manager of its own, and go on if it fails."""
        pipeline = OpPassManager("func.func")
        pipeline.add_pass(self.shared)
        self.run_pipeline(pipeline, self.operation)


def outcome(context: XDSLContext, module: Operation, num_workers: int) -> list[str]:
    """Return the `PARTS` of what a run shows; in one thread if there is one worker."""
    diagnostics: list[Diagnostic] = []
    context.diagnostic_handler = diagnostics.append
    module = context.clone(module)
    manager: PassManager = parse_pass_manager(PIPELINE, context)
    complain = Complain()
    functions = manager.nest("func.func")
    functions.add_pass(RunInside(complain))
    functions.add_pass(complain)
    enable_ir_printing(manager, IRPrintingConfig(after=passes_called("cse")))
    if num_workers > 1:
        manager.runner = Threads(max_workers=num_workers)
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
        "\n".join(map(str, diagnostics)),
        printed.getvalue(),
        failure,
    ]


def differences(repetitions: int, num_workers: int) -> list[str]:
    """Return, for each threaded run, the parts that are not those of one thread."""
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
    found = []
    for _ in range(repetitions):
        threaded = zip(PARTS, outcome(context, module, num_workers), alone, strict=True)
        found.append(", ".join(part for part, one, other in threaded if one != other))
    return found


def main() -> int:
    """Repeat, compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--workers", type=int, default=4)
    given = parser.parse_args()
    start_s = time.monotonic()
    num_done, different = 0, []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        tasks = [
            pool.submit(
                differences,
                min(REPETITIONS_A_TASK, given.repetitions - first),
                given.workers,
            )
            for first in range(0, given.repetitions, REPETITIONS_A_TASK)
        ]
        for task in as_completed(tasks):
            found = task.result()
            num_done += len(found)
            different += [parts for parts in found if parts]
            elapsed_s = time.monotonic() - start_s
            line = f"{num_done} of {given.repetitions} runs after {elapsed_s:.0f} s"
            print(f"{line}, {len(different)} different", file=sys.stderr)
    print(f"threaded runs over {NUM_FUNCTIONS} functions: {num_done}")
    print(f"runs that differ from one thread's: {len(different)} (target 0)")
    for parts in sorted(set(different)):
        print(f"different in {parts}: {different.count(parts)}")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
