"""Editing of xDSL's IR."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from passgen_tools.adaptors.editing import Editor


class XDSLEditor(Editor):
    """Changes operations of xDSL's IR."""

    def walk(self, root: Operation) -> list[Operation]:
        """Return `root` and all operations inside it."""
        return list(root.walk())

    def entry_block(self, operation: Operation) -> Block:
        """Return the first block of the region that `operation` is in."""
        region = operation.parent_region()
        assert region is not None
        return region.blocks[0]

    def operations(self, block: Block) -> Iterable[Operation]:
        """Return the operations in `block`."""
        return block.ops

    def arguments(self, block: Block) -> Sequence[SSAValue]:
        """Return the arguments of `block`."""
        return block.args

    def terminator(self, block: Block) -> Operation | None:
        """Return the last operation of `block` if it is a terminator."""
        last = block.last_op
        is_terminator = last is not None and (
            last.has_trait(IsTerminator, value_if_unregistered=False)
            or bool(last.successors)
        )
        return last if is_terminator else None

    def is_used(self, value: SSAValue) -> bool:
        """Return whether an operation uses `value`."""
        return bool(value.uses)

    def insert(self, operation: Operation, before: Operation) -> None:
        """Move `operation` to the place before another one."""
        if operation.parent is not None:
            operation.parent.detach_op(operation)
        block = before.parent
        assert block is not None
        block.insert_op_before(operation, before)

    def erase(self, operation: Operation) -> None:
        """Erase `operation`."""
        assert operation.parent is not None
        operation.parent.erase_op(operation)

    def erase_blocks(self, blocks: Sequence[Block]) -> None:
        """Erase `blocks` of one region."""
        for block in blocks:
            region = block.parent
            assert region is not None
            region.detach_block(block)
            block.drop_all_references()
        for block in blocks:
            block.erase(safe_erase=False)
