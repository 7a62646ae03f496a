"""Common subexpression elimination.

Before::

    %0 = arith.addi %a, %b : i32
    %1 = arith.addi %b, %a : i32
    %2 = arith.muli %0, %1 : i32

After::

    %0 = arith.addi %a, %b : i32
    %2 = arith.muli %0, %0 : i32

Source: `lib/Transforms/CSE.cpp` of MLIR. Expressions are known in the block that
computes them and in the blocks it dominates. An operation that only reads memory is
replaced by an equal one of its block if nothing in between may write. Operations in
operations that are isolated from above start with nothing known.

Statistics count as MLIR's do, which takes an operation without memory effects that is
replaced for two, and a replaced read for one.

Limits against MLIR's: graph regions are those that `region_kind` lists; a pass that
runs on several operations adds its counts up, where MLIR's keeps those of the last one.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Block, Operation, Region, Use
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator

from passgen_runtime.passes.dominance import DominanceInfo
from passgen_runtime.passes.generated.transforms_passes import CSEPassBase
from passgen_runtime.passes.memory_effects import (
    is_memory_effect_free,
    is_trivially_dead,
    may_write,
    only_reads,
)
from passgen_runtime.passes.operation_equivalence import (
    are_regions_equivalent,
    operand_key,
)
from passgen_runtime.passes.region_kind import has_ssa_dominance


class Expression:
    """What an operation computes: equal expressions have equal results.

    A snapshot: it does not follow later changes of the operation.
    """

    __slots__ = ("_key", "operation")

    def __init__(self, operation: Operation) -> None:
        """Describe `operation`; operands of a commutative one count in any order."""
        self.operation = operation
        self._key = (
            type(operation),
            operand_key(operation, operation.operands),
            tuple(operation.result_types),
            frozenset(operation.attributes.items()),
            frozenset(operation.properties.items()),
            tuple(operation.successors),
            tuple(_region_size(region) for region in operation.regions),
        )

    def __hash__(self) -> int:
        """Return the hash of everything but the insides of regions."""
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        """Return whether `other` computes the same, regions included."""
        if not isinstance(other, Expression) or self._key != other._key:
            return False
        return all(
            are_regions_equivalent(mine, theirs)
            for mine, theirs in zip(
                self.operation.regions, other.operation.regions, strict=True
            )
        )


KnownExpressions: TypeAlias = ChainMap[Expression, Operation]


@dataclass
class CommonSubexpressionElimination:
    """One run over an operation: what is to be erased, and the counts."""

    dominance: DominanceInfo
    num_cse: int = 0
    num_dce: int = 0
    _to_erase: list[Operation] = field(default_factory=list)

    def run(self, root: Operation) -> bool:
        """Simplify the regions of `root`; return whether anything changed."""
        for region in root.regions:
            self._simplify_region(ChainMap(), region)
        for op in self._to_erase:
            Rewriter.erase_op(op)
        return bool(self._to_erase)

    def _simplify_region(self, known: KnownExpressions, region: Region) -> None:
        first = region.first_block
        if first is None:
            return
        if first.next_block is None:
            self._simplify_block(known.new_child(), first)
            return
        if not has_ssa_dominance(region):
            return
        worklist = [(first, known)]
        while worklist:
            block, outer = worklist.pop()
            scope = outer.new_child()
            self._simplify_block(scope, block)
            worklist.extend(
                (child, scope) for child in reversed(self.dominance.children(block))
            )

    def _simplify_block(self, known: KnownExpressions, block: Block) -> None:
        region = block.parent
        assert region is not None
        dominance = has_ssa_dominance(region)
        for op in block.ops:
            if op.regions:
                # Code in an isolated operation must not start to use outer values.
                isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=True)
                inner: KnownExpressions = ChainMap() if isolated else known
                for nested in op.regions:
                    self._simplify_region(inner, nested)
            self._simplify_operation(known, op, dominance=dominance)

    def _simplify_operation(
        self, known: KnownExpressions, op: Operation, *, dominance: bool
    ) -> None:
        if op.has_trait(IsTerminator, value_if_unregistered=False):
            return
        if is_trivially_dead(op):
            self._to_erase.append(op)
            self.num_dce += 1
            return
        if any(region.blocks and len(region.blocks) > 1 for region in op.regions):
            return
        free = is_memory_effect_free(op)
        if not free and not only_reads(op):
            return
        expression = Expression(op)
        existing = known.get(expression)
        if existing is None:
            known[expression] = op
        elif free:
            # MLIR counts these twice; see the module docstring.
            self._replace(known, op, existing, dominance=dominance)
            self.num_cse += 1
        elif existing.parent is op.parent and not _may_write_between(existing, op):
            self._replace(known, op, existing, dominance=dominance)
        else:
            known[expression] = op

    def _replace(
        self,
        known: KnownExpressions,
        op: Operation,
        existing: Operation,
        *,
        dominance: bool,
    ) -> None:
        def not_visited(use: Use) -> bool:
            # In a graph, a use may come first and be known under its operands.
            return Expression(use.operation) not in known

        for old, new in zip(op.results, existing.results, strict=True):
            if dominance:
                old.replace_all_uses_with(new)
            else:
                old.replace_uses_with_if(new, not_visited)
        if all(result.first_use is None for result in op.results):
            self._to_erase.append(op)
        if isinstance(existing.location, UnknownLoc):
            existing.location = op.location
        self.num_cse += 1


def _region_size(region: Region) -> int:
    return sum(len(block.ops) for block in region.blocks)


def _may_write_between(first: Operation, last: Operation) -> bool:
    """Return whether an operation strictly between the two may write memory."""
    each = first.next_op
    while each is not None and each is not last:
        if may_write(each):
            return True
        each = each.next_op
    return False


class CSE(CSEPassBase):
    """The pass `cse`."""

    def run_on_operation(self) -> None:
        """Eliminate common subexpressions in the operation."""
        run = CommonSubexpressionElimination(self.get_analysis(DominanceInfo))
        changed = run.run(self.operation)
        self.num_cse += run.num_cse
        self.num_dce += run.num_dce
        if changed:
            # Blocks stay as they are.
            self.mark_analyses_preserved(DominanceInfo)
        else:
            self.mark_all_analyses_preserved()
