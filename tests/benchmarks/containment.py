"""What containment costs: its notes on each pass, and the process that it starts.

    python tests/benchmarks/containment.py [--rounds N]

Notes: the same pipeline on copies of one module, with and without, in turn in one
process. A figure is the median of the ratios of the rounds, in processor time.
Programs: `passgen-opt` with and without `--contain`, or a crash reproducer, in turn, in
wall time; a figure is a ratio beyond what they take for one function, which is their
start. Prints a line a
figure, and exits 1 where one misses its target.
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
from passgen_runtime.instrumentations.breadcrumbs import (
    BreadcrumbMemory,
    Breadcrumbs,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.opt import shipped_registry

TARGET = 1.05
PIPELINE = "builtin.module(func.func(cse,canonicalize))"
FUNCTION = """\
func.func @f{index}(%a: i32, %b: i32) -> i32 {{
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  %2 = arith.muli %0, %1 : i32
  %c = arith.cmpi slt, %2, %a : i32
  %3 = scf.if %c -> (i32) {{
    %4 = arith.subi %2, %b : i32
    scf.yield %4 : i32
  }} else {{
    %4 = arith.muli %2, %b : i32
    scf.yield %4 : i32
  }}
  func.return %3 : i32
}}
"""
REPRODUCER = "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir"
DRIVER = "from passgen_runtime.opt import console_main; console_main()"


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


def text_of(num_functions: int) -> str:
    """Return a module as text."""
    functions = (FUNCTION.format(index=index) for index in range(num_functions))
    return f"builtin.module {{\n{''.join(functions)}}}\n"


def ratio_of_notes(library: Library, num_functions: int, rounds: int) -> float:
    """Return the time of runs with notes on each pass, to those without."""
    context, registry = library.make_context(), library.make_registry()
    module = context.parse(text_of(num_functions), "input.mlir")
    plain = parse_pass_manager(PIPELINE, context, registry)
    noted = parse_pass_manager(PIPELINE, context, registry)
    noted.add_instrumentation(Breadcrumbs(noted, BreadcrumbMemory()))

    def seconds(manager: PassManager) -> float:
        copy = context.clone(module)
        gc.collect()
        start = time.process_time()
        manager.run(copy)
        return time.process_time() - start

    for manager in (plain, noted):
        seconds(manager)
    ratios = []
    for number in range(rounds):
        if number % 2:
            first, second = seconds(noted), seconds(plain)
        else:
            second, first = seconds(plain), seconds(noted)
        ratios.append(first / second)
    return statistics.median(ratios)


class Program(NamedTuple):
    """What `passgen-opt` takes in wall time."""

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
        print(f"{flag}, notes on each pass, to none: {ratio:.3f} ({TARGET})")
        is_missed |= ratio > TARGET
        for containing in ("--contain", REPRODUCER):
            start = program(flag, containing, 1, rounds)
            run = program(flag, containing, size, rounds)
            start_ms, more_ms = 1000 * start.plain_s, 1000 * start.contained_more_s
            name = f"{flag} {containing.partition('=')[0]}"
            print(f"{name}, start: {start_ms:.0f} ms, {more_ms:.0f} ms more")
            more_s = run.contained_more_s - start.contained_more_s
            beyond = 1 + more_s / (run.plain_s - start.plain_s)
            print(f"{name}, program beyond its start: {beyond:.3f} ({TARGET})")
            is_missed |= beyond > TARGET
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
