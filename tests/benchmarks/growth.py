"""How the time of passes grows with the IR, beside xDSL's `cse` where it has the pass.

    python -m tests.benchmarks.growth [--operations N] [--depth N] [--rounds N]

Times are minima of rounds in turn, in processor time, without parsing and printing. An
exponent is the power of the size with which the time grows between the two largest
sizes: 1 is linear. Prints one line for each figure and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator

from xdsl.context import Context
from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.dialects.test import TestOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.transforms.common_subexpression_elimination import (
    CommonSubexpressionElimination as XDSLElimination,
)

from passgen_runtime.passes.analysis import DominanceInfo
from passgen_runtime.passes.canonicalize import GreedyRewriteConfig, GreedyRewriteDriver
from passgen_runtime.passes.cse import CommonSubexpressionElimination
from passgen_runtime.passes.loop_invariant_code_motion import hoist_loop_invariant_code
from tests.benchmarks.paired import report

STACK_BYTES = 1 << 29
CSE_TARGETS = {"chain": 1.5, "users of one value": 1.9}
MAX_EXPONENT = math.log(7, 4)
"""A nest that is four times as deep takes at most seven times as long."""

Pass = Callable[[ModuleOp], object]


def function_of(block: Block) -> ModuleOp:
    """Return a module with a function that has `block`."""
    block.add_op(ReturnOp())
    return ModuleOp([FuncOp("f", (block.arg_types, ()), Region(block))])


def chain(size: int) -> ModuleOp:
    """Return sums, each of which uses the one before."""
    block = Block(arg_types=[i32])
    value: SSAValue = block.args[0]
    for _ in range(size):
        added = AddiOp(value, block.args[0])
        block.add_op(added)
        value = added.result
    block.add_op(TestOp(operands=[value]))
    return function_of(block)


def users(size: int) -> ModuleOp:
    """Return different sums of one value and a constant."""
    block = Block(arg_types=[i32])
    sums = []
    for number in range(size // 2):
        constant = ConstantOp.from_int_and_width(number, 32)
        sums.append(AddiOp(block.args[0], constant.result))
        block.add_ops((constant, sums[-1]))
    block.add_op(TestOp(operands=[added.result for added in sums]))
    return function_of(block)


def nest(depth: int) -> ModuleOp:
    """Return nested loops around an operation whose effects are not known."""
    outer = Block(arg_types=[i32])
    bound = ConstantOp.from_int_and_width(1, 32)
    outer.add_op(bound)
    inner: Operation = TestOp(operands=[outer.args[0]])
    for _ in range(depth):
        body = Block([inner, YieldOp()], arg_types=[i32])
        inner = ForOp(bound, bound, bound, [], body)
    outer.add_op(inner)
    return function_of(outer)


def our_cse(module: ModuleOp) -> None:
    """Run the pass `cse`."""
    CommonSubexpressionElimination(DominanceInfo(module)).run(module)


def xdsl_cse(module: ModuleOp) -> None:
    """Run xDSL's pass `cse`."""
    XDSLElimination().apply(Context(), module)


def canonicalize(module: ModuleOp) -> None:
    """Run the pass `canonicalize`."""
    GreedyRewriteDriver(module, Context(), GreedyRewriteConfig()).run()


def seconds(run: Pass, module: ModuleOp) -> float:
    """Return the processor time of a pass."""
    gc.collect()
    start = time.process_time()
    run(module)
    return time.process_time() - start


def minima(
    make: Callable[[int], ModuleOp], size: int, passes: list[Pass], rounds: int
) -> list[float]:
    """Return the least time of each pass, which run in turn."""
    times = [[seconds(run, make(size)) for run in passes] for _ in range(rounds)]
    return [min(of_pass) for of_pass in zip(*times, strict=True)]


def sizes_to(largest: int) -> Iterator[int]:
    """Yield the powers of ten from 1,000 to `largest`."""
    size = 1_000
    while size <= largest:
        yield size
        size *= 10


def exponent(sizes: list[int], times: list[float]) -> float:
    """Return the power with which the time grew in the last step."""
    return math.log(times[-1] / times[-2]) / math.log(sizes[-1] / sizes[-2])


def measure(largest: int, depth: int, rounds: int) -> bool:
    """Print all figures; return whether one misses its target."""
    missed = False
    for name, make in (("chain", chain), ("users of one value", users)):
        sizes, ours, theirs = list(sizes_to(largest)), [], []
        for size in sizes:
            our_s, their_s = minima(make, size, [our_cse, xdsl_cse], rounds)
            ours.append(our_s)
            theirs.append(their_s)
            title = f"cse, {name}, {size:,} operations"
            report(f"{title}, seconds", our_s, None)
            missed |= report(f"{title}, to xDSL's", our_s / their_s, CSE_TARGETS[name])
        report(f"cse, {name}, exponent", exponent(sizes, ours), None)
        report(f"cse, {name}, exponent of xDSL's", exponent(sizes, theirs), None)
    passes: dict[str, Pass] = {
        "canonicalize": canonicalize,
        "loop-invariant-code-motion": hoist_loop_invariant_code,
    }
    for name, run in passes.items():
        sizes, times = [depth // 4, depth], []
        for size in sizes:
            times += minima(nest, size, [run], rounds)
            report(f"{name}, {size:,} nested loops, seconds", times[-1], None)
        missed |= report(f"{name}, exponent", exponent(sizes, times), MAX_EXPONENT)
    return missed


def main() -> int:
    """Measure, print and judge, on a stack for deep nests."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--depth", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    missed: list[bool] = []
    sys.setrecursionlimit(100 * given.depth + 10_000)
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(
        target=lambda: missed.append(
            measure(given.operations, given.depth, given.rounds)
        )
    )
    thread.start()
    thread.join()
    return int(missed != [False])


if __name__ == "__main__":
    raise SystemExit(main())
