"""The semantics of operations: results, poison and undefined behavior.

They are about single integers; `shipped_semantics` has those of MLIR's dialects. Each
function gets the module `z3` first, or what stands in its place: `exhaustion` tries all
values at once, `concrete` has a single one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from inspect import Parameter, signature
from operator import or_
from typing import Any, NamedTuple, TypeAlias

from passgen_tools.verify.bit_tables import BitVector

Engine: TypeAlias = Any
Bits: TypeAlias = Any
Truth: TypeAlias = Any


class Type(NamedTuple):
    """A type of integers, or the name of another attribute, and its bits."""

    text: str
    width: int

    @property
    def is_integer(self) -> bool:
        """Whether it is a type of integers."""
        return self.text in {"index", f"i{self.width}"}

    def __str__(self) -> str:
        """Return the name in reports."""
        return f"index({self.width})" if self.text == "index" else self.text


class Value(NamedTuple):
    """The value of an operand, a result or an attribute."""

    bits: Bits
    poison: Truth
    type: Type


def _never(engine: Engine, *_: object) -> Truth:
    return engine.BoolVal(0)


def _any_poison(engine: Engine, *operands: Value) -> Truth:
    return reduce(or_, (operand.poison for operand in operands), engine.BoolVal(0))


def _fits_any(_operand: Type, _result: Type) -> bool:
    return True


@dataclass(frozen=True)
class Semantics:
    """The semantics of an operation.

    The functions get the engine first. `Bits` of the operands follow or, where poison
    of the operands matters, a `Value` of each.
    """

    value: Callable[..., Bits]
    """Returns the result, or a tuple of results.

    It gets the bits of the operands, those of the `attribute`, and the width of the
    result if `needs_width`.
    """

    attribute: str = ""
    """The name of the attribute with flags, a predicate or a value; empty if none."""

    poison: Callable[..., Truth] = _never
    """Returns whether the result is poison though no operand is; arguments as above."""

    undefined: Callable[..., Truth] = _never
    """Returns whether the behavior is undefined; gets values."""

    types: str = "aa:a"
    """A letter for each operand and, behind a colon, for each result.

    Equal letters are equal types; `1` is i1.
    """

    spread: Callable[..., Truth] = _any_poison
    """Returns whether operands make the result poison; gets values."""

    fits: Callable[[Type, Type], bool] = _fits_any
    """Returns whether the types of the first operand and the first result are valid."""

    keywords: Mapping[str, bool] = field(default_factory=dict)
    """The attributes of an operation of a pass, which `value` gets by name.

    Each has whether `value` has a default for it.
    """

    @property
    def num_operands(self) -> int:
        """The number of operands."""
        return self.types.index(":")

    @property
    def type_letters(self) -> str:
        """The letters of the types of the operands, then of the results."""
        return self.types.replace(":", "")

    @property
    def needs_width(self) -> bool:
        """Whether `value` and `poison` get the width of the result."""
        return self.types == "a:b"


def own_semantics(function: Callable[..., Bits], num_operands: int) -> Semantics:
    """Return the semantics of an operation whose result `function` calculates.

    Its keyword-only parameters are attributes.
    """

    def value(_: Engine, *operands: Bits, **attributes: Bits) -> Bits:
        # A condition is an error here; z3 may take terms that differ for unequal.
        function(
            *map(_zeros, operands),
            **{name: _zeros(bits) for name, bits in attributes.items()},
        )
        result = function(*operands, **attributes)
        if not (hasattr(result, "size") or type(result) is int):
            raise TypeError(f"expected bits, found {result!r}")
        return result

    operand_letters = "a" * num_operands
    return Semantics(value, types=f"{operand_letters}:a", keywords=_keywords(function))


def _zeros(bits: Bits) -> BitVector:
    """Return as many bits, all of them 0."""
    return BitVector([0] * bits.size())


def _keywords(function: Callable[..., Bits]) -> dict[str, bool]:
    """Return the keyword-only parameters, each with whether it has a default."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions in C have no signature
        return {}
    return {
        parameter.name: parameter.default is not Parameter.empty
        for parameter in parameters
        if parameter.kind is Parameter.KEYWORD_ONLY
    }
