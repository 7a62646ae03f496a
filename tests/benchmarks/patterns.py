"""What patterns in a spec cost, beside Python callbacks and beside the bindings alone.

    python -m tests.benchmarks.patterns [--rounds N]

`mulToAdd` of the group Arith is applied to 200 functions of 50 multiplications (20
functions on xDSL's IR, where it is one of three patterns), as a pass, and by a function
that does the same without one.
Both take turns in one process on copies of one module; nothing is verified. A figure is
the median ratio of the rounds, in processor time. Prints one line for each figure and
exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from mlir import rewrite as mlir_rewrite
from xdsl.dialects import arith as xdsl_arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from passgen_runtime import OperationPass, PassOptions
from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.passes.generated.arith_passes import (
    ArithStrengthReductionPassBase,
)
from passgen_runtime.patterns import (
    DriverName,
    PatternDriver,
    Patterns,
    library_of,
    pdl_text,
    read_pattern,
)
from passgen_runtime.patterns import RewritePattern as DeclaredPattern
from tests.benchmarks.paired import median_ratio, report

rewrite: Any = mlir_rewrite  # the bindings may lack stubs

OPERATIONS_A_FUNCTION = 50
NUM_FUNCTIONS = 200
NUM_XDSL_FUNCTIONS = 20

PATTERN = ArithStrengthReductionPassBase.patterns[0]

IR: TypeAlias = Any
"""A module of an IR library."""

XDSL_TARGETS: Final[dict[DriverName, float]] = {"walk": 1.15, "greedy": 1.1}

Work: TypeAlias = Callable[[IR], object]


class WalkOnce(ArithStrengthReductionPassBase):
    """The first pattern alone, by the driver `walk`."""

    anchor = "builtin.module"
    patterns = (PATTERN,)  # type: ignore[assignment] # mypy counts the patterns


class Greedy(WalkOnce):
    """The first pattern alone, by the driver `greedy`."""

    pattern_driver = PatternDriver("greedy")


DOUBLING = "%{0} = arith.muli %{1}, %two : i32"


def text_of(num_functions: int, line: str = DOUBLING) -> str:
    """Return functions that change a value again and again, as `line` does."""
    body = "".join(
        f"  {line.format(index, index - 1 if index else 'x')}\n"
        for index in range(OPERATIONS_A_FUNCTION)
    )
    return "".join(
        f"func.func @f{index}(%x: i32) -> i32 {{\n"
        f"  %two = arith.constant 2 : i32\n{body}"
        f"  func.return %{OPERATIONS_A_FUNCTION - 1} : i32\n}}\n"
        for index in range(num_functions)
    )


def run_of(
    context: Context,
    driver: DriverName,
    pass_: Patterns | None = None,
    *,
    counts: bool = False,
) -> Work:
    """Return the run of a pass; it counts applications if asked."""
    manager = PassManager(context)
    manager.verify_each = False
    manager.add_pass(pass_ or (WalkOnce() if driver == "walk" else Greedy()))
    if counts:
        manager.counts_optional = True
    return manager.run


class MLIRAlone:
    """The bindings without passes."""

    def __init__(self, context: MLIRContext) -> None:
        """Freeze the pattern, in PDL and as a callback."""
        bindings = context.bindings
        self._mlir = context.mlir
        ir = bindings.ir
        self._ir = ir
        library = library_of(context)
        assert library is not None
        (graph,) = read_pattern(library, PATTERN)
        with context.mlir, ir.Location.unknown():
            self._module = ir.Module.parse(pdl_text(graph))
            self._pdl = rewrite.PDLModule(self._module)
            self._of_pdl = self._pdl.freeze()
            callbacks: IR = rewrite.RewritePatternSet()
            callbacks.add("arith.muli", self._call_back)
            self._of_callbacks = callbacks.freeze()

    def _call_back(self, operation: IR, rewriter: IR) -> bool:
        value, factor = operation.operands
        constant = factor.owner
        if getattr(constant, "name", "") != "arith.constant":
            return True
        if constant.attributes["value"].value != 2:
            return True
        with rewriter.ip:
            new = self._ir.Operation.create(
                "arith.addi", results=[value.type], operands=[value, value]
            )
        rewriter.replace_op(operation, new)
        return False

    def apply(self, driver: DriverName, *, as_callback: bool) -> Work:
        """Return what applies the pattern in one of its forms."""
        patterns = self._of_callbacks if as_callback else self._of_pdl
        if driver == "walk":
            walk = rewrite.walk_and_apply_patterns
        else:
            walk = rewrite.apply_patterns_and_fold_greedily

        def work(module: IR) -> None:
            with self._mlir, self._ir.Location.unknown():
                walk(module, patterns)

        return work


class MulToAdd(RewritePattern):
    """The first pattern in Python, for xDSL."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: xdsl_arith.MuliOp, rewriter: PatternRewriter, /
    ) -> None:
        """Replace a multiplication by two."""
        constant = op.rhs.owner
        if (
            isinstance(constant, xdsl_arith.ConstantOp)
            and isinstance(constant.value, IntegerAttr)
            and constant.value.value.data == 2
        ):
            rewriter.replace(op, xdsl_arith.AddiOp(op.lhs, op.lhs))


class SameToZero(RewritePattern):
    """The second pattern in Python."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: xdsl_arith.OrIOp, rewriter: PatternRewriter, /
    ) -> None:
        """Replace the bits of a value and itself."""
        if op.lhs is op.rhs:
            rewriter.replace(op, xdsl_arith.MinSIOp(op.lhs, op.lhs))


class SumWithoutItsTerm(RewritePattern):
    """The third pattern in Python."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: xdsl_arith.SubiOp, rewriter: PatternRewriter, /
    ) -> None:
        """Replace a sum minus a term."""
        total = op.lhs.owner
        if isinstance(total, xdsl_arith.AddiOp) and total.rhs is op.rhs:
            rewriter.replace(op, xdsl_arith.MaxSIOp(total.lhs, total.lhs))


class XDSLCase(NamedTuple):
    """A pattern on xDSL's IR: in a spec, in Python, and an operation that it matches."""

    name: str
    declared: DeclaredPattern
    by_hand: type[RewritePattern]
    line: str
    """Defines `%{0}` by `%{1}`, the value before it."""


XDSL_CASES = (
    XDSLCase("a constant", PATTERN, MulToAdd, "%{0} = arith.muli %{1}, %two : i32"),
    XDSLCase(
        "equal operands",
        DeclaredPattern(
            name="same",
            before="%0 = arith.ori %x, %x : i32",
            after="%0 = arith.minsi %x, %x : i32",
        ),
        SameToZero,
        "%{0} = arith.ori %{1}, %{1} : i32",
    ),
    XDSLCase(
        "two operations",
        DeclaredPattern(
            name="twoDeep",
            before="%0 = arith.addi %x, %y : i32\n%1 = arith.subi %0, %y : i32",
            after="%1 = arith.maxsi %x, %x : i32",
        ),
        SumWithoutItsTerm,
        "%s{0} = arith.addi %{1}, %two : i32\n  %{0} = arith.subi %s{0}, %two : i32",
    ),
)


def pass_of(case: XDSLCase, driver: DriverName) -> type[Patterns]:
    """Return a pass with the pattern of a case."""

    class Pass(Patterns, OperationPass[PassOptions]):
        argument = "one-pattern"
        anchor = "builtin.module"
        patterns = (case.declared,)
        pattern_driver = PatternDriver(driver)

    return Pass


def xdsl_alone(
    context: XDSLContext, driver: DriverName, by_hand: type[RewritePattern]
) -> Work:
    """Return xDSL's own driver with a pattern in Python."""
    is_greedy = driver == "greedy"
    applier = GreedyRewritePatternApplier(
        [by_hand()], context.xdsl, folding_enabled=is_greedy, dce_enabled=is_greedy
    )
    walker = PatternRewriteWalker(
        applier, walk_regions_first=True, apply_recursively=is_greedy
    )
    return walker.rewrite_module


def ratio(
    context: Context, run: Work, baseline: Work, rounds: int, line: str = DOUBLING
) -> float:
    """Return the median ratio of `run` to `baseline` on copies of a module."""
    is_mlir = isinstance(context, MLIRContext)
    num_functions = NUM_FUNCTIONS if is_mlir else NUM_XDSL_FUNCTIONS
    module = context.parse(text_of(num_functions, line), "input.mlir")

    def seconds(work: Work) -> Callable[[], float]:
        def measure() -> float:
            copy = context.clone(module)
            gc.collect()
            start_s = time.process_time()
            work(copy)
            return time.process_time() - start_s

        return measure

    return median_ratio(seconds(run), seconds(baseline), rounds)


def main() -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    mlir, xdsl = MLIRContext(), XDSLContext()
    alone = MLIRAlone(mlir)
    misses = False
    drivers: tuple[tuple[DriverName, float], ...] = (("walk", 0.2), ("greedy", 0.4))
    for driver, target in drivers:
        run = run_of(mlir, driver)
        callback = alone.apply(driver, as_callback=True)
        same = alone.apply(driver, as_callback=False)
        figure = ratio(mlir, run, callback, rounds)
        misses |= report(f"{driver}, of a Python callback", figure, target)
        figure = ratio(mlir, run, same, rounds)
        misses |= report(f"{driver}, of the bindings alone", figure, 1.3)
        counted = run_of(mlir, driver, counts=True)
        figure = ratio(mlir, counted, run, rounds)
        misses |= report(f"{driver}, counted", figure, 1.8)
    for driver, target in XDSL_TARGETS.items():
        for case in XDSL_CASES:
            run = run_of(xdsl, driver, pass_of(case, driver)())
            by_hand = xdsl_alone(xdsl, driver, case.by_hand)
            figure = ratio(xdsl, run, by_hand, rounds, case.line)
            subject = f"{driver} on xDSL's IR, of a Python pattern: {case.name}"
            misses |= report(subject, figure, target)
    return int(misses)


if __name__ == "__main__":
    sys.exit(main())
