"""Edits that make IR smaller; what they make may not be valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from passgen_tools.adaptors import Value
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
    """Yield the edits of regions, those of large operations first."""
    numbers = range(1, len(ir.operations))
    for number in sorted(numbers, key=ir.lengths.__getitem__, reverse=True):
        for index, blocks in enumerate(ir.editor.regions(ir.operations[number])):
            if blocks:
                yield partial(_empty, number=number, index=index)
            if len(blocks) == 1:
                yield partial(_hoist, number=number, index=index)


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


def _replace(
    ir: NumberedIR, values: Sequence[Value], others: Sequence[Value], number: int
) -> None:
    """Replace each of `values` by that of `others` with its index, if the types fit."""
    for index, value in enumerate(values):
        if ir.editor.is_used(value):
            fitting = [*others[index : index + 1], *others]
            ir.editor.replace_uses(value, ir.value_for(value, number, fitting))
