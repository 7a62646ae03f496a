"""Replacement of the values that an edit removes, where they are used."""

from __future__ import annotations

from collections.abc import Sequence

from passgen_tools.adaptors import Value
from passgen_tools.reduce.numbered_ir import NumberedIR


def replace_used(
    ir: NumberedIR, removed: Sequence[Value], candidates: Sequence[Value], number: int
) -> None:
    """Replace each value of `removed` that is used by another value of its type.

    The candidate with the same index comes first, then the other candidates, then any
    value that is usable in the place of an operation.

    Args:
        ir: the IR.
        removed: the values that are replaced.
        candidates: the values that replace them if their types are equal.
        number: the number of the operation in whose place all values are used.
    """
    for index, value in enumerate(removed):
        if not ir.editor.is_used(value):
            continue
        same_index = candidates[index : index + 1]
        replacement = ir.value_for(value, number, [*same_index, *candidates])
        ir.editor.replace_uses(value, replacement)
