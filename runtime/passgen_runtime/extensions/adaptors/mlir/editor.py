"""Editing of MLIR's IR."""

from __future__ import annotations

from collections.abc import Sequence

from passgen_runtime.extensions.adaptors.editing import Block, Editor, Value
from passgen_runtime.ir.mlir.bindings import MLIRObject, bindings_of, package_of


class MLIREditor(Editor):
    """Changes operations of MLIR's IR."""

    def operations(self, block: Block) -> list[MLIRObject]:
        """Return the operations in `block`."""
        return [operation.operation for operation in block.operations]

    def arguments(self, block: Block) -> Sequence[Value]:
        """Return the arguments of `block`."""
        return list(block.arguments)

    def terminator(self, block: Block) -> MLIRObject | None:
        """Return the last operation of `block` if it is a terminator.

        The bindings tell no traits, but where an insertion point at a terminator is.
        """
        last = None
        for operation in block.operations:
            last = operation.operation
        if last is None or last.successors:
            return last
        point = bindings_of(package_of(last)).ir.InsertionPoint
        try:
            point.at_block_terminator(block)
        except ValueError:
            return None
        return last

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
        context = blocks[0].owner.context
        with context, ir.Location.unknown():
            grave = ir.Operation.create("builtin.module", regions=1, ip=False)
        for block in blocks:
            block.append_to(grave.regions[0])
        grave.erase()
