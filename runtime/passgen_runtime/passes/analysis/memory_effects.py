"""The memory effects of operations, and whether they may be speculated.

Source: `SideEffectInterfaces.h` of MLIR. xDSL declares effects as traits but leaves
them out for some operations whose MLIR twin has them; the tables below fill these gaps,
so that the passes decide as MLIR's do. Without a trait and outside of these tables, an
operation has unknown effects.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cache

from xdsl.dialects import affine, arith, cf, func, memref, scf, tensor
from xdsl.dialects.builtin import IntegerAttr, MemRefType, TensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.traits import (
    ConditionallySpeculatable,
    ConstantLike,
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    NoMemoryEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.hints import isa

from passgen_runtime.passes.analysis.nested_operations import operations_in

Effects = AbstractSet[EffectInstance]

_PURE_IN_MLIR: tuple[type[Operation], ...] = (
    affine.MinOp,
    arith.ExtSIOp,
    arith.RemUIOp,
    cf.BranchOp,
    cf.ConditionalBranchOp,
    func.ReturnOp,
)
"""No effects, always speculatable; xDSL declares neither."""

_PURE_TRAITS = (NoMemoryEffect, Pure)

_ACCESSES_IN_MLIR: tuple[type[Operation], ...] = (
    affine.LoadOp,
    affine.StoreOp,
    affine.VectorLoadOp,
    affine.VectorStoreOp,
)

_SPECULATABLE_IN_MLIR: tuple[type[Operation], ...] = (
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ExtractAlignedPointerAsIndexOp,
    memref.ExtractStridedMetaDataOp,
    memref.GetGlobalOp,
    memref.MemorySpaceCastOp,
    memref.RankOp,
    memref.ReinterpretCastOp,
    memref.SubviewOp,
    memref.ViewOp,
    tensor.EmptyOp,
)
"""xDSL declares that they have no effects, not that they may be speculated."""

_RECURSIVE_EFFECTS_IN_MLIR: tuple[type[Operation], ...] = (
    affine.ForOp,
    affine.ParallelOp,
    scf.ExecuteRegionOp,
)

_RECURSIVELY_SPECULATABLE_IN_MLIR: tuple[type[Operation], ...] = (
    affine.IfOp,
    affine.ParallelOp,
    scf.IfOp,
    scf.IndexSwitchOp,
)


_NO_EFFECTS: frozenset[EffectInstance] = frozenset()
_NO_KINDS: frozenset[MemoryEffectKind] = frozenset()
"""Shared, so that summaries of many operations are few objects."""


def has_recursive_effects(op: Operation) -> bool:
    """Return whether `op` has the effects of the operations inside it."""
    return _have_recursive_effects(type(op))


@cache
def _have_recursive_effects(op_type: type[Operation]) -> bool:
    return issubclass(op_type, _RECURSIVE_EFFECTS_IN_MLIR) or any(
        isinstance(trait, RecursiveMemoryEffect) for trait in op_type.traits
    )


@cache
def _never_have_effects(op_type: type[Operation]) -> bool:
    """Return whether all operations of a class declare that they have no effects."""
    if issubclass(op_type, _PURE_IN_MLIR):
        return True
    if issubclass(op_type, _ACCESSES_IN_MLIR):
        return False
    declared = [
        trait
        for trait in op_type.traits
        if isinstance(trait, MemoryEffect)
        and not isinstance(trait, RecursiveMemoryEffect)
    ]
    return bool(declared) and all(type(trait) in _PURE_TRAITS for trait in declared)


def own_effects(op: Operation) -> Effects | None:
    """Return the effects that `op` declares for itself, `None` if it declares none.

    Effects of operations inside it do not count.
    """
    if _never_have_effects(type(op)):
        return _NO_EFFECTS
    match op:
        case affine.LoadOp() | affine.VectorLoadOp():
            return frozenset((EffectInstance(MemoryEffectKind.READ, op.memref),))
        case affine.StoreOp() | affine.VectorStoreOp():
            return frozenset((EffectInstance(MemoryEffectKind.WRITE, op.memref),))
    declared: set[EffectInstance] | None = None
    for trait in op.traits:
        if not isinstance(trait, MemoryEffect) or isinstance(
            trait, RecursiveMemoryEffect
        ):
            continue
        effects = trait.get_effects(op)
        if effects is None:
            return None
        declared = (declared or set()) | effects
    return declared


def only_reads(op: Operation) -> bool:
    """Return whether `op` declares effects for itself, and all of them are reads."""
    effects = own_effects(op)
    return effects is not None and all(
        effect.kind is MemoryEffectKind.READ for effect in effects
    )


class EffectSummaries:
    """The effects of operations, including all inside them, computed once.

    Whoever changes or moves an operation calls `forget` or `forget_around`. A summary
    depends only on summaries that are kept as well: where an operation has none, no
    operation around it has one that depends on it, and forgetting stops there.
    """

    def __init__(self) -> None:
        """Start with no effects computed."""
        self._kinds: dict[Operation, AbstractSet[MemoryEffectKind] | None] = {}
        self._removable: dict[Operation, bool] = {}

    def forget(self, op: Operation) -> None:
        """Forget the effects of `op`, which has changed, or will be erased."""
        self._drop(op)
        self.forget_around(op)

    def forget_around(self, op: Operation) -> None:
        """Forget the effects of the operations around `op`, which keeps its own.

        Call it after `op` is inserted, and before it is detached.
        """
        parent = op.parent_op()
        while parent is not None and self._drop(parent):
            parent = parent.parent_op()

    def forget_all(self) -> None:
        """Forget all effects, after changes of which the places are not known."""
        self._kinds.clear()
        self._removable.clear()

    def _drop(self, op: Operation) -> bool:
        """Drop the summaries of `op`; return whether it had any."""
        had_any = op in self._kinds or op in self._removable
        self._kinds.pop(op, None)
        self._removable.pop(op, None)
        return had_any

    def is_free(self, op: Operation) -> bool:
        """Return whether `op` is known to have no memory effects."""
        kinds = self.kinds(op)
        return kinds is not None and not kinds

    def may_write(self, op: Operation) -> bool:
        """Return whether `op` writes memory or has unknown effects."""
        kinds = self.kinds(op)
        return kinds is None or MemoryEffectKind.WRITE in kinds

    def is_trivially_dead(self, op: Operation) -> bool:
        """Return whether `op` has neither a used result nor an observable effect."""
        return all(
            result.first_use is None for result in op.results
        ) and self.would_be_trivially_dead(op)

    def kinds(self, op: Operation) -> AbstractSet[MemoryEffectKind] | None:
        """Return the kinds of the effects of `op`, `None` if one effect is unknown."""
        if op not in self._kinds:
            self._kinds[op] = self._find_kinds(op)
        return self._kinds[op]

    def would_be_trivially_dead(self, op: Operation) -> bool:
        """Return whether `op` is trivially dead once its results are unused."""
        if op not in self._removable:
            self._removable[op] = self._find_removable(op)
        return self._removable[op]

    def _find_kinds(self, op: Operation) -> AbstractSet[MemoryEffectKind] | None:
        effects = own_effects(op)
        recursive = has_recursive_effects(op)
        if effects is None and not recursive:
            return None
        if not effects and not recursive:
            return _NO_KINDS
        kinds = {effect.kind for effect in effects or ()}
        if recursive:
            for inner in operations_in(op):
                inner_kinds = self.kinds(inner)
                if inner_kinds is None:
                    return None
                kinds |= inner_kinds
        return kinds

    def _find_removable(self, op: Operation) -> bool:
        if op.has_trait(IsTerminator, value_if_unregistered=True) or op.has_trait(
            SymbolOpInterface, value_if_unregistered=False
        ):
            return False
        effects = own_effects(op)
        if effects is not None and not all(
            effect.kind is MemoryEffectKind.READ or _allocates_result(op, effect)
            for effect in effects
        ):
            return False
        if not has_recursive_effects(op):
            return effects is not None
        return all(self._is_removable_inside(inner) for inner in operations_in(op))

    def _is_removable_inside(self, op: Operation) -> bool:
        """Return whether `op` may be erased with the operation around it."""
        if op.has_trait(IsTerminator, value_if_unregistered=False):
            return self.is_free(op)
        return self.would_be_trivially_dead(op)


def is_speculatable(op: Operation) -> bool:
    """Return whether `op` may be speculated: it neither traps nor loops forever."""
    match op:
        case affine.ForOp():
            # Any other step could pass the largest index and never stop.
            return op.step.value.data == 1 and _all_inside_speculatable(op)
        case scf.ForOp():
            return _constant_integer(op.step) == 1 and _all_inside_speculatable(op)
        case memref.DimOp() | tensor.DimOp():
            return _is_dim_within_rank(op)
        case arith.CeilDivUIOp():
            return _constant_integer(op.rhs) not in (None, 0)
        case _ if isinstance(op, _RECURSIVELY_SPECULATABLE_IN_MLIR):
            return _all_inside_speculatable(op)
        case _:
            trait = op.get_trait(ConditionallySpeculatable)
            return isinstance(op, _PURE_IN_MLIR + _SPECULATABLE_IN_MLIR) or (
                trait is not None and trait.is_speculatable(op)
            )


def _allocates_result(op: Operation, effect: EffectInstance) -> bool:
    """Return whether `effect` is the allocation of a result of `op`.

    xDSL's allocating operations do not say which value they allocate.
    """
    if effect.kind is not MemoryEffectKind.ALLOC:
        return False
    if effect.value is None:
        return bool(op.results)
    return isinstance(effect.value, SSAValue) and effect.value.owner is op


def _all_inside_speculatable(op: Operation) -> bool:
    return all(map(is_speculatable, operations_in(op)))


def _is_dim_within_rank(op: memref.DimOp | tensor.DimOp) -> bool:
    source: Attribute = op.source.type
    index = _constant_integer(op.index)
    if index is None or not isa(source, MemRefType | TensorType[Attribute]):
        return False
    return 0 <= index < source.get_num_dims()


def _constant_integer(value: SSAValue) -> int | None:
    constant = ConstantLike.get_constant_value(value)
    return constant.value.data if isinstance(constant, IntegerAttr) else None


GRAPH_REGION_OPERATIONS = frozenset(
    (
        "builtin.module",
        "gpu.module",
        "hw.module",
        "ml_program.subgraph",
        "scf.forall.in_parallel",
    )
)
"""Operations whose regions are graphs: a use may come before its definition."""


def is_graph_operation(op: Operation) -> bool:
    """Return whether the regions of `op` are graphs."""
    return op.name in GRAPH_REGION_OPERATIONS


def has_ssa_dominance(region: Region) -> bool:
    """Return whether each definition in `region` comes before its uses."""
    parent = region.parent_op()
    return parent is None or not is_graph_operation(parent)
