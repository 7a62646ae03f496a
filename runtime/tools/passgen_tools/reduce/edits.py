"""Edits that make IR smaller; what they make may not be valid.

An edit finds operations by their numbers, so that one that was tried on a copy can be
applied to the IR itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from passgen_tools.adaptors import Value
from passgen_tools.reduce.branch_edits import inline_successor, leave_region
from passgen_tools.reduce.numbered_ir import NumberedIR
from passgen_tools.reduce.replacements import replace_used

Edit: TypeAlias = Callable[[NumberedIR], None]
"""Changes IR in place."""


def remove(ir: NumberedIR, numbers: Sequence[int], *, constant: bool) -> None:
    """Remove operations, none of which is inside another one.

    Values that are used elsewhere are replaced by constants if `constant`; else by
    operands, arguments or constants.
    """
    users_first = sorted(numbers, reverse=True)
    for number in users_first:
        _remove_operation(ir, number, constant=constant)


def _remove_operation(ir: NumberedIR, number: int, *, constant: bool) -> None:
    """Replace the used results of an operation, then erase it."""
    editor = ir.editor
    operation = ir.operations[number]
    results = editor.results(operation)
    replacements: list[Value] = []
    if not constant:
        # In a graph region, an operation may use its own results.
        replacements = [
            operand for operand in editor.operands(operation) if operand not in results
        ]
    for result in results:
        if editor.is_used(result):
            value = ir.value_for(result, number, replacements, constant=constant)
            editor.replace_uses(result, value)
    editor.erase(operation)


def region_edits(ir: NumberedIR) -> Iterator[Edit]:
    """Yield the edits of regions and branches, those of large operations first."""
    numbers_inside_root = range(1, len(ir.operations))
    largest_first = sorted(
        numbers_inside_root, key=lambda number: ir.lengths[number], reverse=True
    )
    for number in largest_first:
        yield from _edits_of_regions(ir, number)
        yield from _edits_of_branch(ir, number)


def _edits_of_regions(ir: NumberedIR, number: int) -> Iterator[Edit]:
    """Yield the edits of the regions of an operation."""
    regions = ir.editor.regions(ir.operations[number])
    for index, blocks in enumerate(regions):
        if blocks:
            yield partial(_empty_region, number=number, index=index)
        if len(blocks) == 1:
            yield partial(_hoist_region, number=number, index=index)


def _edits_of_branch(ir: NumberedIR, number: int) -> Iterator[Edit]:
    """Yield the edits of an operation that continues in other blocks, if it does."""
    successors = ir.editor.successors(ir.operations[number])
    if successors:
        yield partial(leave_region, number=number)
    for index in range(len(successors)):
        yield partial(inline_successor, number=number, index=index)


def _empty_region(ir: NumberedIR, number: int, index: int) -> None:
    """Erase all blocks of a region of an operation."""
    regions = ir.editor.regions(ir.operations[number])
    ir.editor.erase_blocks(regions[index])


def _hoist_region(ir: NumberedIR, number: int, index: int) -> None:
    """Replace an operation by the content of a region of one block.

    The operands of the operation replace the arguments of the block, and what its
    terminator yields replaces the results of the operation.
    """
    editor = ir.editor
    operation = ir.operations[number]
    (block,) = editor.regions(operation)[index]
    content = list(editor.operations(block))
    replace_used(ir, editor.arguments(block), editor.operands(operation), number)
    yielded: list[Value] = []
    has_terminator = bool(content) and editor.terminator(block) is not None
    if has_terminator:
        terminator = content.pop()
        yielded = editor.operands(terminator)
    replace_used(ir, editor.results(operation), yielded, number)
    for inner in content:
        editor.insert(inner, operation)
    editor.erase(operation)
