"""What the pass manager costs, next to a bare loop that calls the same passes.

    python -m tests.benchmarks.pass_manager [--pairs N] [--rounds N]

Both run in turn in one process. A figure is the median ratio of the rounds, in the
processor time of the thread. Prints one line for each figure (name, value, target) and
exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import gc
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
from passgen_runtime.instrumentations.pass_timing import enable_timing
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass import bind_all
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_runtime.pass_manager import Runner
from passgen_runtime.runners import Threads

NUM_PASSES = 10
TARGET_RATIO = 1.5
TARGET_FLATNESS = 1.5
TARGET_IDLE = 1.05
SHORTEST_MEASUREMENT_S = 0.02


class NoOp(OperationPass[PassOptions]):
    """Does nothing, ten at a time."""

    argument = "no-op"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        """Do nothing."""


class XDSLNoOp(ModulePass):
    """Does nothing to a module."""

    name = "no-op"

    def apply(self, ctx: XDSLIRContext, op: ModuleOp) -> None:
        """Visit the functions, as a pass nested in them would."""
        del ctx
        for _ in op.ops:
            pass


class Silent(PassInstrumentation):
    """An instrumentation that overrides no hook."""


def module_of(num_functions: int) -> ModuleOp:
    """Return a module of `num_functions` functions that only return."""
    return ModuleOp(
        [
            FuncOp(f"f{index}", ((), ()), Region(Block([ReturnOp()])))
            for index in range(num_functions)
        ]
    )


def bare_loop(module: ModuleOp, num_passes: int = NUM_PASSES) -> Callable[[], None]:
    """Return what a hand-written driver without any infrastructure does."""
    state = PassManager(XDSLContext()).finalize().state
    passes = [NoOp() for _ in range(num_passes)]
    bind_all(passes, state)

    def run() -> None:
        for operation in module.ops:
            for pass_ in passes:
                state.operation = operation
                pass_.run_on_operation()
        state.operation = None

    return run


def manager_of(
    context: XDSLContext | None = None, num_passes: int = NUM_PASSES
) -> PassManager:
    """Return a pass manager with everything optional off."""
    manager = PassManager(context or XDSLContext())
    manager.verify_each = False
    nested = manager.nest("func.func")
    for _ in range(num_passes):
        nested.add_pass(NoOp())
    return manager


def run_of(manager: PassManager, module: ModuleOp) -> Callable[[], None]:
    """Return one run of `manager`, which has run before."""
    manager.run(module)
    return lambda: manager.run(module)


def seconds(function: Callable[[], None], repetitions: int) -> float:
    """Return the processor time that calls of `function` take in this thread."""
    start = time.thread_time()
    for _ in range(repetitions):
        function()
    return time.thread_time() - start


def median_ratio(
    one: Callable[[], None], other: Callable[[], None], rounds: int
) -> float:
    """Return the median of the paired ratios of `one` to `other`, taken in turn.

    Calls are repeated until they take long enough for the clock.
    """
    seconds(one, 1)
    once = max(seconds(other, 1), 1e-6)
    repetitions = max(1, round(SHORTEST_MEASUREMENT_S / once))
    gc.collect()
    return statistics.median(
        seconds(one, repetitions) / seconds(other, repetitions) for _ in range(rounds)
    )


def ratio_of_best(
    one: Callable[[], None], other: Callable[[], None], rounds: int
) -> float:
    """Return the ratio of the shortest times: for what should be the same code."""
    times = [(seconds(one, 1), seconds(other, 1)) for _ in range(2 * rounds)]
    return min(first for first, _ in times) / min(second for _, second in times)


def ratio_to_bare_loop(
    num_pairs: int, rounds: int, num_passes: int = NUM_PASSES
) -> float:
    """Return the pass manager's time as a multiple of the bare loop's."""
    module = module_of(num_pairs // num_passes)
    manager = manager_of(num_passes=num_passes)
    bare = bare_loop(module, num_passes)
    return median_ratio(run_of(manager, module), bare, rounds)


def ratio_of_first_run(num_pairs: int, rounds: int) -> float:
    """Return the same where each run has a new manager: scheduling is included."""
    module = module_of(num_pairs // NUM_PASSES)
    context = XDSLContext()

    def run() -> None:
        manager_of(context).run(module)

    return median_ratio(run, bare_loop(module), rounds)


def ratio_of_idle_features(num_pairs: int, rounds: int) -> float:
    """Return the time with features that were used and switched off, to never on."""
    module = module_of(num_pairs // NUM_PASSES)
    never, manager = manager_of(), manager_of()
    manager.runner = Threads(max_workers=2)
    manager.verify_each = True
    manager.run(module_of(10))
    manager.runner = Runner()
    manager.verify_each = False
    return ratio_of_best(run_of(manager, module), run_of(never, module), rounds)


def ratio_of_instrumented(
    num_pairs: int, rounds: int, instrument: Callable[[PassManager], object]
) -> float:
    """Return the time with an instrumentation, to none: what it costs while it is on."""
    module = module_of(num_pairs // NUM_PASSES)
    never, manager = manager_of(), manager_of()
    instrument(manager)
    return median_ratio(run_of(manager, module), run_of(never, module), rounds)


def ratio_to_xdsl(num_pairs: int, rounds: int) -> float:
    """Return the pass manager's time as a multiple of xDSL's pipeline of module passes.

    Comparable where xDSL has it: ten passes over a module, each visiting its functions.
    """
    module = module_of(num_pairs // NUM_PASSES)
    manager = manager_of()
    pipeline = PassPipeline(tuple(XDSLNoOp() for _ in range(NUM_PASSES)))
    context = XDSLIRContext()
    return median_ratio(
        run_of(manager, module), lambda: pipeline.apply(context, module), rounds
    )


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    pairs, rounds = given.pairs, given.rounds
    sizes = [10**exponent for exponent in range(3, 7)]
    by_size = [ratio_to_bare_loop(size, rounds) for size in sizes]
    figures: list[tuple[str, float, float | None]] = [
        (
            f"ratio to a bare loop, {pairs} pairs",
            ratio_to_bare_loop(pairs, rounds),
            TARGET_RATIO,
        ),
        *(
            (f"ratio to a bare loop, {size} pairs", value, TARGET_RATIO)
            for size, value in zip(sizes, by_size, strict=True)
        ),
        *(
            (
                f"ratio to a bare loop, 100000 pairs, {num_passes} a function",
                ratio_to_bare_loop(100_000, rounds, num_passes),
                None,
            )
            for num_passes in (1, 2)
        ),
        (
            "largest to smallest of the ratios by size",
            max(by_size) / min(by_size),
            TARGET_FLATNESS,
        ),
        (
            "features used and switched off, to never on",
            ratio_of_idle_features(pairs, rounds),
            TARGET_IDLE,
        ),
        (
            f"ratio to a bare loop, {pairs} pairs, a new manager for each run",
            ratio_of_first_run(pairs, rounds),
            TARGET_RATIO,
        ),
        (
            "ratio to a bare loop, 1000 pairs, a new manager for each run",
            ratio_of_first_run(1000, rounds),
            None,
        ),
        (
            "an instrumentation without hooks, to none",
            ratio_of_instrumented(
                pairs // 10, rounds, lambda m: m.add_instrumentation(Silent())
            ),
            None,
        ),
        (
            "timing, to none",
            ratio_of_instrumented(pairs // 10, rounds, enable_timing),
            None,
        ),
        ("ratio to xDSL's pipeline", ratio_to_xdsl(pairs, rounds), None),
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
