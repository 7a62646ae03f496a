"""The dominator tree of a region's blocks.

Method: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region
from xdsl.ir.post_order import PostOrderIterator


class DominanceInfo:
    """An analysis: the dominator trees of the regions in an operation, made on demand."""

    def __init__(self, operation: Operation) -> None:
        """Remember `operation`; no tree is built before it is asked for."""
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

    Blocks that the entry does not reach appear nowhere.
    """
    entry = region.first_block
    if entry is None:
        return {}
    order = list(PostOrderIterator(entry))[::-1]
    number = {block: index for index, block in enumerate(order)}
    dominator = {entry: entry}

    def common_dominator(one: Block, other: Block) -> Block:
        while one is not other:
            while number[one] > number[other]:
                one = dominator[one]
            while number[other] > number[one]:
                other = dominator[other]
        return one

    predecessors: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        if (last := block.last_op) is not None:
            for successor in last.successors:
                predecessors[successor].append(block)
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [each for each in predecessors[block] if each in dominator]
            new = known[0]
            for each in known[1:]:
                new = common_dominator(new, each)
            if dominator.get(block) is not new:
                dominator[block] = new
                changed = True

    children: dict[Block, list[Block]] = {block: [] for block in order}
    for block in region.blocks:
        if block in number and block is not entry:
            children[dominator[block]].append(block)
    return children
