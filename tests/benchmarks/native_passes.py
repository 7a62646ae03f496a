"""What `PassManager` and `passgen-opt` add to a pipeline of MLIR's own passes.

    python -m tests.benchmarks.native_passes [--rounds N] [--package mlir]

Both sides run ten native passes on modules of functions, in turn. A figure is the
median ratio of their wall times. In one process, `passgen_runtime`'s `PassManager.run`
is compared with that of the bindings in a context of their own, with MLIR's threads as
they are by default: once with managers that have run before, once with the pipeline
parsed for each run. As commands, `passgen-opt --ir=mlir` is compared with a script of
six lines over the bindings; the ratios to `mlir-opt` are for information. Prints one
line for each figure and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from passgen_runtime.ir.mlir import MLIRContext, mlir_registry
from passgen_runtime.pass_manager.pass_manager import PassManager
from passgen_runtime.pass_registry.resolution import parse_pass_manager
from passgen_tools import run
from tests.benchmarks.paired import Seconds, median_ratio, report, text_of
from tests.llvm_tools import find_tool

PIPELINE = (
    "builtin.module(func.func(cse,canonicalize,sccp,loop-invariant-code-motion,"
    "control-flow-sink),symbol-dce,inline,func.func(cse,canonicalize),sccp)"
)
SIZES = (1, 10, 100, 1000, 4000)
SMALLEST_WITH_TARGET = 100
MOST_ROUNDS = 1000
FUNCTIONS_A_FIGURE = 15_000
"""MLIR's threads spread short runs widely: a few rounds of these show the machine."""

TARGET = 1.05
TARGET_COMMAND = 1.15
TARGET_TIMED_COMMAND = 1.2
SCRIPT = """\
import sys
from mlir.ir import Context, Module
from mlir.passmanager import PassManager
with Context(), open(sys.argv[1]) as file:
    module, manager = Module.parse(file.read()), PassManager.parse(sys.argv[2])
    {observe}; manager.run(module.operation); print(module)
"""


def in_process(
    package: str, num_functions: int, rounds: int
) -> tuple[float, float, float]:
    """Return the ratios to the bindings' manager.

    Of runs alone, with parsing, and of `run`, which keeps the manager of a text, to
    parsing and running by the bindings.
    """
    context = MLIRContext(package)
    registry = mlir_registry(package)
    ir, passmanager = context.bindings.ir, context.bindings.passmanager
    native = context.bindings.new_context()
    text = text_of(num_functions)
    our_module = context.parse(text, "input.mlir")
    their_module = ir.Module.parse(text, native).operation

    def our_manager() -> PassManager:
        return parse_pass_manager(PIPELINE, context, registry)

    def ours(manager: PassManager | None = None) -> float:
        module = context.clone(our_module)
        start_s = time.perf_counter()
        (manager or our_manager()).run(module)
        return time.perf_counter() - start_s

    def theirs(manager: Any = None) -> float:  # noqa: ANN401 - of any bindings
        module = their_module.clone()
        start_s = time.perf_counter()
        (manager or passmanager.PassManager.parse(PIPELINE, native)).run(module)
        return time.perf_counter() - start_s

    def in_one_call() -> float:
        module = context.clone(our_module)
        start_s = time.perf_counter()
        run(PIPELINE, module, context=context, registry=registry)
        return time.perf_counter() - start_s

    our_parsed = our_manager()
    their_parsed = passmanager.PassManager.parse(PIPELINE, native)
    return (
        median_ratio(lambda: ours(our_parsed), lambda: theirs(their_parsed), rounds),
        median_ratio(ours, theirs, rounds),
        median_ratio(in_one_call, theirs, rounds),
    )


def command(*arguments: str | Path) -> Seconds:
    """Return a function that runs the command, without its output."""

    def seconds() -> float:
        start_s = time.perf_counter()
        subprocess.run(
            arguments,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        return time.perf_counter() - start_s

    return seconds


def commands(rounds: int) -> bool:
    """Measure the driver on the largest module; return whether a target is missed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "input.mlir")
        file.write_text(text_of(SIZES[-1]), encoding="utf-8")
        passgen_opt = Path(sys.executable).parent / "passgen-opt"
        ours: list[str | Path] = [passgen_opt, "--ir=mlir", file, "-p", PIPELINE]

        def script(observe: str) -> Seconds:
            text = SCRIPT.format(observe=observe)
            return command(sys.executable, "-c", text, file, PIPELINE)

        plain, timed = script("pass"), script("manager.enable_timing()")
        driver, timed_driver = command(*ours), command(*ours, "--mlir-timing")
        missed = [
            report(
                "passgen-opt --ir=mlir",
                median_ratio(driver, plain, rounds),
                TARGET_COMMAND,
            ),
            report(
                "with --mlir-timing, to a script with enable_timing()",
                median_ratio(timed_driver, timed, rounds),
                TARGET_TIMED_COMMAND,
            ),
        ]
        if mlir_opt := find_tool("mlir-opt"):
            native = command(mlir_opt, file, f"--pass-pipeline={PIPELINE}")
            report(
                "passgen-opt to mlir-opt", median_ratio(driver, native, rounds), None
            )
            report("the script to mlir-opt", median_ratio(plain, native, rounds), None)
    return any(missed)


def main() -> int:
    """Measure, print, and return whether a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--package", default="mlir")
    arguments = parser.parse_args()
    is_missed = False
    for size in SIZES:
        rounds = max(arguments.rounds, min(MOST_ROUNDS, FUNCTIONS_A_FIGURE // size))
        target = TARGET if size >= SMALLEST_WITH_TARGET else None
        alone, parsed, called = in_process(arguments.package, size, rounds)
        is_missed |= report(f"{size} functions", alone, target)
        is_missed |= report(f"{size} functions, with parsing", parsed, target)
        report(f"{size} functions, by run()", called, None)
    if arguments.package == "mlir":
        is_missed |= commands(arguments.rounds)
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
