"""What `PassManager` adds to a pass in Python on MLIR's IR.

    python -m tests.benchmarks.python_passes_on_mlir [--rounds N] [--package mlir]

One pass creates, replaces and erases each operation of a function (20,000 in 200
functions), another one only walks and reads them. Each runs through `PassManager.run`,
and as the same function called on each `func.func` with the bindings alone; nothing is
verified on either side. Both take turns in one process on copies of one module. A figure
is the median ratio of the rounds, in processor time. Prints one line for each figure
and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.operation_pass.operation_pass import OperationPass
from passgen_runtime.pass_manager.pass_manager import PassManager
from passgen_runtime.pass_options.pass_options import PassOptions
from tests.benchmarks.paired import median_ratio, report

SIZES = (10, 100, 200, 1000)
OPERATIONS_A_FUNCTION = 100
SMALLEST_WITH_TARGET = 100
TARGET = 1.05

Native: TypeAlias = Any
"""A module or an object of the bindings."""

Work: TypeAlias = Callable[[Native], None]
"""Is done to each function."""


def rewrite(ir: Native, function: Native) -> None:
    """Replace each addition in `function` by a new one."""
    for view in list(function.regions[0].blocks[0].operations)[:-1]:
        old = view.operation
        new = ir.Operation.create(
            old.name,
            results=[old.results[0].type],
            operands=list(old.operands),
            loc=old.location,
            ip=ir.InsertionPoint(old),
        )
        old.results[0].replace_all_uses_with(new.results[0])
        old.erase()


def walk(ir: Native, function: Native) -> None:
    """Read the name, the operands and the types of each operation in `function`."""
    read = []

    def visit(operation: Native) -> Native:
        read.append((operation.name, list(operation.operands)))
        read.extend(result.type for result in operation.results)
        return ir.WalkResult.ADVANCE

    function.walk(visit)


def text_of(num_functions: int) -> str:
    """Return a module of `num_functions` functions that add."""
    body = "".join(
        f"  %{index} = arith.addi %{index - 1 if index else 'a'}, %a : i32\n"
        for index in range(OPERATIONS_A_FUNCTION)
    )
    return "".join(
        f"func.func @f{index}(%a: i32) -> i32 {{\n{body}"
        f"  return %{OPERATIONS_A_FUNCTION - 1} : i32\n}}\n"
        for index in range(num_functions)
    )


def manager_of(context: MLIRContext, work: Work) -> PassManager:
    """Return a manager with a pass that does `work`."""

    class DoWork(OperationPass[PassOptions]):
        argument = "do-work"
        anchor = "func.func"

        def run_on_operation(self) -> None:
            work(self.operation)

    manager = PassManager(context)
    manager.verify_each = False
    manager.nest("func.func").add_pass(DoWork())
    return manager


def measured(run: Work, context: MLIRContext, module: Native) -> float:
    """Return the processor time that `run` takes on a copy of `module`, in seconds."""
    module = context.clone(module)
    gc.collect()
    start_s = time.process_time()
    run(module)
    return time.process_time() - start_s


def ratio(package: str, work: Work, num_functions: int, rounds: int) -> float:
    """Return the median ratio of a run to a loop over the functions."""
    context = MLIRContext(package)
    module = context.parse(text_of(num_functions), "input.mlir")

    def loop(module: Native) -> None:
        for function in module.regions[0].blocks[0].operations:
            work(function.operation)

    run = manager_of(context, work).run
    return median_ratio(
        lambda: measured(run, context, module),
        lambda: measured(loop, context, module),
        rounds,
    )


def main() -> int:
    """Measure, print, and return whether a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--package", default="mlir")
    given = parser.parse_args()
    ir = MLIRContext(given.package).bindings.ir
    is_missed = False
    for work in (rewrite, walk):
        for size in SIZES:
            figure = ratio(given.package, partial(work, ir), size, given.rounds)
            target = TARGET if size >= SMALLEST_WITH_TARGET else None
            is_missed |= report(f"{work.__name__}, {size} functions", figure, target)
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
