"""What repeated passes cost where nothing changes: three more `canonicalize` after one.

    python -m tests.benchmarks.skipping [--functions N] [--rounds N]

A figure is the median of paired ratios, in the processor time of the thread: of what
three more passes add to the time of the first one. Prints one line for each figure
(name, value, target) and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
from collections.abc import Callable
from functools import partial

from xdsl.dialects.arith import AddiOp
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from passgen_runtime import PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.canonicalize import Canonicalizer
from tests.benchmarks.pass_manager import seconds

TARGET_RATIO = 0.05
NUM_OPERATIONS = 20


def function(name: str) -> FuncOp:
    """Return a function of which `canonicalize` changes nothing."""
    block = Block(arg_types=[i32])
    value: SSAValue = block.args[0]
    for _ in range(NUM_OPERATIONS):
        added = AddiOp(value, value)
        block.add_op(added)
        value = added.result
    block.add_op(ReturnOp(value))
    return FuncOp(name, ((i32,), (i32,)), Region(block))


def manager_of(anchor: str, num_passes: int, *, skips: bool = True) -> PassManager:
    """Return a manager of `num_passes` times `canonicalize`, with the verifier."""
    manager = PassManager(XDSLContext())
    manager.skips_unchanged = skips
    nested = manager if anchor == manager.anchor else manager.nest(anchor)
    for _ in range(num_passes):
        nested.add_pass(Canonicalizer())
    return manager


def added_ratio(
    module: ModuleOp, rounds: int, make: Callable[[int], PassManager]
) -> float:
    """Return what three more passes add to the time of one."""
    one, four = make(1), make(4)
    for manager in (one, four):
        manager.run(module)
    gc.collect()
    ratios = []
    for _ in range(rounds):
        first_s = seconds(lambda: one.run(module), 1)
        ratios.append(seconds(lambda: four.run(module), 1) / first_s - 1)
    return statistics.median(ratios)


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--functions", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    module = ModuleOp([function(f"f{index}") for index in range(given.functions)])
    missed = False
    for anchor in ("builtin.module", "func.func"):
        ratio = added_ratio(module, given.rounds, partial(manager_of, anchor))
        missed |= ratio > TARGET_RATIO
        print(f"three more on {anchor}, to the first: {ratio:.3f} ({TARGET_RATIO})")
        ratio = added_ratio(module, 3, partial(manager_of, anchor, skips=False))
        print(f"the same with --no-skip: {ratio:.2f} (no target)")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
