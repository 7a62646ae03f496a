"""What processes gain: runs with two workers beside runs with none, in turn.

    python -m tests.benchmarks.processes [--rounds N] [--functions N]

From parsed IR to finished IR, with workers that have started; the whole command, which
starts them, is reported beside that. Prints a line for each figure, and exits 1 if one
misses its target. Each core that other programs use makes the figures worse.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Final

from passgen_runtime import Pass, PassManager
from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_tools.workers import ProcessPool, Workers
from tests.benchmarks.paired import median_ratio, report, text_of
from tests.tools.workers import mlir_passes_for_workers, passes_for_workers

NUM_WORKERS: Final = 2
PRELOADED: Final = ["passgen_tools.workers"]
OPERATIONS_PER_FUNCTION: Final = 10
PAYS_TARGET: Final = 0.65
STAYS_TARGET: Final = 1.05
WORK_US: Final = (300, 1000)
"""For each of the operations in a function."""

COMMAND: Final = (sys.executable, "-m", "passgen_tools.opt")
REPEATED: Final = ",".join(["cse,canonicalize"] * 8)


def xdsl_busy(work_us: int) -> list[Pass]:
    """Return a pass on xDSL's IR that computes for a time."""
    options = passes_for_workers.BusyOptions(us=work_us)
    return [passes_for_workers.Busy(options)]


def mlir_busy(work_us: int) -> list[Pass]:
    """Return a pass on MLIR's IR that computes for a time."""
    options = passes_for_workers.BusyOptions(us=work_us)
    return [mlir_passes_for_workers.Busy(options)]


class Measurement:
    """Runs of passes on the functions of a text."""

    def __init__(self, context: Context, text: str, passes: list[Pass]) -> None:
        """Nest `passes` on functions."""
        self.report = ""
        """What the last run with workers says about them."""

        self.context = context
        self.text = text
        self.manager = PassManager(context)
        nested = self.manager.nest("func.func")
        for each in passes:
            nested.add_pass(each)

    def seconds(self, executor: Executor | None) -> float:
        """Run once, on new IR; return the time of the run alone."""
        module = self.context.parse(self.text, "input.mlir")
        begin = time.perf_counter()
        workers = None if executor is None else Workers(executor)
        self.manager.run(module, workers)
        seconds = time.perf_counter() - begin
        if workers is not None:
            self.report = workers.report[0]
        return seconds

    def ratio(self, executor: Executor, rounds: int) -> float:
        """Return the median ratio of runs with workers to runs without."""
        return median_ratio(
            lambda: self.seconds(executor), lambda: self.seconds(None), rounds
        )


def worker_mib(num_functions: int) -> float:
    """Return the peak memory of a new worker that takes part in a run."""
    run = Measurement(XDSLContext(), text_of(num_functions), xdsl_busy(3000))
    pool = ProcessPool(1, PRELOADED)
    try:
        run.seconds(pool)
        used = pool.submit(resource.getrusage, resource.RUSAGE_SELF).result()
    finally:
        pool.kill()
    return used.ru_maxrss / 1024


def command_s(file: str, *flags: str) -> float:
    """Return the time of the whole command."""
    pipeline = f"--pass-pipeline=builtin.module(func.func({REPEATED}))"
    begin = time.perf_counter()
    subprocess.run([*COMMAND, file, pipeline, "-o", "-", *flags], check=True, stdout=-3)
    return time.perf_counter() - begin


def measured(pool: ProcessPool, num_functions: int, rounds: int) -> list[bool]:
    """Print the figures; return whether each misses its target."""
    text = text_of(num_functions)
    contexts: dict[str, tuple[Context, Callable[[int], list[Pass]]]] = {
        "xDSL": (XDSLContext(), xdsl_busy),
        "MLIR": (MLIRContext(), mlir_busy),
    }
    missed = []
    for library, (context, busy) in contexts.items():
        for work_us in WORK_US:
            run = Measurement(context, text, busy(OPERATIONS_PER_FUNCTION * work_us))
            name = f"{library}, {work_us} us an operation, to one process"
            missed.append(report(name, run.ratio(pool, rounds), PAYS_TARGET))
            print("   ", run.report)
    run = Measurement(contexts["xDSL"][0], text, [CSE(), Canonicalizer()])
    name = "xDSL, cse,canonicalize, to one process"
    missed.append(report(name, run.ratio(pool, rounds), STAYS_TARGET))
    print("   ", run.report)
    return missed


def main() -> int:
    """Print the figures; return 1 if one misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--functions", type=int, default=1000)
    options = parser.parse_args()
    pool = ProcessPool(NUM_WORKERS, PRELOADED)
    try:
        missed = measured(pool, options.functions, options.rounds)
    finally:
        pool.kill()
    for num_functions in (options.functions // 8, options.functions):
        name = f"MiB of a worker, {num_functions} functions"
        report(name, worker_mib(num_functions), None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "input.mlir")
        file.write_text(text_of(options.functions))
        ratio = median_ratio(
            lambda: command_s(str(file), f"--jobs={NUM_WORKERS}"),
            lambda: command_s(str(file)),
            1,
        )
        report("whole command, sixteen passes, to one process", ratio, None)
    return int(any(missed))


if __name__ == "__main__":
    sys.exit(main())
