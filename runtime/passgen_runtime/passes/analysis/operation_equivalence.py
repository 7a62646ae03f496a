"""Equivalence of blocks and regions: they are equal but for the names of values.

Source: `OperationEquivalence` of MLIR. xDSL's own `is_structurally_equivalent` does not
look at result types, and compares operands of commutative operations in order.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import Commutative

ValueMap = dict[SSAValue, SSAValue]
BlockMap = dict[Block, Block]


def operand_key(op: Operation, operands: Iterable[SSAValue]) -> tuple[int, ...]:
    """Return a key for `operands` of `op`, without their order if it is commutative."""
    key = [id(operand) for operand in operands]
    if op.has_trait(Commutative, value_if_unregistered=False):
        key.sort()
    return tuple(key)


def are_regions_equivalent(
    lhs: Region,
    rhs: Region,
    values: ValueMap | None = None,
    blocks: BlockMap | None = None,
) -> bool:
    """Return whether two regions are equal but for the names of what they define.

    `values` and `blocks` map the left side to the right one; a value or block that is
    not in them is the same on both sides.
    """
    if len(lhs.blocks) != len(rhs.blocks):
        return False
    values = {} if values is None else values
    blocks = {} if blocks is None else blocks
    pairs = list(zip(lhs.blocks, rhs.blocks, strict=True))
    # All blocks first: branches also go forward.
    blocks.update(pairs)
    return all(
        are_blocks_equivalent(left, right, values, blocks) for left, right in pairs
    )


def are_blocks_equivalent(
    lhs: Block, rhs: Block, values: ValueMap, blocks: BlockMap
) -> bool:
    """Return whether two blocks are equal but for the names of what they define."""
    if lhs.arg_types != rhs.arg_types:
        return False
    values.update(zip(lhs.args, rhs.args, strict=True))
    left, right = lhs.first_op, rhs.first_op
    while left is not None and right is not None:
        if not _are_operations_equivalent(left, right, values, blocks):
            return False
        left, right = left.next_op, right.next_op
    return left is right is None


def _are_operations_equivalent(
    lhs: Operation, rhs: Operation, values: ValueMap, blocks: BlockMap
) -> bool:
    if (
        type(lhs) is not type(rhs)
        or lhs.result_types != rhs.result_types
        or lhs.attributes != rhs.attributes
        or lhs.properties != rhs.properties
        or len(lhs.regions) != len(rhs.regions)
    ):
        return False
    mapped = (values.get(operand, operand) for operand in lhs.operands)
    if operand_key(lhs, mapped) != operand_key(rhs, rhs.operands):
        return False
    successors = [blocks.get(block, block) for block in lhs.successors]
    if successors != list(rhs.successors):
        return False
    if not all(
        are_regions_equivalent(left, right, values, blocks)
        for left, right in zip(lhs.regions, rhs.regions, strict=True)
    ):
        return False
    values.update(zip(lhs.results, rhs.results, strict=True))
    return True
