"""Unroll affine loops.

Before::

    affine.for %i = 0 to 10 {
      affine.store %v, %m[%i] : memref<10xi32>
    }

After `affine-loop-unroll{unroll-factor=4}`, with a second loop for the remainder::

    affine.for %i = 0 to 8 step 4 {
      affine.store %v, %m[%i] : memref<10xi32>
      %1 = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
      affine.store %v, %m[%1] : memref<10xi32>
      ... and for %i + 2, %i + 3
    }
    affine.for %i = 8 to 10 {
      affine.store %v, %m[%i] : memref<10xi32>
    }

Source: `lib/Dialect/Affine/Transforms/LoopUnroll.cpp` and `LoopUtils.cpp` of MLIR. Only
innermost loops are unrolled. With a factor of -1, loops with a known trip count are
replaced by all their iterations; `unroll-full-threshold`, which counts only then,
chooses loops by trip count instead, outer ones too.

Differences from MLIR's pass: a threshold of 1, the default, is the same as none, while
MLIR's distinguishes the default from a given 1; if the trip count of a symbolic loop
may be negative, the remainder loop gets a second lower bound, without which MLIR's runs
iterations that the original loop did not have; `unroll-up-to-factor` leaves a loop
alone that does not run, while MLIR's crashes.
"""

from __future__ import annotations

from typing import Protocol

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from passgen_runtime import PassError
from passgen_runtime.context import Context
from passgen_runtime.passes.affine.loops import (
    affine_loops,
    body_operations,
    constant_trip_count,
    induction_variable,
    is_innermost,
    promote_if_single_iteration,
    set_inits,
    set_lower_bound,
    set_step,
    set_upper_bound,
    step_of,
    trip_count,
    yielded_values,
)
from passgen_runtime.passes.generated.affine_passes import (
    AffineLoopUnrollOptions,
    AffineLoopUnrollPassBase,
)

UNROLL_FULLY = -1


def unroll_by_factor(
    loop: affine.ForOp, factor: int, *, unroll_remainder: bool = False
) -> bool:
    """Let each iteration of `loop` do the work of `factor` iterations.

    Args:
        loop: any affine loop; loops inside of it are copied.
        factor: at least 1.
        unroll_remainder: unroll the loop fully, if that is possible, rather than make a
            second loop for the remainder.

    Returns:
        Whether `loop` was unrolled, or there was nothing to unroll.
    """
    count = trip_count(loop)
    known = None if count is None else count.constant
    if factor == 1:
        if known == 1:
            promote_if_single_iteration(loop)
        return True
    if not body_operations(loop):
        return True
    if known is not None and known < factor:
        return unroll_remainder and unroll_fully(loop)
    if count is None:
        return False
    if not count.is_multiple_of(factor):
        if unroll_remainder or len(count.counts) != 1:
            return unroll_remainder and unroll_fully(loop)
        _split_off_remainder(loop, factor)
    _repeat_body(loop, factor)
    promote_if_single_iteration(loop)
    return True


def unroll_up_to_factor(loop: affine.ForOp, factor: int) -> bool:
    """Unroll `loop` by `factor`, or by its trip count if that is known to be less."""
    known = constant_trip_count(loop)
    if known is not None and known < factor:
        return known > 0 and unroll_by_factor(loop, known)
    return unroll_by_factor(loop, factor)


def unroll_fully(loop: affine.ForOp) -> bool:
    """Replace `loop` by its iterations; return whether their number is known.

    A loop that is known not to run is left for `canonicalize`.
    """
    known = constant_trip_count(loop)
    if known is None:
        return False
    if known == 0:
        return True
    if known == 1:
        return promote_if_single_iteration(loop)
    return unroll_by_factor(loop, known)


def _repeat_body(loop: affine.ForOp, factor: int) -> None:
    """Repeat the body of `loop` `factor` times, and multiply its step by `factor`."""
    step = step_of(loop)
    body = loop.body.block
    originals = body_operations(loop)
    results = yielded_values(loop)
    variable = induction_variable(loop)
    is_variable_used = variable.first_use is not None
    terminator = body.last_op
    assert terminator is not None
    carried = results
    for copy in range(1, factor):
        values: dict[SSAValue, SSAValue] = dict(
            zip(body.args[1:], carried, strict=True)
        )
        if is_variable_used:
            apply = affine.ApplyOp([variable], _plus(copy * step))
            apply.location = loop.location
            body.insert_op_before(apply, terminator)
            values[variable] = apply.result
        for op in originals:
            body.insert_op_before(op.clone(values), terminator)
        carried = tuple(values.get(result, result) for result in results)
    terminator.operands = carried
    set_step(loop, step * factor)


def _plus(offset: int) -> AffineMapAttr:
    return AffineMapAttr(AffineMap(1, 0, (AffineExpr.dimension(0) + offset,)))


def _split_off_remainder(loop: affine.ForOp, factor: int) -> None:
    """Shorten `loop` to a multiple of `factor`; a copy after it does the remainder."""
    count = trip_count(loop)
    assert count is not None
    (trips,) = count.counts
    operands = count.operands
    covered = operands.simplify(trips // factor) * factor
    split = operands.simplify(count.lower_bound + covered * step_of(loop))
    bound, bound_operands = operands.map([split])
    start, start_operands = bound, bound_operands
    if not isinstance(trips, AffineConstantExpr):
        # With a negative trip count, the split lies before the lower bound.
        start, start_operands = operands.map([count.lower_bound, split])

    remainder = loop.clone()
    Rewriter.insert_op(remainder, InsertPoint.after(loop))
    for old, new in zip(loop.results, remainder.results, strict=True):
        old.replace_all_uses_with(new)
    set_lower_bound(remainder, start, start_operands)
    set_inits(remainder, loop.results)
    set_upper_bound(loop, bound, bound_operands)
    promote_if_single_iteration(remainder)


class ReportLoop(Protocol):
    """A function that learns what became of a loop."""

    def __call__(self, loop: affine.ForOp, count: int | None, /, *, done: bool) -> None:
        """Learn of a loop with a body, its trip count, and whether it was unrolled."""


def unroll_loops(
    root: Operation, options: AffineLoopUnrollOptions, report: ReportLoop | None = None
) -> bool:
    """Unroll loops in `root`; return whether any of them may have changed."""
    if options.unroll_factor == UNROLL_FULLY and options.unroll_full_threshold > 1:
        short = [
            loop
            for loop in affine_loops(root)
            if (count := constant_trip_count(loop)) is not None
            and 0 < count <= options.unroll_full_threshold
        ]
        # Inner loops come first, before copies of them are made.
        for loop in short:
            _unroll(loop, options, report)
        return bool(short)
    changed = False
    for _ in range(options.num_repetitions):
        loops = [loop for loop in affine_loops(root) if is_innermost(loop)]
        num_unrolled = sum(_unroll(loop, options, report) for loop in loops)
        if not num_unrolled:
            break
        changed = True
    return changed


def _unroll(
    loop: affine.ForOp, options: AffineLoopUnrollOptions, report: ReportLoop | None
) -> bool:
    if report is None or not body_operations(loop):
        return _unroll_as_wanted(loop, options)
    count = constant_trip_count(loop)
    is_unrolled = _unroll_as_wanted(loop, options)
    report(loop, count, done=is_unrolled)
    return is_unrolled


def _unroll_as_wanted(loop: affine.ForOp, options: AffineLoopUnrollOptions) -> bool:
    factor = options.unroll_factor
    if factor == UNROLL_FULLY:
        return unroll_fully(loop)
    if options.unroll_up_to_factor:
        return unroll_up_to_factor(loop, factor)
    return unroll_by_factor(loop, factor, unroll_remainder=options.clean_up_unroll)


class AffineLoopUnroll(AffineLoopUnrollPassBase):
    """The pass `affine-loop-unroll`."""

    def initialize(self, context: Context) -> None:
        """Check the factor.

        Raises:
            PassError: it is neither positive nor -1.
        """
        super().initialize(context)
        if self.options.unroll_factor < 1 and self.options.unroll_factor != -1:
            raise PassError(
                "Invalid option: 'unroll-factor' should be greater than 0 or "
                "equal to -1"
            )

    def run_on_operation(self) -> None:
        """Unroll loops in the function; one without a body has none."""
        report = self._report if self.remarks.is_heard else None
        if not unroll_loops(self.operation, self.options, report):
            self.mark_unchanged()

    def _report(self, loop: affine.ForOp, count: int | None, /, *, done: bool) -> None:
        factor = self.options.unroll_factor
        if done and loop.parent is None and count is not None:
            self.remark_unrolled_fully(loop, count=count)
        elif done and factor > 1:
            self.remark_unrolled(loop, factor=factor)
        elif not done and count is not None:
            self.remark_few_iterations(loop, count=count, factor=factor)
        elif not done and factor == UNROLL_FULLY:
            self.remark_iterations_unknown(loop)
        elif not done:
            self.remark_remainder_stays(loop)
