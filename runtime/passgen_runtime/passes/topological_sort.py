"""Put definitions before their uses in graph regions.

Before::

    builtin.module {
      %0 = "test.op"(%1) : (i32) -> i32
      %1 = "test.op"() : () -> i32
    }

After::

    builtin.module {
      %0 = "test.op"() : () -> i32
      %1 = "test.op"(%0) : (i32) -> i32
    }

Source: `lib/Analysis/TopologicalSortUtils.cpp` of MLIR. The sort is stable: it repeats
rounds over the remaining operations, and schedules in each round those whose operands
are ready. If a round finds none, there is a cycle; its first operation is scheduled.

Limit compared with MLIR's pass: xDSL cannot say that a region is a graph, so the pass
sorts the regions of the operations in `GRAPH_REGION_OPERATIONS`, and no others.
"""

from __future__ import annotations

import heapq

from xdsl.ir import Block, Operation
from xdsl.traits import IsTerminator

from passgen_runtime.passes.analysis import is_graph_operation
from passgen_runtime.passes.generated.transforms_passes import TopologicalSortPassBase


def sort_topologically(block: Block) -> bool:
    """Sort the operations of `block` before its terminator; return if any moved."""
    ops = list(block.ops)
    if ops and ops[-1].has_trait(IsTerminator, value_if_unregistered=False):
        ops.pop()
    order = _topological_order(block, ops)
    if order == ops:
        return False
    for op in order:
        block.detach_op(op)
    if (terminator := block.first_op) is not None:
        block.insert_ops_before(order, terminator)
    else:
        block.add_ops(order)
    return True


def _topological_order(block: Block, ops: list[Operation]) -> list[Operation]:
    """Return `ops` in the order of the rounds.

    The heap is ordered by (round, position): an operation that becomes ready after
    the current position is scheduled in the same round, one before it in the next.
    """
    position = {op: index for index, op in enumerate(ops)}
    producers = [_producers(block, op, position) for op in ops]
    users: list[list[int]] = [[] for _ in ops]
    for user, needed in enumerate(producers):
        for producer in needed:
            users[producer].append(user)
    waits_for = [len(needed) for needed in producers]
    is_scheduled = [False] * len(ops)
    ready = [(0, index) for index, count in enumerate(waits_for) if not count]
    order: list[Operation] = []
    first_left = 0
    round_number = 0
    while len(order) < len(ops):
        if ready:
            round_number, index = heapq.heappop(ready)
        else:
            while is_scheduled[first_left]:
                first_left += 1
            # A cycle. Operations that become ready by this one start a new round.
            index = first_left
        forced = waits_for[index] > 0
        is_scheduled[index] = True
        order.append(ops[index])
        for user in users[index]:
            waits_for[user] -= 1
            if not waits_for[user] and not is_scheduled[user]:
                is_later_round = forced or user < index
                heapq.heappush(ready, (round_number + is_later_round, user))
    return order


def _producers(block: Block, op: Operation, position: dict[Operation, int]) -> set[int]:
    """Return the positions of the operations of `block` whose results `op` needs."""
    needed: set[int] = set()
    for inner in op.walk():
        for operand in inner.operands:
            owner = operand.owner
            if isinstance(owner, Operation):
                producer = block.find_ancestor_op_in_block(owner)
                if producer is not op and producer in position:
                    needed.add(position[producer])
    return needed


def sort_graph_regions(root: Operation) -> bool:
    """Sort all graph regions in `root`; return whether anything moved."""
    changed = False
    for op in root.walk():
        if is_graph_operation(op):
            for region in op.regions:
                for block in region.blocks:
                    changed |= sort_topologically(block)
    return changed


class TopologicalSort(TopologicalSortPassBase):
    """The pass `topological-sort`."""

    def run_on_operation(self) -> None:
        """Sort the graph regions of the operation."""
        if not sort_graph_regions(self.operation):
            self.mark_unchanged()
