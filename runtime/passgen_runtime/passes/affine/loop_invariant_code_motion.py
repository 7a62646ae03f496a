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

from collections import Counter
from dataclasses import dataclass

from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike, IsTerminator, MemoryEffectKind
from xdsl.utils.hints import isa

from passgen_runtime.passes.affine.loops import affine_loops, constant_trip_count
from passgen_runtime.passes.analysis import (
    EffectSummaries,
    defining_region,
    has_recursive_effects,
    is_speculatable,
    operations_in,
    own_effects,
    walk,
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


class AccessSummaries:
    """The accesses of operations, including all inside them, computed once.

    An operation that moves out of a loop keeps its own. Loops are taken innermost
    first, so that those of a loop are asked for after all of its code has moved.
    """

    def __init__(self) -> None:
        """Start with no accesses computed."""
        self._accesses: dict[Operation, Accesses | None] = {}

    def of(self, op: Operation) -> Accesses | None:
        """Return the accesses of `op` and all inside it, `None` if one is unknown."""
        if op not in self._accesses:
            self._accesses[op] = self._find(op)
        return self._accesses[op]

    def _find(self, op: Operation) -> Accesses | None:
        accesses = _own_accesses(op)
        if accesses is None or not has_recursive_effects(op):
            return accesses
        for inner in operations_in(op):
            more = self.of(inner)
            if more is None:
                return None
            accesses |= more
        return accesses


def _own_accesses(op: Operation) -> Accesses | None:
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


class LoopAccesses:
    """How many operations directly in a loop read and write each memref."""

    def __init__(self, loop: affine.ForOp, summaries: AccessSummaries) -> None:
        """Count the operations in the body of `loop`."""
        self._summaries = summaries
        self._num_unknown = 0
        self._readers: Counter[SSAValue] = Counter()
        self._writers: Counter[SSAValue] = Counter()
        for op in loop.body.block.ops:
            accesses = summaries.of(op)
            if accesses is None:
                self._num_unknown += 1
            else:
                self._readers.update(accesses.reads)
                self._writers.update(accesses.writes)

    def remove(self, op: Operation) -> None:
        """Count `op`, which has known accesses, no longer."""
        accesses = self._summaries.of(op)
        assert accesses is not None
        self._readers.subtract(accesses.reads)
        self._writers.subtract(accesses.writes)

    def conflicts(self, own: Accesses) -> bool:
        """Return whether an operation with the accesses `own` depends on another one.

        It is counted itself, and reads no memref that it writes.
        """
        return (
            self._num_unknown > 0
            or any(self._writers[memory] > 0 for memory in own.reads)
            or any(
                self._writers[memory] > 1 or self._readers[memory] > 0
                for memory in own.writes
            )
        )


def hoist_loop_invariants(root: Operation) -> int:
    """Hoist out of the affine loops in `root`; return how many operations moved."""
    effects = EffectSummaries()
    accesses = AccessSummaries()
    return sum(
        _hoist_out_of(loop, effects, accesses)
        for loop in affine_loops(root)
        if loop is not root
    )


def _hoist_out_of(
    loop: affine.ForOp, effects: EffectSummaries, accesses: AccessSummaries
) -> int:
    surely_runs = (constant_trip_count(loop) or 0) > 0
    in_loop = LoopAccesses(loop, accesses)
    moved = 0
    for op in list(loop.body.block.ops):
        if (
            # The others visit what is inside `op`, once for each loop around it.
            _is_independent(op, effects, accesses.of(op), in_loop)
            and _has_hoistable_kind(op, effects)
            and not _uses_values_of(op, loop)
            and (surely_runs or is_speculatable(op) or _is_load_in_bounds(op))
        ):
            in_loop.remove(op)
            effects.forget_around(op)
            loop.body.block.detach_op(op)
            Rewriter.insert_op(op, InsertPoint.before(loop))
            effects.forget_around(op)
            moved += 1
    return moved


def _has_hoistable_kind(op: Operation, effects: EffectSummaries) -> bool:
    if op.has_trait(IsTerminator, value_if_unregistered=True):
        return False
    if isinstance(op, _STRUCTURES):
        return all(
            _has_hoistable_kind(inner, effects)
            or inner.has_trait(IsTerminator, value_if_unregistered=False)
            for inner in operations_in(op)
        )
    if op.has_trait(ConstantLike, value_if_unregistered=False):
        return True
    return bool(op.operands) and (isinstance(op, _ACCESSES) or effects.is_free(op))


def _uses_values_of(op: Operation, loop: affine.ForOp) -> bool:
    """Return whether `op`, or an operation in it, uses a value of the body of `loop`.

    No other value in `loop` is visible there, except those inside `op`.
    """
    return any(
        defining_region(operand) is loop.body
        for inner in walk(op)
        for operand in inner.operands
    )


def _is_independent(
    op: Operation,
    effects: EffectSummaries,
    own: Accesses | None,
    in_loop: LoopAccesses,
) -> bool:
    """Return whether `op` may run once, before all other operations of its loop."""
    if own is None or own.reads & own.writes:
        return False
    if not own:
        return effects.is_free(op)
    return not in_loop.conflicts(own)


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
