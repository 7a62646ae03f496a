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
    """Yield the edits of regions and blocks, those of large operations first."""
    numbers = range(1, len(ir.operations))
    for number in sorted(numbers, key=ir.lengths.__getitem__, reverse=True):
        operation = ir.operations[number]
        for index, blocks in enumerate(ir.editor.regions(operation)):
            if blocks:
                yield partial(_empty, number=number, index=index)
            if len(blocks) == 1:
                yield partial(_hoist, number=number, index=index)
        successors = ir.editor.successors(operation)
        if successors:
            yield partial(_leave, number=number)
        for index in range(len(successors)):
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
    """Replace a branch by a copy of an operation that leaves the region."""
    editor, branch = ir.editor, ir.operations[number]
    for blocks in _regions_of(ir, number):
        for block in blocks:
            last = editor.terminator(block)
            if last is not None and not editor.successors(last):
                copy = ir.context.clone(last)
                for index, operand in enumerate(editor.operands(copy)):
                    value = ir.value_for(operand, number, editor.operands(branch))
                    editor.set_operand(copy, index, value)
                editor.insert(copy, branch)
                editor.erase(branch)
                _erase_unreachable(editor, blocks)
                return


def _merge(ir: NumberedIR, number: int, index: int) -> None:
    """Replace a branch by the content of one of its blocks, if only it goes there."""
    editor, branch = ir.editor, ir.operations[number]
    target = editor.successors(branch)[index]
    for blocks in _regions_of(ir, number):
        targets = [next_ for block in blocks for next_ in _successors(editor, block)]
        content = list(editor.operations(target))
        if targets.count(target) > 1 or target == blocks[0] or branch in content:
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


def _regions_of(ir: NumberedIR, number: int) -> Iterator[list[Block]]:
    """Yield the blocks of the region that the operation is in."""
    operation: Operation = ir.operations[number]
    for blocks in ir.editor.regions(ir.context.parent(operation)):
        if any(operation in ir.editor.operations(block) for block in blocks):
            yield blocks


def _successors(editor: Editor, block: Block) -> list[Block]:
    last = editor.terminator(block)
    return [] if last is None else editor.successors(last)


def _erase_unreachable(editor: Editor, blocks: Sequence[Block]) -> None:
    reached = [blocks[0]]
    for block in reached:  # it grows
        reached += [
            target for target in _successors(editor, block) if target not in reached
        ]
    unreachable = [block for block in blocks if block not in reached]
    if unreachable:
        editor.erase_blocks(unreachable)
