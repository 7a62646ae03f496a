"""What containment costs: its notes on each pass, and the process that it starts.

    python -m tests.benchmarks.containment [--rounds N]

Notes: the same pipeline runs on copies of one module with and without them, in turn in
one process. A figure is the median ratio of the rounds, in processor time. Programs:
`passgen-opt` runs with and without `--contain`, or a crash reproducer, in turn. A
figure is the ratio of the wall times beyond those for one function, which are the
start. Prints one line for each figure, and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from passgen_runtime import PassManager, PassRegistry, parse_pass_manager
from passgen_runtime.context import Context
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.opt import shipped_registry
from passgen_tools.processes import Breadcrumbs, NoteMemory
from tests.benchmarks.paired import median_ratio, report, text_of

TARGET = 1.05
PIPELINE = "builtin.module(func.func(cse,canonicalize))"
REPRODUCER = "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir"
DRIVER = "from passgen_tools.opt import console_main; console_main()"


class Library(NamedTuple):
    """An IR library to measure with."""

    flag: str
    make_context: Callable[[], Context]
    make_registry: Callable[[], PassRegistry]
    num_functions: int
    """So many that a run takes a second or so."""


def libraries() -> Iterator[Library]:
    """Yield xDSL, and MLIR's bindings where they are installed."""
    yield Library("--ir=xdsl", XDSLContext, shipped_registry, 1000)
    if find_spec("mlir") is not None:
        from passgen_runtime.ir.mlir import MLIRContext  # noqa: PLC0415
        from passgen_runtime.ir.mlir.native_passes import (  # noqa: PLC0415
            mlir_registry,
        )

        yield Library("--ir=mlir", MLIRContext, mlir_registry, 10_000)


def ratio_of_notes(library: Library, num_functions: int, rounds: int) -> float:
    """Return the time of runs with notes on each pass, to those without."""
    context, registry = library.make_context(), library.make_registry()
    module = context.parse(text_of(num_functions), "input.mlir")
    plain = parse_pass_manager(PIPELINE, context, registry)
    noted = parse_pass_manager(PIPELINE, context, registry)
    noted.add_instrumentation(Breadcrumbs(NoteMemory().write, context))

    def seconds(manager: PassManager) -> float:
        copy = context.clone(module)
        gc.collect()
        start = time.process_time()
        manager.run(copy)
        return time.process_time() - start

    return median_ratio(lambda: seconds(noted), lambda: seconds(plain), rounds)


class Program(NamedTuple):
    """Wall times of `passgen-opt`."""

    plain_s: float
    """Without containment."""

    contained_more_s: float
    """How much longer with it."""


def program(flag: str, containing: str, num_functions: int, rounds: int) -> Program:
    """Return the medians of `rounds` pairs of calls, with and without `containing`."""
    plain, more = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input.mlir")
        path.write_text(text_of(num_functions), encoding="utf-8")
        command = [sys.executable, "-c", DRIVER, flag, str(path), "-p", PIPELINE]

        def seconds(*flags: str) -> float:
            start = time.perf_counter()
            subprocess.run(
                [*command, *flags],
                check=True,
                cwd=folder,
                stdout=subprocess.DEVNULL,
            )
            return time.perf_counter() - start

        for number in range(rounds):
            if number % 2:
                contained = seconds(containing)
                plain.append(seconds())
            else:
                plain.append(seconds())
                contained = seconds(containing)
            more.append(contained - plain[-1])
    return Program(statistics.median(plain), statistics.median(more))


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    is_missed = False
    for library in libraries():
        flag, size = library.flag, library.num_functions
        ratio = ratio_of_notes(library, size, rounds)
        is_missed |= report(f"{flag}, notes on each pass, to none", ratio, TARGET)
        for containing in ("--contain", REPRODUCER):
            start = program(flag, containing, 1, rounds)
            run = program(flag, containing, size, rounds)
            start_ms, more_ms = 1000 * start.plain_s, 1000 * start.contained_more_s
            name = f"{flag} {containing.partition('=')[0]}"
            print(f"{name}, start: {start_ms:.0f} ms, {more_ms:.0f} ms more")
            more_s = run.contained_more_s - start.contained_more_s
            beyond = 1 + more_s / (run.plain_s - start.plain_s)
            is_missed |= report(f"{name}, program beyond its start", beyond, TARGET)
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
