"""Editing of MLIR's IR."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from passgen_runtime.ir.mlir.bindings import MLIRObject, bindings_of, package_of
from passgen_tools.adaptors.editing import Block, Editor, Value


class MLIREditor(Editor):
    """Changes operations of MLIR's IR."""

    def walk(self, root: MLIRObject) -> list[MLIRObject]:
        """Return `root` and all operations inside it.

        MLIR's walk is faster than blocks, which look for a Python class of each.
        """
        ir = bindings_of(package_of(root)).ir
        operations: list[MLIRObject] = []

        def add(operation: MLIRObject) -> MLIRObject:
            operations.append(operation)
            return ir.WalkResult.ADVANCE

        root.walk(add, ir.WalkOrder.PRE_ORDER)
        return operations

    def entry_block(self, operation: MLIRObject) -> Block:
        """Return the first block of the region that `operation` is in."""
        return operation.block.region.blocks[0]

    def operations(self, block: Block) -> Iterable[MLIRObject]:
        """Return the operations in `block`."""
        return (operation.operation for operation in block.operations)

    def arguments(self, block: Block) -> Sequence[Value]:
        """Return the arguments of `block`."""
        return list(block.arguments)

    def terminator(self, block: Block) -> MLIRObject | None:
        """Return the last operation of `block` if it is a terminator.

        The bindings tell no traits, but where an insertion point at a terminator is.
        """
        point = bindings_of(package_of(block)).ir.InsertionPoint
        try:
            return point.at_block_terminator(block).ref_operation.operation
        except ValueError:
            return block.operations[-1].operation if len(block.successors) > 0 else None

    def is_used(self, value: Value) -> bool:
        """Return whether an operation uses `value`."""
        return next(iter(value.uses), None) is not None

    def insert(self, operation: MLIRObject, before: MLIRObject) -> None:
        """Move `operation` to the place before another one."""
        if operation.attached:
            operation.move_before(before)
        else:
            bindings_of(package_of(before)).ir.InsertionPoint(before).insert(operation)

    def erase(self, operation: MLIRObject) -> None:
        """Erase `operation`."""
        operation.erase()

    def erase_blocks(self, blocks: Sequence[Block]) -> None:
        """Erase `blocks` of one region, in an operation made for that."""
        ir = bindings_of(package_of(blocks[0])).ir
        with blocks[0].owner.context, ir.Location.unknown():
            holder = ir.Operation.create("builtin.module", regions=1, ip=False)
        for block in blocks:
            block.append_to(holder.regions[0])
        holder.erase()
