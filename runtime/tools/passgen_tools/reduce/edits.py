"""Edits that make IR smaller; what they make may not be valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from passgen_runtime.context import Operation
from passgen_tools.adaptors import Block, Editor, Value
from passgen_tools.reduce.numbered_ir import NumberedIR

Edit: TypeAlias = Callable[[NumberedIR], None]
"""Changes IR whose numbers it knows."""


def remove(ir: NumberedIR, numbers: Sequence[int], *, constant: bool) -> None:
    """Remove operations, none of which is inside another one.

    Values that are used elsewhere are replaced by constants if `constant`; else by
    operands, arguments or constants.
    """
    editor = ir.editor
    for number in sorted(numbers, reverse=True):  # users before what they use
        operation = ir.operations[number]
        results = editor.results(operation)
        operands = [] if constant else editor.operands(operation)
        others = [operand for operand in operands if operand not in results]
        for result in filter(editor.is_used, results):
            other = ir.value_for(result, number, others, constant=constant)
            editor.replace_uses(result, other)
        editor.erase(operation)


def region_edits(ir: NumberedIR) -> Iterator[Edit]:
    """Yield the edits of regions and branches, those of large operations first."""
    numbers = range(1, len(ir.operations))
    for number in sorted(numbers, key=ir.lengths.__getitem__, reverse=True):
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
    yielded: list[Value] = []
    _replace(ir, editor.arguments(block), editor.operands(operation), number)
    if content and editor.terminator(block) is not None:
        yielded = editor.operands(content.pop())
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
    all_targets = [other for block in blocks for other in _targets(editor, block)]
    is_entry = target == blocks[0]
    if is_entry or branch in content or all_targets.count(target) > 1:
        return
    _replace(ir, editor.arguments(target), editor.operands(branch), number)
    for inner in content:
        editor.insert(inner, branch)
    editor.erase(branch)
    _erase_unreachable(editor, blocks)


def _replace(
    ir: NumberedIR, values: Sequence[Value], others: Sequence[Value], number: int
) -> None:
    """Replace each of `values` by that of `others` with its index, if the types fit."""
    for index, value in enumerate(values):
        if ir.editor.is_used(value):
            fitting = [*others[index : index + 1], *others]
            ir.editor.replace_uses(value, ir.value_for(value, number, fitting))


def _blocks_around(ir: NumberedIR, number: int) -> list[Block]:
    """Return the blocks of the region that an operation is in."""
    operation = ir.operations[number]
    regions = ir.editor.regions(ir.context.parent(operation))
    return next(
        blocks
        for blocks in regions
        for block in blocks
        if operation in ir.editor.operations(block)
    )


def _leaving_operation(editor: Editor, blocks: Sequence[Block]) -> Operation | None:
    """Return the first terminator in `blocks` that continues in none of them."""
    for block in blocks:
        last = editor.terminator(block)
        if last is not None and not editor.successors(last):
            return last
    return None


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
