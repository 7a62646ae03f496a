"""The operands that branches forward to their successors.

Source: `BranchOpInterface` of MLIR. xDSL has no such interface, so the branches of the
`cf` dialect are known by their classes; any other terminator with successors is opaque.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter


def forwarded_operands(branch: Operation) -> list[list[SSAValue]] | None:
    """Return the operands for each successor, `None` if `branch` is opaque."""
    match branch:
        case cf.BranchOp():
            return [list(branch.arguments)]
        case cf.ConditionalBranchOp():
            return [list(branch.then_arguments), list(branch.else_arguments)]
        case cf.SwitchOp():
            return [list(branch.default_operands), *map(list, branch.case_operand)]
        case _:
            return None


def selecting_operands(branch: Operation) -> list[SSAValue]:
    """Return the operands that select a successor; all operands of an opaque branch."""
    match branch:
        case cf.BranchOp():
            return []
        case cf.ConditionalBranchOp():
            return [branch.cond]
        case cf.SwitchOp():
            return [branch.flag]
        case _:
            return list(branch.operands)


def replace_branch(
    branch: Operation,
    successors: Sequence[Block],
    operands: Sequence[Sequence[SSAValue]],
) -> Operation:
    """Replace `branch`, which is not opaque, by one to `successors`; return that."""
    new: Operation
    match branch:
        case cf.BranchOp():
            new = cf.BranchOp(successors[0], *operands[0])
        case cf.ConditionalBranchOp():
            new = cf.ConditionalBranchOp(
                branch.cond, successors[0], operands[0], successors[1], operands[1]
            )
        case cf.SwitchOp():
            new = cf.SwitchOp(
                branch.flag,
                successors[0],
                operands[0],
                branch.case_values,
                successors[1:],
                operands[1:],
            )
        case _:
            raise ValueError(f"'{branch.name}' is not a known branch")
    new.attributes = dict(branch.attributes)
    new.location = branch.location
    Rewriter.replace_op(branch, new)
    return new


def incoming(block: Block) -> list[tuple[Operation, int]] | None:
    """Return the branches to `block` and its index among the successors of each.

    `None` if one of them is opaque.
    """
    edges = []
    for use in block.uses:
        if forwarded_operands(use.operation) is None:
            return None
        edges.append((use.operation, use.index))
    return edges
