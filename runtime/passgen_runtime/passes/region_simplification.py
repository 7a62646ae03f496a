"""Simplify the control flow between the blocks of regions, and erase dead code.

Before::

    ^0:
      cf.br ^1(%a : i32)
    ^1(%unused: i32):
      func.return
    ^2:
      func.return

After::

    ^0:
      cf.br ^1
    ^1:
      func.return

Source: `lib/Transforms/Utils/RegionUtils.cpp` of MLIR: `simplifyRegions`.

Limits compared with MLIR's: block arguments can go only if all branches to the block
are of the `cf` dialect; blocks are merged only if they are equal, not if they differ in
operands that could become arguments.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.post_order import PostOrderIterator
from xdsl.rewriter import Rewriter

from passgen_runtime.passes.analysis import (
    EffectSummaries,
    are_blocks_equivalent,
    forwarded_operands,
    incoming,
    regions_within,
    replace_branch,
    selecting_operands,
)


def simplify_regions(
    regions: Iterable[Region], effects: EffectSummaries, *, merge_blocks: bool
) -> bool:
    """Simplify `regions` and all inside them once; return whether anything changed.

    Unreachable blocks, unused operations and unused block arguments go. With
    `merge_blocks`, equal blocks become one, and arguments that are always the same
    value are replaced by it. After a change, `effects` are out of date.
    """
    regions = list(regions)
    changed = erase_unreachable_blocks(regions)
    if changed:
        effects.forget_all()
    changed |= _erase_dead_code(regions, effects)
    if merge_blocks:
        for region in regions_within(regions):
            changed |= _merge_equal_blocks(region)
            changed |= _replace_redundant_arguments(region)
    return changed


def erase_unreachable_blocks(regions: Iterable[Region]) -> bool:
    """Erase unreachable blocks, also nested ones; return whether there were any."""
    changed = False
    for region in regions_within(regions):
        entry = region.first_block
        if entry is None or entry.next_block is None:
            continue
        reachable = set(PostOrderIterator(entry))
        unreachable = [block for block in region.blocks if block not in reachable]
        # They may use one another's values, and branch to one another.
        for block in unreachable:
            region.detach_block(block).drop_all_references()
        for block in unreachable:
            block.erase(safe_erase=False)
        changed |= bool(unreachable)
    return changed


class _Liveness:
    """Live operations and arguments: those with effects, and all that they use."""

    def __init__(self, regions: Iterable[Region], effects: EffectSummaries) -> None:
        self._effects = effects
        self._live_operations: set[Operation] = set()
        self._live_arguments: set[BlockArgument] = set()
        self._pending: list[Operation | BlockArgument] = []
        for region in regions:
            self._mark_roots(region)
        while self._pending:
            self._propagate(self._pending.pop())

    def is_live(self, thing: Operation | BlockArgument) -> bool:
        if isinstance(thing, Operation):
            return thing in self._live_operations
        return thing.block.prev_block is None or thing in self._live_arguments

    def replace(self, old: Operation, new: Operation) -> None:
        if old in self._live_operations:
            self._live_operations.add(new)

    def _mark_roots(self, region: Region) -> None:
        for block in region.blocks:
            if block.prev_block is not None and incoming(block) is None:
                for argument in block.args:
                    self._mark_value(argument)
            for op in block.ops:
                if not self._effects.would_be_trivially_dead(op):
                    self._mark_operation(op)

    def _mark_operation(self, op: Operation) -> None:
        if op not in self._live_operations:
            self._live_operations.add(op)
            self._pending.append(op)

    def _mark_value(self, value: SSAValue) -> None:
        if isinstance(value, BlockArgument):
            if value not in self._live_arguments:
                self._live_arguments.add(value)
                self._pending.append(value)
        elif isinstance(value.owner, Operation):
            self._mark_operation(value.owner)

    def _propagate(self, thing: Operation | BlockArgument) -> None:
        if isinstance(thing, BlockArgument):
            for branch, successor in incoming(thing.block) or ():
                operands = forwarded_operands(branch)
                assert operands is not None
                self._mark_value(operands[successor][thing.index])
            return
        used = selecting_operands(thing) if thing.successors else thing.operands
        for operand in used:
            self._mark_value(operand)
        for region in thing.regions:
            self._mark_roots(region)


def _erase_dead_code(regions: list[Region], effects: EffectSummaries) -> bool:
    liveness = _Liveness(regions, effects)
    changed = False
    for region in regions:
        changed |= _erase_dead_code_in(region, liveness)
    return changed


def _erase_dead_code_in(region: Region, liveness: _Liveness) -> bool:
    changed = False
    for block in region.blocks:
        dead = {arg.index for arg in block.args if not liveness.is_live(arg)}
        if dead:
            _stop_forwarding(block, dead, liveness)
    for block in reversed(region.blocks):
        for op in list(reversed(block.ops)):
            if liveness.is_live(op):
                for inner in op.regions:
                    changed |= _erase_dead_code_in(inner, liveness)
            else:
                Rewriter.erase_op(op, safe_erase=False)
                changed = True
    for block in region.blocks:
        for arg in reversed(block.args):
            if not liveness.is_live(arg):
                block.erase_arg(arg, safe_erase=False)
                changed = True
    return changed


def _stop_forwarding(block: Block, dead: set[int], liveness: _Liveness) -> None:
    """Remove the operands that branches forward to the `dead` arguments of `block`."""
    while edge := _edge_that_forwards_too_much(block, len(block.args) - len(dead)):
        branch, successor = edge
        operands = forwarded_operands(branch)
        assert operands is not None
        operands[successor] = [
            operand
            for index, operand in enumerate(operands[successor])
            if index not in dead
        ]
        liveness.replace(branch, replace_branch(branch, branch.successors, operands))


def _edge_that_forwards_too_much(
    block: Block, wanted: int
) -> tuple[Operation, int] | None:
    for branch, successor in incoming(block) or ():
        operands = forwarded_operands(branch)
        assert operands is not None
        if len(operands[successor]) > wanted:
            return branch, successor
    return None


def _merge_equal_blocks(region: Region) -> bool:
    """Merge blocks into equal earlier ones; return whether any were merged.

    The values of a block must not be used outside of it: its users would need to know
    which of the two blocks was executed.
    """
    changed = False
    kept: list[Block] = []
    for block in list(region.blocks)[1:]:
        equal = next((other for other in kept if _can_replace(other, block)), None)
        if equal is None:
            kept.append(block)
            continue
        for branch, _ in incoming(block) or ():
            if branch.parent is None:
                continue  # both its edges led to the block: replaced already
            operands = forwarded_operands(branch)
            assert operands is not None
            successors = [
                equal if successor is block else successor
                for successor in branch.successors
            ]
            replace_branch(branch, successors, operands)
        region.detach_block(block).erase(safe_erase=False)
        changed = True
    return changed


def _can_replace(kept: Block, block: Block) -> bool:
    return (
        incoming(block) is not None
        and _has_only_local_uses(kept)
        and _has_only_local_uses(block)
        and are_blocks_equivalent(block, kept, {}, {block: kept})
    )


def _has_only_local_uses(block: Block) -> bool:
    values: list[SSAValue] = list(block.args)
    values.extend(result for op in block.ops for result in op.results)
    return all(
        block.find_ancestor_op_in_block(use.operation) is not None
        for value in values
        for use in value.uses
    )


def _replace_redundant_arguments(region: Region) -> bool:
    """Replace arguments for which all branches forward the same value."""
    changed = False
    for block in list(region.blocks)[1:]:
        for arg in block.args:
            edges = incoming(block)
            if not edges or arg.first_use is None:
                continue
            forwarded = {
                operands[successor][arg.index]
                for branch, successor in edges
                if (operands := forwarded_operands(branch)) is not None
            } - {arg}
            if len(forwarded) == 1:
                arg.replace_all_uses_with(forwarded.pop())
                changed = True
    return changed
