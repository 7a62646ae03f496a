"""What the pass manager costs, next to a bare loop that calls the same passes.

    python tests/benchmarks/pass_manager.py [--pairs N] [--rounds N]

Measured side by side in one process, in turn, as the median ratio of the rounds. Prints
a line a figure (name, value, target) and exits 1 when one misses its target.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

from xdsl.context import Context as XDSLIRContext
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass, PassPipeline

from passgen_runtime import OperationPass, PassManager, PassOptions
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_instrumentation import PassInstrumentation

NUM_PASSES = 10
TARGET_RATIO = 1.5
TARGET_FLATNESS = 1.25
TARGET_IDLE_FEATURES = 1.05


class NoOp(OperationPass[PassOptions]):
    """Does nothing, ten at a time."""

    argument = "no-op"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        """Do nothing."""


class XDSLNoOp(ModulePass):
    """Does nothing to a module."""

    name = "no-op"

    def apply(self, ctx: XDSLIRContext, op: ModuleOp) -> None:  # noqa: ARG002 - as xDSL calls it
        """Visit the functions, as a pass nested in them would."""
        for _ in op.ops:
            pass


def module_of(num_functions: int) -> ModuleOp:
    """Return a module of `num_functions` functions that only return."""
    return ModuleOp(
        [
            FuncOp(f"f{index}", ((), ()), Region(Block([ReturnOp()])))
            for index in range(num_functions)
        ]
    )


def bare_loop(module: ModuleOp, passes: list[NoOp]) -> Callable[[], None]:
    """Return what a hand-written driver without any infrastructure does."""

    def run() -> None:
        state = passes[0].state
        for operation in module.ops:
            for pass_ in passes:
                state.operation = operation
                pass_.run_on_operation()
        state.operation = None

    return run


def managed(module: ModuleOp) -> tuple[Callable[[], None], list[NoOp]]:
    """Return a run of the pass manager with everything optional off, and its passes."""
    manager = PassManager(XDSLContext())
    manager.verify_each = False
    nested = manager.nest("func.func")
    passes = [NoOp() for _ in range(NUM_PASSES)]
    for pass_ in passes:
        nested.add_pass(pass_)
    manager.run(module)
    return lambda: manager.run(module), passes


def seconds(function: Callable[[], None]) -> float:
    """Return how long one call of `function` takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def median_ratio(
    one: Callable[[], None], other: Callable[[], None], rounds: int
) -> float:
    """Return the median of the paired ratios of `one` to `other`, taken in turn."""
    seconds(one)
    seconds(other)
    return statistics.median(seconds(one) / seconds(other) for _ in range(rounds))


def ratio_to_bare_loop(num_pairs: int, rounds: int) -> float:
    """Return the pass manager's time as a multiple of the bare loop's."""
    module = module_of(num_pairs // NUM_PASSES)
    run, passes = managed(module)
    return median_ratio(run, bare_loop(module, passes), rounds)


def ratio_of_idle_features(num_pairs: int, rounds: int) -> float:
    """Return the time with unused features switched on and off again, to never on."""
    module = module_of(num_pairs // NUM_PASSES)
    run, _ = managed(module)
    manager = PassManager(XDSLContext())
    manager.enable_multithreading()
    manager.disable_multithreading()
    manager.verify_each = False
    nested = manager.nest("func.func")
    for _ in range(NUM_PASSES):
        nested.add_pass(NoOp())
    return median_ratio(lambda: manager.run(module), run, rounds)


def ratio_to_xdsl(num_pairs: int, rounds: int) -> float:
    """Return the pass manager's time as a multiple of xDSL's pipeline of module passes.

    Comparable where xDSL has it: ten passes over a module, each visiting its functions.
    """
    module = module_of(num_pairs // NUM_PASSES)
    run, _ = managed(module)
    pipeline = PassPipeline(tuple(XDSLNoOp() for _ in range(NUM_PASSES)))
    context = XDSLIRContext()
    return median_ratio(run, lambda: pipeline.apply(context, module), rounds)


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    assert issubclass(PassInstrumentation, object)
    ratio = ratio_to_bare_loop(given.pairs, given.rounds)
    sizes = [10**exponent for exponent in range(3, 7)]
    by_size = [ratio_to_bare_loop(size, given.rounds) for size in sizes]
    figures = [
        (f"ratio to a bare loop, {given.pairs} pairs", ratio, TARGET_RATIO),
        *(
            (f"ratio to a bare loop, {size} pairs", value, TARGET_RATIO)
            for size, value in zip(sizes, by_size, strict=True)
        ),
        (
            "largest to smallest of these ratios from 10^4",
            max(by_size[1:]) / min(by_size[1:]),
            TARGET_FLATNESS,
        ),
        (
            "features off to features never on",
            ratio_of_idle_features(given.pairs, given.rounds),
            TARGET_IDLE_FEATURES,
        ),
        ("ratio to xDSL's pipeline", ratio_to_xdsl(given.pairs, given.rounds), None),
    ]
    missed = False
    for name, value, target in figures:
        if target is None:
            print(f"{name}: {value:.2f} (no target)")
        else:
            missed |= value > target
            print(f"{name}: {value:.2f} (target {target})")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
