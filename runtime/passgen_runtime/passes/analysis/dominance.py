"""The dominator tree of a region's blocks.

Method: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from functools import reduce

from xdsl.ir import Block, Operation, Region
from xdsl.ir.post_order import PostOrderIterator


class DominanceInfo:
    """The dominator trees of the regions in an operation: an analysis."""

    def __init__(self, operation: Operation) -> None:
        """Analyse `operation`; trees are built on demand."""
        self.operation = operation
        self._trees: dict[Region, dict[Block, list[Block]]] = {}

    def children(self, block: Block) -> list[Block]:
        """Return the blocks whose immediate dominator is `block`, in program order."""
        region = block.parent
        assert region is not None
        tree = self._trees.get(region)
        if tree is None:
            tree = self._trees[region] = dominator_tree(region)
        return tree.get(block, [])


def dominator_tree(region: Region) -> dict[Block, list[Block]]:
    """Return for each block of `region` the blocks that it immediately dominates.

    Unreachable blocks are left out.
    """
    entry = region.first_block
    if entry is None:
        return {}
    order = list(PostOrderIterator(entry))[::-1]
    dominator = _immediate_dominators(order)
    children: dict[Block, list[Block]] = {block: [] for block in order}
    for block in region.blocks:
        if block in dominator and block is not entry:
            children[dominator[block]].append(block)
    return children


def _immediate_dominators(order: list[Block]) -> dict[Block, Block]:
    """Return the immediate dominator of each block; the first is its own.

    Args:
        order: all reachable blocks in reverse post-order.
    """
    number = {block: index for index, block in enumerate(order)}
    dominator = {order[0]: order[0]}

    def common_dominator(one: Block, other: Block) -> Block:
        while one is not other:
            while number[one] > number[other]:
                one = dominator[one]
            while number[other] > number[one]:
                other = dominator[other]
        return one

    predecessors = _predecessors(order)
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            # In this order, a block has a predecessor that comes before it.
            known = (
                predecessor
                for predecessor in predecessors[block]
                if predecessor in dominator
            )
            new = reduce(common_dominator, known)
            if dominator.get(block) is not new:
                dominator[block] = new
                changed = True
    return dominator


def _predecessors(blocks: list[Block]) -> dict[Block, list[Block]]:
    predecessors: dict[Block, list[Block]] = {block: [] for block in blocks}
    for block in blocks:
        if (last := block.last_op) is not None:
            for successor in last.successors:
                predecessors[successor].append(block)
    return predecessors
