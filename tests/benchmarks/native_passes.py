"""What our pass manager and driver add to a pipeline of MLIR's own passes.

    python tests/benchmarks/native_passes.py [--rounds N] [--package mlir]

Ten native passes run on modules of functions, as wall time, in turn with what is
compared. A figure is the median ratio of the rounds. In one process, `PassManager.run`
of ours is compared with that of the bindings, in a context that these made and nothing
of ours has touched, so with MLIR's threads as they are by default; once with managers
that have run before, once with parsing. As commands, `passgen-opt --ir=mlir` is compared
with six lines over the bindings, and `mlir-opt` is for information. Prints a line a
figure and exits 1 where one misses its target.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from passgen_runtime.ir.mlir import MLIRContext, mlir_registry
from passgen_runtime.pass_manager.pass_manager import PassManager
from passgen_runtime.pass_registry.pipelines.resolution import parse_pass_manager
from tests.llvm_tools import find_tool

PIPELINE = (
    "builtin.module(func.func(cse,canonicalize,sccp,loop-invariant-code-motion,"
    "control-flow-sink),symbol-dce,inline,func.func(cse,canonicalize),sccp)"
)
SIZES = (1, 10, 100, 1000, 4000)
SMALLEST_WITH_TARGET = 100
MOST_RUNS = 1000
TARGET = 1.05
TARGET_COMMAND = 1.15
TARGET_TIMED_COMMAND = 1.2
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
SCRIPT = """\
import sys
from mlir.ir import Context, Module
from mlir.passmanager import PassManager
with Context(), open(sys.argv[1]) as file:
    module, manager = Module.parse(file.read()), PassManager.parse(sys.argv[2])
    {observe}; manager.run(module.operation); print(module)
"""

Seconds: TypeAlias = Callable[[], float]
"""Does something once, and returns the wall time that it took."""


def text_of(num_functions: int) -> str:
    """Return a module of `num_functions` functions."""
    return "".join(FUNCTION.format(index=index) for index in range(num_functions))


def ratio(ours: Seconds, theirs: Seconds, rounds: int) -> float:
    """Return the median ratio of both, which take turns in being first."""
    ratios = []
    for number in range(-1, rounds):
        if number % 2:
            our_s, their_s = ours(), theirs()
        else:
            their_s, our_s = theirs(), ours()
        if number >= 0:  # what runs first fills caches
            ratios.append(our_s / their_s)
    return statistics.median(ratios)


def in_process(package: str, num_functions: int, rounds: int) -> tuple[float, float]:
    """Return the ratios to the bindings' manager: of runs alone, and with parsing."""
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

    our_parsed = our_manager()
    their_parsed = passmanager.PassManager.parse(PIPELINE, native)
    return (
        ratio(lambda: ours(our_parsed), lambda: theirs(their_parsed), rounds),
        ratio(ours, theirs, rounds),
    )


def command(*arguments: str | Path) -> Seconds:
    """Return what runs the command, without what it prints."""

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


def report(name: str, figure: float, target: float | None) -> bool:
    """Print a figure and return whether it misses its target."""
    print(f"{name}: {figure:.3f} (target {target})", flush=True)
    return target is not None and figure > target


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
                "passgen-opt --ir=mlir", ratio(driver, plain, rounds), TARGET_COMMAND
            ),
            report(
                "with --mlir-timing, to a script with enable_timing()",
                ratio(timed_driver, timed, rounds),
                TARGET_TIMED_COMMAND,
            ),
        ]
        if mlir_opt := find_tool("mlir-opt"):
            native = command(mlir_opt, file, f"--pass-pipeline={PIPELINE}")
            report("passgen-opt to mlir-opt", ratio(driver, native, rounds), None)
            report("the script to mlir-opt", ratio(plain, native, rounds), None)
    return any(missed)


def main() -> int:
    """Measure, print, and return whether a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--package", default="mlir")
    arguments = parser.parse_args()
    is_missed = False
    for size in SIZES:
        rounds = max(arguments.rounds, MOST_RUNS // size)
        target = TARGET if size >= SMALLEST_WITH_TARGET else None
        alone, parsed = in_process(arguments.package, size, rounds)
        is_missed |= report(f"{size} functions", alone, target)
        is_missed |= report(f"{size} functions, with parsing", parsed, target)
    if arguments.package == "mlir":
        is_missed |= commands(arguments.rounds)
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
