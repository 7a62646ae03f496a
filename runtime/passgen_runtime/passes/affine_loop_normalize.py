"""Let affine loops start at 0 and count in ones.

Before::

    affine.for %i = 3 to 12 step 2 {
      affine.store %v, %m[%i] : memref<12xi32>
    }

After::

    affine.for %i = 0 to 5 {
      %0 = affine.apply affine_map<(d0) -> (d0 * 2 + 3)> (%i)
      affine.store %v, %m[%0] : memref<12xi32>
    }

Source: `normalizeAffineFor` in `lib/Dialect/Affine/Utils/Utils.cpp` of MLIR. A loop
with several lower bounds is left alone. One that runs exactly once is replaced by its
body.

Differences from MLIR's: `affine.parallel` is left alone; `promote-single-iter` is on
unless it is switched off, as documented, where MLIR's pass starts with it switched off.
"""

from __future__ import annotations

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr, AffineMap

from passgen_runtime.passes.affine_loops import (
    affine_loops,
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

    _rewrite_induction_variable(loop)
    set_upper_bound(loop, upper, upper_operands)
    set_lower_bound(loop, AffineMapAttr(_ZERO), ())
    set_step(loop, 1)
    return True


def _rewrite_induction_variable(loop: affine.ForOp) -> None:
    """Compute what the induction variable was from the count that it becomes."""
    variable = induction_variable(loop)
    uses = list(variable.uses)
    if not uses:
        return
    lower = loop.lowerBoundMap.data
    count = AffineExpr.dimension(lower.num_dims)
    index = AffineMap(
        lower.num_dims + 1,
        lower.num_symbols,
        (lower.results[0] + count * step_of(loop),),
    )
    operands = list(loop.lowerBoundOperands)
    operands.insert(lower.num_dims, variable)
    apply = affine.ApplyOp(operands, AffineMapAttr(index))
    apply.location = loop.location
    body = loop.body.block
    first = body.first_op
    assert first is not None
    body.insert_op_before(apply, first)
    for use in uses:
        use.operation.operands[use.index] = apply.result


def normalize_loops(root: Operation, *, promote_single_iteration: bool) -> bool:
    """Normalize all affine loops in `root`; return whether anything changed."""
    changed = False
    for loop in affine_loops(root):
        if promote_single_iteration and promote_if_single_iteration(loop):
            changed = True
        else:
            changed |= normalize_loop(loop)
    return changed


class AffineLoopNormalize(AffineLoopNormalizePassBase):
    """The pass `affine-loop-normalize`."""

    def run_on_operation(self) -> None:
        """Normalize the loops of the function; one without a body has none."""
        changed = normalize_loops(
            self.operation, promote_single_iteration=self.options.promote_single_iter
        )
        if not changed:
            self.mark_all_analyses_preserved()
