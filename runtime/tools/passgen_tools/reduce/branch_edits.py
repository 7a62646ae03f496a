"""Edits of branches: operations that end a block and continue in other blocks."""

from __future__ import annotations

from collections.abc import Sequence

from passgen_runtime.context import Operation
from passgen_tools.adaptors import Block, Editor
from passgen_tools.reduce.numbered_ir import NumberedIR
from passgen_tools.reduce.replacements import replace_used


def leave_region(ir: NumberedIR, number: int) -> None:
    """Replace a branch by a copy of a terminator that leaves the region, if any.

    For example, `cf.br ^bb1` is replaced by a copy of the `func.return` of `^bb1`.
    """
    editor = ir.editor
    branch = ir.operations[number]
    blocks = _blocks_around(ir, number)
    leaving = _first_without_successors(editor, blocks)
    if leaving is None:
        return
    copy = ir.context.clone(leaving)
    for index, operand in enumerate(editor.operands(copy)):
        value = ir.value_for(operand, number, editor.operands(branch))
        editor.set_operand(copy, index, value)
    editor.insert(copy, branch)
    editor.erase(branch)
    _erase_unreachable(editor, blocks)


def inline_successor(ir: NumberedIR, number: int, index: int) -> None:
    """Replace a branch by the content of a successor that has no other predecessor.

    The IR does not change if the successor is the first block of the region, the block
    of the branch itself, or the target of another branch.
    """
    editor = ir.editor
    branch = ir.operations[number]
    successor = editor.successors(branch)[index]
    content = list(editor.operations(successor))
    blocks = _blocks_around(ir, number)
    is_entry = successor == blocks[0]
    is_loop = branch in content
    if is_entry or is_loop or _num_branches_to(successor, editor, blocks) > 1:
        return
    replace_used(ir, editor.arguments(successor), editor.operands(branch), number)
    for operation in content:
        editor.insert(operation, branch)
    editor.erase(branch)
    _erase_unreachable(editor, blocks)


def _blocks_around(ir: NumberedIR, number: int) -> list[Block]:
    """Return the blocks of the region that an operation is in."""
    operation = ir.operations[number]
    parent = ir.context.parent(operation)
    for blocks in ir.editor.regions(parent):
        for block in blocks:
            if operation in ir.editor.operations(block):
                return blocks
    raise LookupError(operation)


def _first_without_successors(
    editor: Editor, blocks: Sequence[Block]
) -> Operation | None:
    """Return the first terminator of `blocks` that continues in no block."""
    for block in blocks:
        terminator = editor.terminator(block)
        if terminator is not None and not editor.successors(terminator):
            return terminator
    return None


def _num_branches_to(target: Block, editor: Editor, blocks: Sequence[Block]) -> int:
    """Return how often the terminators of `blocks` have `target` as a successor."""
    return sum(_successors(editor, block).count(target) for block in blocks)


def _successors(editor: Editor, block: Block) -> list[Block]:
    """Return the blocks in which `block` may continue."""
    terminator = editor.terminator(block)
    return [] if terminator is None else editor.successors(terminator)


def _erase_unreachable(editor: Editor, blocks: Sequence[Block]) -> None:
    """Erase the blocks of a region that cannot be reached from its first block."""
    reached = [blocks[0]]
    for block in reached:  # the loop visits the blocks that it appends, too
        for successor in _successors(editor, block):
            if successor not in reached:
                reached.append(successor)
    unreachable = [block for block in blocks if block not in reached]
    if unreachable:
        editor.erase_blocks(unreachable)
