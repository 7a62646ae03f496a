"""Edits that make IR smaller; what they make may not be valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from passgen_runtime.context import Operation
from passgen_tools.adaptors import Block, Editor, Value
from passgen_tools.reduce.numbered_ir import NumberedIR

Edit: TypeAlias = Callable[[NumberedIR], None]
"""Changes IR in place; it finds operations by their numbers."""


def remove(ir: NumberedIR, numbers: Sequence[int], *, constant: bool) -> None:
    """Remove operations, none of which is inside another one.

    Values that are used elsewhere are replaced by constants if `constant`; else by
    operands, arguments or constants.
    """
    for number in sorted(numbers, reverse=True):  # users before what they use
        _remove_operation(ir, number, constant=constant)


def _remove_operation(ir: NumberedIR, number: int, *, constant: bool) -> None:
    """Remove an operation after its used results have been replaced."""
    editor, operation = ir.editor, ir.operations[number]
    results = editor.results(operation)
    replacements: list[Value] = []
    if not constant:
        operands = editor.operands(operation)
        # In a graph region, an operation may use its own results.
        replacements = [operand for operand in operands if operand not in results]
    for result in results:
        if editor.is_used(result):
            value = ir.value_for(result, number, replacements, constant=constant)
            editor.replace_uses(result, value)
    editor.erase(operation)


def region_edits(ir: NumberedIR) -> Iterator[Edit]:
    """Yield the edits of regions and branches, those of large operations first."""
    numbers = range(1, len(ir.operations))
    largest_first = sorted(numbers, key=lambda number: ir.lengths[number], reverse=True)
    for number in largest_first:
        operation = ir.operations[number]
        for index, blocks in enumerate(ir.editor.regions(operation)):
            if blocks:
                yield partial(_empty, number=number, index=index)
            if len(blocks) == 1:
                yield partial(_hoist, number=number, index=index)
        targets = ir.editor.successors(operation)
        if targets:
            yield partial(_leave, number=number)
        for index in range(len(targets)):
            yield partial(_merge, number=number, index=index)


def _empty(ir: NumberedIR, number: int, index: int) -> None:
    """Erase all blocks of a region."""
    ir.editor.erase_blocks(ir.editor.regions(ir.operations[number])[index])


def _hoist(ir: NumberedIR, number: int, index: int) -> None:
    """Replace an operation by the content of a region of one block."""
    editor, operation = ir.editor, ir.operations[number]
    (block,) = editor.regions(operation)[index]
    content = list(editor.operations(block))
    _replace(ir, editor.arguments(block), editor.operands(operation), number)
    yielded: list[Value] = []
    if content and editor.terminator(block) is not None:
        terminator = content.pop()
        yielded = editor.operands(terminator)
    _replace(ir, editor.results(operation), yielded, number)
    for inner in content:
        editor.insert(inner, operation)
    editor.erase(operation)


def _leave(ir: NumberedIR, number: int) -> None:
    """Replace a branch by a copy of an operation that leaves its region."""
    editor, branch = ir.editor, ir.operations[number]
    blocks = _blocks_around(ir, number)
    leaving = _leaving_operation(editor, blocks)
    if leaving is None:
        return
    copy = ir.context.clone(leaving)
    for index, operand in enumerate(editor.operands(copy)):
        value = ir.value_for(operand, number, editor.operands(branch))
        editor.set_operand(copy, index, value)
    editor.insert(copy, branch)
    editor.erase(branch)
    _erase_unreachable(editor, blocks)


def _merge(ir: NumberedIR, number: int, index: int) -> None:
    """Replace a branch by the content of a block that it alone goes to."""
    editor, branch = ir.editor, ir.operations[number]
    target = editor.successors(branch)[index]
    content = list(editor.operations(target))
    blocks = _blocks_around(ir, number)
    is_entry = target == blocks[0]
    is_loop = branch in content
    if is_entry or is_loop or _num_branches(editor, blocks, target) > 1:
        return
    _replace(ir, editor.arguments(target), editor.operands(branch), number)
    for inner in content:
        editor.insert(inner, branch)
    editor.erase(branch)
    _erase_unreachable(editor, blocks)


def _replace(
    ir: NumberedIR, values: Sequence[Value], others: Sequence[Value], number: int
) -> None:
    """Replace each used value by one of `others` that has its type.

    That with the same index is preferred; if none has the type, it is another value
    that operation `number` can use.
    """
    for index, value in enumerate(values):
        if ir.editor.is_used(value):
            same_index = others[index : index + 1]
            replacement = ir.value_for(value, number, [*same_index, *others])
            ir.editor.replace_uses(value, replacement)


def _blocks_around(ir: NumberedIR, number: int) -> list[Block]:
    """Return the blocks of the region that an operation is in."""
    operation = ir.operations[number]
    for blocks in ir.editor.regions(ir.context.parent(operation)):
        for block in blocks:
            if operation in ir.editor.operations(block):
                return blocks
    raise LookupError(operation)


def _leaving_operation(editor: Editor, blocks: Sequence[Block]) -> Operation | None:
    """Return the first terminator in `blocks` that continues in none of them."""
    for block in blocks:
        last = editor.terminator(block)
        if last is not None and not editor.successors(last):
            return last
    return None


def _num_branches(editor: Editor, blocks: Sequence[Block], target: Block) -> int:
    """Return how often terminators in `blocks` name `target`."""
    return sum(_targets(editor, block).count(target) for block in blocks)


def _targets(editor: Editor, block: Block) -> list[Block]:
    """Return the blocks in which `block` may continue."""
    last = editor.terminator(block)
    return [] if last is None else editor.successors(last)


def _erase_unreachable(editor: Editor, blocks: Sequence[Block]) -> None:
    """Erase those of the `blocks` of a region that its first one does not reach."""
    reached = [blocks[0]]
    for block in reached:  # grows meanwhile
        for target in _targets(editor, block):
            if target not in reached:
                reached.append(target)
    unreachable = [block for block in blocks if block not in reached]
    if unreachable:
        editor.erase_blocks(unreachable)
