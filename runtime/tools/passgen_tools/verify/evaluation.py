"""The evaluation of an operation on known numbers, by the semantics of patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from passgen_runtime.context import Operation
from passgen_tools.verify import attributes
from passgen_tools.verify.concrete import CONCRETE, Number
from passgen_tools.verify.semantics import SEMANTICS, Type, Value

EVALUATED: Final = frozenset(SEMANTICS.keys() - {"arith.constant"})
"""The names of the operations that can be evaluated."""


class UndefinedBehaviorError(Exception):
    """An operation has undefined behavior for its operands."""


def evaluate(
    name: str,
    operation: Operation,
    operands: Sequence[int | None],
    types: tuple[Sequence[Type], Sequence[Type]],
) -> list[int | None]:
    """Return the signed results of an operation; `None` stands for poison.

    Args:
        name: of the operation, one of `EVALUATED`.
        operation: has the attributes.
        operands: the numbers, signed or not; `None` stands for poison.
        types: of the operands and of the results.

    Raises:
        UndefinedBehaviorError: the behavior is undefined for these operands.
    """
    semantics = SEMANTICS[name]
    operand_types, result_types = types
    values = [
        Value(Number(number or 0, type_.width), number is None, type_)
        for number, type_ in zip(operands, operand_types, strict=True)
    ]
    if semantics.undefined(CONCRETE, *values):
        raise UndefinedBehaviorError(name)
    bits = [value.bits for value in values]
    if semantics.attribute:
        found = attributes.field_of(operation, semantics.attribute)
        number, _ = attributes.number_of(found) or (0, "")
        bits.append(Number(number, attributes.WIDTHS[semantics.attribute]))
    if semantics.types == "a:b":
        bits.append(result_types[0].width)
    if semantics.spread(CONCRETE, *values) or semantics.poison(CONCRETE, *bits):
        return [None] * len(result_types)
    result = semantics.value(CONCRETE, *bits)
    return [number.signed for number in _listed(result)]


def _listed(result: Number | tuple[Number, ...]) -> tuple[Number, ...]:
    return result if isinstance(result, tuple) else (result,)
