"""Common subexpression elimination.

Before::

    %0 = arith.addi %a, %b : i32
    %1 = arith.addi %b, %a : i32
    %2 = arith.muli %0, %1 : i32

After::

    %0 = arith.addi %a, %b : i32
    %2 = arith.muli %0, %0 : i32

Source: `lib/Transforms/CSE.cpp` of MLIR. Expressions are known in the block that
computes them and in the blocks that it dominates. An operation that only reads memory
is replaced by an equal one of its block if nothing in between may write. In an
operation that is isolated from above, no expression from outside is known.

Statistics count as MLIR's do: a replaced operation without memory effects counts twice,
a replaced read once.

Limits compared with MLIR's pass: graph regions are those of the operations in
`GRAPH_REGION_OPERATIONS`; counts of a pass that runs on several operations are added
up, while MLIR's keeps those of the last one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Block, Operation, Region, Use
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator

from passgen_runtime.passes.analysis import (
    DominanceInfo,
    EffectSummaries,
    are_regions_equivalent,
    has_ssa_dominance,
    only_reads,
    operand_key,
)
from passgen_runtime.passes.generated.transforms_passes import CSEPassBase


class Expression:
    """The computation of an operation: equal expressions have equal results.

    A snapshot of the operands, which are all that a run changes in an operation. It is
    one object with one more for the operands: there is one for each operation, and the
    garbage collector visits all of them again and again.
    """

    __slots__ = ("_hash", "_operands", "operation")

    def __init__(self, operation: Operation) -> None:
        """Describe `operation`; the operands of a commutative one have no order."""
        self.operation = operation
        self._operands = operand_key(operation, operation.operands)
        self._hash = hash(
            (
                type(operation),
                self._operands,
                tuple(operation.result_types),
                frozenset(operation.attributes.items()),
                frozenset(operation.properties.items()),
                tuple(map(_region_size, operation.regions)),
            )
        )

    def __hash__(self) -> int:
        """Return the hash of everything but the insides of regions."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Return whether `other` computes the same, regions included."""
        if not isinstance(other, Expression) or self._hash != other._hash:
            return False
        mine, theirs = self.operation, other.operation
        return (
            type(mine) is type(theirs)
            and self._operands == other._operands
            and mine.result_types == theirs.result_types
            and mine.attributes == theirs.attributes
            and mine.properties == theirs.properties
            and mine.successors == theirs.successors
            and len(mine.regions) == len(theirs.regions)
            and all(map(are_regions_equivalent, mine.regions, theirs.regions))
        )


class KnownExpressions:
    """The operations that compute expressions, in nested scopes.

    A look-up takes constant time at any depth.
    """

    def __init__(self) -> None:
        """Start without a scope."""
        self._operations: dict[Expression, Operation] = {}
        self._added: list[list[Expression]] = []
        """The expressions that each scope has added, unknown before."""

        self._shadowed: list[list[tuple[Expression, Operation]]] = []
        """The others that each scope has added, with their previous operations."""

    def __contains__(self, expression: Expression) -> bool:
        """Return whether `expression` is known in any scope."""
        return expression in self._operations

    def get(self, expression: Expression) -> Operation | None:
        """Return the operation that computes `expression`, if any scope knows it."""
        return self._operations.get(expression)

    def add(self, expression: Expression, op: Operation) -> None:
        """Let `op` compute `expression` in the innermost scope."""
        before = self._operations.get(expression)
        if before is None:
            self._added[-1].append(expression)
        else:
            self._shadowed[-1].append((expression, before))
        self._operations[expression] = op

    def enter(self) -> None:
        """Begin a scope."""
        self._added.append([])
        self._shadowed.append([])

    def leave(self) -> None:
        """End the innermost scope and forget its expressions."""
        for expression, before in reversed(self._shadowed.pop()):
            self._operations[expression] = before
        for expression in self._added.pop():
            del self._operations[expression]


@dataclass
class CommonSubexpressionElimination:
    """One run over an operation: the operations to erase, and the statistics."""

    dominance: DominanceInfo
    num_cse: int = 0
    num_dce: int = 0
    _to_erase: list[Operation] = field(default_factory=list)
    _effects: EffectSummaries = field(default_factory=EffectSummaries)
    """Valid for the whole run, which erases operations only at its end."""

    def run(self, root: Operation) -> bool:
        """Simplify the regions of `root`; return whether anything changed."""
        for region in root.regions:
            self._simplify_region(KnownExpressions(), region)
        for op in self._to_erase:
            Rewriter.erase_op(op)
        return bool(self.num_cse or self.num_dce)

    def _simplify_region(self, known: KnownExpressions, region: Region) -> None:
        first = region.first_block
        if first is None:
            return
        if first.next_block is not None and not has_ssa_dominance(region):
            return
        # A scope ends when all blocks that its block dominates have been visited.
        worklist: list[Block | None] = [first]
        while worklist:
            block = worklist.pop()
            if block is None:
                known.leave()
                continue
            known.enter()
            self._simplify_block(known, block)
            worklist.append(None)
            if first.next_block is not None:
                worklist.extend(reversed(self.dominance.children(block)))

    def _simplify_block(self, known: KnownExpressions, block: Block) -> None:
        region = block.parent
        assert region is not None
        dominance = has_ssa_dominance(region)
        for op in block.ops:
            if op.regions:
                # Code in an isolated operation must not start to use outer values.
                isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=True)
                inner = KnownExpressions() if isolated else known
                for nested in op.regions:
                    self._simplify_region(inner, nested)
            self._simplify_operation(known, op, dominance=dominance)

    def _simplify_operation(
        self, known: KnownExpressions, op: Operation, *, dominance: bool
    ) -> None:
        if op.has_trait(IsTerminator, value_if_unregistered=False):
            return
        if self._effects.is_trivially_dead(op):
            self._to_erase.append(op)
            self.num_dce += 1
            return
        if any(region.blocks and len(region.blocks) > 1 for region in op.regions):
            return
        free = self._effects.is_free(op)
        if not free and not only_reads(op):
            return
        expression = Expression(op)
        existing = known.get(expression)
        if existing is None:
            known.add(expression, op)
        elif free:
            # MLIR counts these twice; see the module docstring.
            self._replace(known, op, existing, dominance=dominance)
            self.num_cse += 1
        elif existing.parent is op.parent and not self._may_write_between(existing, op):
            self._replace(known, op, existing, dominance=dominance)
        else:
            known.add(expression, op)

    def _replace(
        self,
        known: KnownExpressions,
        op: Operation,
        existing: Operation,
        *,
        dominance: bool,
    ) -> None:
        def not_visited(use: Use) -> bool:
            # In a graph region, a user may be known already, with its old operands.
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

    def _may_write_between(self, first: Operation, last: Operation) -> bool:
        """Return whether an operation strictly between the two may write memory."""
        between = first.next_op
        while between is not None and between is not last:
            if self._effects.may_write(between):
                return True
            between = between.next_op
        return False


def _region_size(region: Region) -> int:
    return sum(len(block.ops) for block in region.blocks)


class CSE(CSEPassBase):
    """The pass `cse`."""

    def run_on_operation(self) -> None:
        """Eliminate common subexpressions in the operation."""
        run = CommonSubexpressionElimination(self.get_analysis(DominanceInfo))
        changed = run.run(self.operation)
        self.num_cse += run.num_cse
        self.num_dce += run.num_dce
        # The pass declares dominance preserved: it never changes blocks.
        if not changed:
            self.mark_unchanged()
