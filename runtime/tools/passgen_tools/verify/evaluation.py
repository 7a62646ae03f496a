"""The evaluation of operations on known numbers, by the semantics of patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError
from passgen_runtime.patterns import library_of
from passgen_tools.verify.attributes import WIDTHS, AttributeNumbers
from passgen_tools.verify.concrete import CONCRETE, Number
from passgen_tools.verify.semantics import Type, Value
from passgen_tools.verify.shipped_semantics import SEMANTICS

EVALUATED: Final = frozenset(SEMANTICS.keys() - {"arith.constant", "ub.poison"})
"""The names of the operations that can be evaluated."""


class UndefinedBehaviorError(Exception):
    """An operation has undefined behavior for its operands."""


def evaluate(
    name: str,
    attribute: int,
    operands: Sequence[int | None],
    types: tuple[Sequence[Type], Sequence[Type]],
) -> list[int | None]:
    """Return the signed results of an operation; `None` stands for poison.

    Args:
        name: of the operation, one of `EVALUATED`.
        attribute: the number that stands for its flags or its predicate.
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
        bits.append(Number(attribute, WIDTHS[semantics.attribute]))
    if semantics.needs_width:
        bits.append(result_types[0].width)
    if semantics.spread(CONCRETE, *values) or semantics.poison(CONCRETE, *bits):
        return [None] * len(result_types)
    result = semantics.value(CONCRETE, *bits)
    return [number.signed for number in _listed(result)]


class FlagReader:
    """Reads the flags and predicates of operations of one context as numbers."""

    def __init__(self, context: Context) -> None:
        """Read operations of `context`.

        Raises:
            PassError: its IR library has no patterns.
        """
        library = library_of(context)
        if library is None:
            raise PassError(f"the IR of '{context.library}' has no patterns")
        self._context = context  # the library does not keep it
        self._numbers = AttributeNumbers(library)

    def number(self, operation: Operation) -> int:
        """Return the number that `evaluate` gets for an operation it evaluates."""
        attribute = SEMANTICS[self._context.name(operation)].attribute
        if not attribute:
            return 0
        return self._numbers.number_in(operation, Type(attribute, WIDTHS[attribute]))


def _listed(result: Number | tuple[Number, ...]) -> tuple[Number, ...]:
    return result if isinstance(result, tuple) else (result,)
