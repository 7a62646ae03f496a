"""Elements go from where they are written to where they are read, past the memory."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref, tensor
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from .generated.toy_forwarding_passes import (
    EraseUnreadBuffersPassBase,
    ForwardInsertedElementsPassBase,
    ForwardStoredElementsPassBase,
)


class ForwardInsertedElements(ForwardInsertedElementsPassBase):
    """Use the elements that were inserted instead of extracting them."""

    def run_on_operation(self) -> None:
        """Replace each extraction from a tensor by what was inserted there."""
        for read in list(self.operation.walk()):
            if isinstance(read, tensor.ExtractOp):
                write = read.tensor.owner
                if isinstance(write, tensor.InsertOp) and list(write.indices) == list(
                    read.indices
                ):
                    Rewriter.replace_op(read, [], [write.scalar])


class ForwardStoredElements(ForwardStoredElementsPassBase):
    """Use the elements that were stored instead of loading them."""

    def run_on_operation(self) -> None:
        """Replace each load by the store before it, if nothing is in between."""
        for read in list(self.operation.walk()):
            if isinstance(read, memref.LoadOp):
                write = next(_before(read), None)
                if (
                    isinstance(write, memref.StoreOp)
                    and write.memref is read.memref
                    and list(write.indices) == list(read.indices)
                ):
                    Rewriter.replace_op(read, [], [write.value])


class EraseUnreadBuffers(EraseUnreadBuffersPassBase):
    """Erase buffers that are only stored to."""

    def run_on_operation(self) -> None:
        """Erase each such allocation with all that is stored to it."""
        for operation in list(self.operation.walk()):
            if isinstance(operation, memref.AllocOp):
                users = [use.operation for use in operation.memref.uses]
                if all(_only_stores_to(user, operation) for user in users):
                    for each in (*users, operation):
                        Rewriter.erase_op(each)


def _before(operation: Operation) -> Iterator[Operation]:
    """Yield the operations before `operation` in its block that touch memory."""
    each = operation.prev_op
    while each is not None:
        if not isinstance(each, memref.AllocOp) and each.name.startswith("memref."):
            yield each
        elif each.regions or each.name == "func.call":
            return
        each = each.prev_op


def _only_stores_to(user: Operation, buffer: memref.AllocOp) -> bool:
    return (
        isinstance(user, memref.StoreOp)
        and user.memref is buffer.memref
        and user.value is not buffer.memref
    )
