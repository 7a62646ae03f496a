"""Which values are alive where: a value is from its definition to its last use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, SSAValue


@dataclass
class BlockLiveness:
    """The values that are alive at the begin and at the end of a block."""

    block: Block
    defined: set[SSAValue] = field(default_factory=set)
    """In the block or inside its operations."""

    used: set[SSAValue] = field(default_factory=set)
    live_in: set[SSAValue] = field(default_factory=set)
    live_out: set[SSAValue] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.defined.update(self.block.args)
        for operation in self.block.walk():
            self.defined.update(operation.results)
            self.used.update(operation.operands)
            for region in operation.regions:
                for block in region.blocks:
                    self.defined.update(block.args)
        own = [*self.block.args]
        own += [result for each in self.block.ops for result in each.results]
        self.live_out.update(value for value in own if self._escapes(value))

    def update(self) -> bool:
        """Derive what is alive at the begin; return whether that is more than before."""
        live_in = (self.used | self.live_out) - self.defined
        has_grown = len(live_in) != len(self.live_in)
        self.live_in = live_in
        return has_grown

    def range_of(self, value: SSAValue) -> list[Operation]:
        """Return the operations of the block during which `value` is alive."""
        operations = list(self.block.ops)
        owner = value.owner
        start = 0
        if isinstance(owner, Operation) and value not in self.live_in:
            start = operations.index(owner)
        end = start
        if value in self.live_out:
            end = len(operations) - 1
        else:
            for use in value.uses:
                user = self.block.find_ancestor_op_in_block(use.operation)
                if user is not None:
                    end = max(end, operations.index(user))
        return operations[start : end + 1]

    def values_at(self, operation: Operation) -> set[SSAValue]:
        """Return the values that are alive during `operation`."""
        candidates = {*self.block.args, *self.live_in}
        for each in self.block.ops:
            candidates.update(each.results)
            if each is operation:
                break
        return {value for value in candidates if operation in self.range_of(value)}

    def _escapes(self, value: SSAValue) -> bool:
        region = self.block.parent
        assert region is not None
        for use in value.uses:
            block = use.operation.parent
            if region.find_ancestor_block_in_region(block) is not self.block:
                return True
        return False


class Liveness:
    """The liveness of all blocks in an operation."""

    def __init__(self, operation: Operation) -> None:
        """Propagate what is alive from blocks to those before them."""
        self.blocks = list(_blocks(operation))
        self._of = {block: BlockLiveness(block) for block in self.blocks}
        pending = [block for block in self.blocks if self._of[block].update()]
        while pending:
            for before in pending.pop().predecessors():
                liveness = self._of[before]
                for successor in _successors(before):
                    liveness.live_out |= self._of[successor].live_in
                if liveness.update():
                    pending.append(before)

    def of(self, block: Block) -> BlockLiveness:
        """Return the liveness of one block."""
        return self._of[block]

    def resolve(self, value: SSAValue) -> list[Operation]:
        """Return all operations during which `value` is alive."""
        start = value.owner if isinstance(value, BlockArgument) else value.owner.parent
        pending = [start, *(use.operation.parent for use in value.uses)]
        seen: set[Block] = set()
        found: list[Operation] = []
        while pending:
            block = pending.pop()
            if block is None or block in seen:
                continue
            seen.add(block)
            found += self._of[block].range_of(value)
            pending += [
                each for each in _successors(block) if value in self._of[each].live_in
            ]
        return found


def _blocks(operation: Operation) -> Iterator[Block]:
    for region in operation.regions:
        for block in region.blocks:
            yield block
            for each in block.ops:
                yield from _blocks(each)


def _successors(block: Block) -> list[Block]:
    return [] if block.last_op is None else list(block.last_op.successors)
