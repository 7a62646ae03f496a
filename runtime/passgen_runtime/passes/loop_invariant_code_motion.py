"""Loop-invariant code motion.

Before::

    scf.for %i = %lb to %ub step %step {
      %0 = arith.addi %a, %b : index
      memref.store %0, %m[%i] : memref<8xindex>
    }

After::

    %0 = arith.addi %a, %b : index
    scf.for %i = %lb to %ub step %step {
      memref.store %0, %m[%i] : memref<8xindex>
    }

Source: `lib/Transforms/Utils/LoopInvariantCodeMotionUtils.cpp` of MLIR. Loops are taken
innermost first, so that code leaves as many of them as it can. An operation moves if it
has no memory effects, may be speculated, and uses no value that the loop defines.

Limits compared with MLIR's pass: loops are `scf.for`, `scf.while`, `scf.parallel`,
`affine.for` and `affine.parallel`, since xDSL has no loop interface; a loop that the
pass itself runs on keeps its code, because a pass must not change IR outside of its
operation.
"""

from __future__ import annotations

from collections import deque

from xdsl.dialects import affine, scf
from xdsl.ir import Operation, Region
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from passgen_runtime.passes.analysis import (
    EffectSummaries,
    defining_region,
    is_speculatable,
    walk,
)
from passgen_runtime.passes.generated.transforms_passes import (
    LoopInvariantCodeMotionPassBase,
)

LOOP_OPERATIONS = (
    scf.ForOp,
    scf.WhileOp,
    scf.ParallelOp,
    affine.ForOp,
    affine.ParallelOp,
)


def hoist_loop_invariant_code(root: Operation) -> int:
    """Move invariant code out of loops in `root`; return how many operations moved."""
    loops = [
        op
        for op in walk(root, region_first=True)
        if op is not root and isinstance(op, LOOP_OPERATIONS)
    ]
    effects = EffectSummaries()
    return sum(
        _hoist_out_of_region(region, loop, effects)
        for loop in loops
        for region in loop.regions
    )


def _hoist_out_of_region(
    region: Region, loop: Operation, effects: EffectSummaries
) -> int:
    moved = 0
    worklist = deque(op for block in region.blocks for op in block.ops)
    while worklist:
        op = worklist.popleft()
        block = op.parent
        if block is None or block.parent is not region:
            continue
        if not _can_be_hoisted(op, region, effects):
            continue
        effects.forget_around(op)
        block.detach_op(op)
        Rewriter.insert_op(op, InsertPoint.before(loop))
        effects.forget_around(op)
        moved += 1
        # A user becomes a candidate when its last operand inside the loop has moved.
        for result in op.results:
            worklist.extend(
                use.operation
                for use in result.uses
                if use.operation.parent_region() is region
            )
    return moved


def _can_be_hoisted(op: Operation, region: Region, effects: EffectSummaries) -> bool:
    return (
        not op.has_trait(IsTerminator, value_if_unregistered=True)
        and effects.is_free(op)
        and is_speculatable(op)
        # Values of `region` that are visible there are defined directly in it.
        and all(
            defining_region(operand) is not region
            for inner in walk(op)
            for operand in inner.operands
        )
    )


class LoopInvariantCodeMotion(LoopInvariantCodeMotionPassBase):
    """The pass `loop-invariant-code-motion`."""

    def run_on_operation(self) -> None:
        """Hoist loop-invariant code in the operation."""
        if not hoist_loop_invariant_code(self.operation):
            self.mark_unchanged()
