"""Hoist loop-invariant operations, also loads and stores, out of affine loops.

Before::

    affine.for %i = 0 to 10 {
      %0 = affine.load %m[0] : memref<4xf32>
      %1 = arith.addf %0, %0 : f32
      affine.store %1, %out[%i] : memref<10xf32>
    }

After::

    %0 = affine.load %m[0] : memref<4xf32>
    %1 = arith.addf %0, %0 : f32
    affine.for %i = 0 to 10 {
      affine.store %1, %out[%i] : memref<10xf32>
    }

Source: `lib/Dialect/Affine/Transforms/AffineLoopInvariantCodeMotion.cpp` of MLIR. Loops
are taken innermost first. A load moves if nothing in the loop may write its memory, a
store if nothing else in the loop may read or write its memory; an `affine.if` or a loop
inside moves as a whole. As in MLIR, memrefs that are not views of one another do not
alias, and an operation without operands moves only if it is a constant.

Differences from MLIR's pass, which moves all of these: an operation that may trap, or a
store, moves only out of a loop that surely runs; an operation that accesses memory does
not move out of a loop with an operation whose effects are unknown, such as a call.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike, IsTerminator, MemoryEffectKind
from xdsl.utils.hints import isa

from passgen_runtime.passes.affine.loops import affine_loops, constant_trip_count
from passgen_runtime.passes.analysis import (
    EffectSummaries,
    has_recursive_effects,
    operations_in,
    own_effects,
)
from passgen_runtime.passes.generated.affine_passes import (
    AffineLoopInvariantCodeMotionPassBase,
)

_STRUCTURES = (affine.ForOp, affine.IfOp, affine.ParallelOp)
_ACCESSES = (
    affine.LoadOp,
    affine.StoreOp,
    affine.VectorLoadOp,
    affine.VectorStoreOp,
)
_VIEWS = (
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.MemorySpaceCastOp,
    memref.ReinterpretCastOp,
    memref.SubviewOp,
    memref.ViewOp,
)
"""Operations whose result is the memory of their first operand."""


@dataclass(frozen=True)
class Accesses:
    """The memrefs that operations read and write, as the values that define them."""

    reads: frozenset[SSAValue] = frozenset()
    writes: frozenset[SSAValue] = frozenset()

    def __or__(self, other: Accesses) -> Accesses:
        """Return the accesses of both."""
        return Accesses(self.reads | other.reads, self.writes | other.writes)

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.reads or self.writes)


def _own_accesses(op: Operation) -> Accesses | None:
    effects = own_effects(op)
    if effects is None:
        return Accesses() if has_recursive_effects(op) else None
    reads: set[SSAValue] = set()
    writes: set[SSAValue] = set()
    for effect in effects:
        if effect.kind is MemoryEffectKind.ALLOC:
            continue
        if not isinstance(effect.value, SSAValue):
            return None
        is_read = effect.kind is MemoryEffectKind.READ
        (reads if is_read else writes).add(_memory_of(effect.value))
    return Accesses(frozenset(reads), frozenset(writes))


def _memory_of(value: SSAValue) -> SSAValue:
    """Return the memref that `value` is a view of, itself if it is none."""
    while isinstance(value.owner, _VIEWS):
        value = value.owner.operands[0]
    return value


def hoist_loop_invariants(root: Operation) -> int:
    """Hoist out of the affine loops in `root`; return how many operations moved."""
    hoisting = _Hoisting()
    loops = [loop for loop in affine_loops(root) if loop is not root]
    return sum(map(hoisting.hoist_out_of, loops))


class _Hoisting:
    """The hoisting out of loops, and what is known of the operations inside them.

    Loops come inner ones first: a loop is queried only after all that moves has moved
    out of it, so that no answer changes.
    """

    def __init__(self) -> None:
        self._effects = EffectSummaries()
        self._accesses: dict[Operation, Accesses | None] = {}

    def hoist_out_of(self, loop: affine.ForOp) -> int:
        """Hoist out of `loop`; return how many operations moved."""
        surely_runs = (constant_trip_count(loop) or 0) > 0
        moved = 0
        for op in list(loop.body.block.ops):
            if (
                self._has_hoistable_kind(op)
                and not _uses_values_of(op, loop)
                and (surely_runs or self._may_run_without(op))
                and self._is_independent(op, loop)
            ):
                loop.body.block.detach_op(op)
                Rewriter.insert_op(op, InsertPoint.before(loop))
                moved += 1
        return moved

    def accesses_of(self, op: Operation) -> Accesses | None:
        """Return the accesses of `op` and all inside it, `None` if they are unknown."""
        if op not in self._accesses:
            self._accesses[op] = self._find_accesses(op)
        return self._accesses[op]

    def _find_accesses(self, op: Operation) -> Accesses | None:
        match op:
            case memref.LoadOp():
                return Accesses(reads=frozenset((_memory_of(op.memref),)))
            case memref.StoreOp():
                return Accesses(writes=frozenset((_memory_of(op.memref),)))
            case memref.CopyOp():
                return Accesses(
                    frozenset((_memory_of(op.source),)),
                    frozenset((_memory_of(op.destination),)),
                )
        accesses = _own_accesses(op)
        if accesses is None or not has_recursive_effects(op):
            return accesses
        for inner in operations_in(op):
            more = self.accesses_of(inner)
            if more is None:
                return None
            accesses |= more
        return accesses

    def _has_hoistable_kind(self, op: Operation) -> bool:
        if op.has_trait(IsTerminator, value_if_unregistered=True):
            return False
        if isinstance(op, _STRUCTURES):
            return all(
                self._has_hoistable_kind(inner)
                or inner.has_trait(IsTerminator, value_if_unregistered=False)
                for inner in operations_in(op)
            )
        if op.has_trait(ConstantLike, value_if_unregistered=False):
            return True
        return bool(op.operands) and (
            isinstance(op, _ACCESSES) or self._effects.is_free(op)
        )

    def _may_run_without(self, op: Operation) -> bool:
        """Return whether `op` may run if the loop around it does not."""
        return self._effects.is_speculatable(op) or _is_load_in_bounds(op)

    def _is_independent(self, op: Operation, loop: affine.ForOp) -> bool:
        """Return whether `op` may run once, before all other operations of `loop`."""
        own = self.accesses_of(op)
        if own is None or own.reads & own.writes:
            return False
        if not own:
            return self._effects.is_free(op)
        others = Accesses()
        for operation in loop.body.block.ops:
            if operation is not op:
                accesses = self.accesses_of(operation)
                if accesses is None:
                    return False
                others |= accesses
        return not (
            own.reads & others.writes or own.writes & (others.reads | others.writes)
        )


def _uses_values_of(op: Operation, loop: affine.ForOp) -> bool:
    """Return whether `op` uses a value that `loop` defines outside of `op`."""
    return any(
        loop.is_ancestor(owner) and not op.is_ancestor(owner)
        for inner in op.walk()
        for operand in inner.operands
        if (owner := _defining_operation(operand)) is not None
    )


def _defining_operation(value: SSAValue) -> Operation | None:
    """Return the operation that defines `value`, or whose region has it as argument."""
    if isinstance(value, BlockArgument):
        return value.block.parent_op()
    owner = value.owner
    return owner if isinstance(owner, Operation) else None


def _is_load_in_bounds(op: Operation) -> bool:
    """Return whether `op` is a load that is known to be in bounds."""
    if not isinstance(op, affine.LoadOp):
        return False
    source: Attribute = op.memref.type
    assert isa(source, MemRefType)
    return all(
        isinstance(index, AffineConstantExpr) and 0 <= index.value < size
        for index, size in zip(op.map.data.results, source.get_shape(), strict=True)
    )


class AffineLoopInvariantCodeMotion(AffineLoopInvariantCodeMotionPassBase):
    """The pass `affine-loop-invariant-code-motion`."""

    def run_on_operation(self) -> None:
        """Hoist out of the loops of the function; one without a body has none."""
        if not hoist_loop_invariants(self.operation):
            self.mark_unchanged()
