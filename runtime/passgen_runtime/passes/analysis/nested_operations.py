"""The operations and regions inside others, listed in linear time.

xDSL's `walk` hands each operation through a generator for each level of nesting, which
takes quadratic time in deep nests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Block, Operation, Region, SSAValue


def operations_in(op: Operation) -> Iterator[Operation]:
    """Return the operations directly inside `op`, in order."""
    return (
        inner for region in op.regions for block in region.blocks for inner in block.ops
    )


def defining_region(value: SSAValue) -> Region | None:
    """Return the region that directly has the definition of `value`."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    return None if block is None else block.parent


def walk(
    root: Operation, *, reverse: bool = False, region_first: bool = False
) -> list[Operation]:
    """Return `root` and all operations inside it, as `Operation.walk` orders them."""
    # The last one first, and each before those inside it, is the order of
    # `region_first` from its end.
    last_first = reverse != region_first
    found: list[Operation] = []
    pending = [root]
    while pending:
        op = pending.pop()
        found.append(op)
        if op.regions:
            inside = list(operations_in(op))
            pending.extend(inside if last_first else reversed(inside))
    if region_first:
        found.reverse()
    return found


def regions_within(regions: Iterable[Region]) -> list[Region]:
    """Return `regions` and all regions inside them, inner ones first."""
    found: list[Region] = []
    pending = list(regions)
    while pending:
        region = pending.pop()
        found.append(region)
        for block in region.blocks:
            for op in block.ops:
                pending.extend(op.regions)
    found.reverse()
    return found
