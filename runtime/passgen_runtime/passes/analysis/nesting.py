"""The operations inside an operation."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation


def operations_in(op: Operation) -> Iterator[Operation]:
    """Return the operations directly inside `op`, in order."""
    return (
        inner for region in op.regions for block in region.blocks for inner in block.ops
    )


def nested_operations(root: Operation, *, inner_first: bool = False) -> list[Operation]:
    """Return `root` and all operations inside it, in the order of the program.

    The time is linear in their number. xDSL's `walk` hands each operation through a
    generator for each level, so that its time grows with the depth of the nest, too.

    Args:
        root: the first of the operations, or the last one.
        inner_first: whether operations come behind those inside them.
    """
    found: list[Operation] = []
    pending = [root]
    while pending:
        op = pending.pop()
        found.append(op)
        inside = list(operations_in(op))
        # The stack yields the last operation first; `inner_first` turns all around.
        pending += inside if inner_first else reversed(inside)
    return found[::-1] if inner_first else found
