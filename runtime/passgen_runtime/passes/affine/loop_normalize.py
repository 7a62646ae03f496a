"""Normalize affine loops to the lower bound 0 and the step 1.

Before::

    affine.for %i = 3 to 12 step 2 {
      affine.store %v, %m[%i] : memref<12xi32>
    }

After::

    affine.for %i = 0 to 5 {
      %0 = affine.apply affine_map<(d0) -> (d0 * 2 + 3)> (%i)
      affine.store %v, %m[%0] : memref<12xi32>
    }

Source: `normalizeAffineFor` and `normalizeAffineParallel` in
`lib/Dialect/Affine/Utils/Utils.cpp` of MLIR. An `affine.for` with several lower bounds
is left alone, an `affine.parallel` with a minimum or maximum in any bound. An
`affine.for` that runs exactly once is replaced by its body.

Differences from MLIR's pass: `promote-single-iter` is on by default, as documented,
while MLIR's pass starts with it off; an unused index of `affine.parallel` is not
computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from passgen_runtime.passes.affine.loops import (
    AffineOperands,
    induction_variable,
    promote_if_single_iteration,
    set_lower_bound,
    set_step,
    set_upper_bound,
    step_of,
    trip_count,
)
from passgen_runtime.passes.generated.affine_passes import AffineLoopNormalizePassBase

_ZERO = AffineMap.constant_map(0)


def normalize_loop(loop: affine.ForOp) -> bool:
    """Give `loop` the lower bound 0 and the step 1; return whether anything changed."""
    if loop.lowerBoundMap.data == _ZERO and step_of(loop) == 1:
        return False
    count = trip_count(loop)
    if count is None:
        return False
    operands = count.operands
    upper, upper_operands = operands.map(count.counts)

    _compute_index(
        induction_variable(loop),
        loop.lowerBoundMap.data,
        loop.lowerBoundOperands,
        step_of(loop),
    )
    set_upper_bound(loop, upper, upper_operands)
    set_lower_bound(loop, AffineMapAttr(_ZERO), ())
    set_step(loop, 1)
    return True


def loops_to_normalize(root: Operation) -> Iterator[str]:
    """Yield the faults in the form `normalizedLoops` of `specs/affine.yaml`."""
    for loop in root.walk():
        if isinstance(loop, affine.ForOp) and len(loop.lowerBoundMap.data.results) == 1:
            lower, step = loop.lowerBoundMap.data, step_of(loop)
            if lower != _ZERO or step != 1:
                yield f"a loop from {lower.results[0]} with step {step}"


def normalize_parallel(loop: affine.ParallelOp) -> bool:
    """Let all indices of `loop` start at 0 with step 1; return whether any changed."""
    lower, upper = loop.lowerBoundsMap.data, loop.upperBoundsMap.data
    steps = [step.value.data for step in loop.steps]
    zeros = AffineMap(0, 0, (AffineExpr.constant(0),) * len(steps))
    if lower.results == zeros.results and all(step == 1 for step in steps):
        return False
    if any(step < 1 for step in steps):
        return False
    groups = (loop.lowerBoundsGroups, loop.upperBoundsGroups)
    if any(size != 1 for group in groups for size in group.get_values()):
        return False
    num_lower = lower.num_dims + lower.num_symbols
    lower_operands = loop.operands[:num_lower]
    upper_operands = loop.operands[num_lower:]

    operands = AffineOperands()
    operands.declare_symbols(lower, lower_operands)
    operands.declare_symbols(upper, upper_operands)
    counts = [
        operands.count(*bounds)
        for bounds in zip(
            operands.results_of(lower, lower_operands),
            operands.results_of(upper, upper_operands),
            steps,
            strict=True,
        )
    ]
    # The first variable's index is to be computed first.
    for position in reversed(range(len(steps))):
        _compute_index(
            loop.body.block.args[position],
            AffineMap(lower.num_dims, lower.num_symbols, (lower.results[position],)),
            lower_operands,
            steps[position],
        )
    counts_map, loop.operands = operands.map(counts)
    loop.properties["lowerBoundsMap"] = AffineMapAttr(zeros)
    loop.properties["upperBoundsMap"] = counts_map
    loop.properties["steps"] = ArrayAttr(
        IntegerAttr(1, step.type) for step in loop.steps
    )
    return True


def _compute_index(
    variable: BlockArgument, lower: AffineMap, operands: Sequence[SSAValue], step: int
) -> None:
    """Compute the former index from `variable`, which is to count iterations."""
    uses = list(variable.uses)
    if not uses:
        return
    count = AffineExpr.dimension(lower.num_dims)
    index = AffineMap(
        lower.num_dims + 1, lower.num_symbols, (lower.results[0] + count * step,)
    )
    dims, symbols = operands[: lower.num_dims], operands[lower.num_dims :]
    apply = affine.ApplyOp((*dims, variable, *symbols), AffineMapAttr(index))
    body = variable.block
    loop = body.parent_op()
    assert loop is not None
    apply.location = loop.location
    Rewriter.insert_op(apply, InsertPoint.at_start(body))
    for use in uses:
        use.operation.operands[use.index] = apply.result


def normalize_loops(root: Operation, *, promote_single_iteration: bool) -> bool:
    """Normalize all affine loops in `root`; return whether anything changed."""
    changed = False
    for op in list(root.walk(region_first=True)):
        match op:
            case affine.ParallelOp():
                changed |= normalize_parallel(op)
            case affine.ForOp():
                promoted = promote_single_iteration and promote_if_single_iteration(op)
                changed |= promoted or normalize_loop(op)
            case _:
                pass
    return changed


class AffineLoopNormalize(AffineLoopNormalizePassBase):
    """The pass `affine-loop-normalize`."""

    def run_on_operation(self) -> None:
        """Normalize the loops of the function; one without a body has none."""
        changed = normalize_loops(
            self.operation, promote_single_iteration=self.options.promote_single_iter
        )
        if not changed:
            self.mark_unchanged()
