"""The semantics of operations: results, poison and undefined behavior.

They are those that MLIR's `ArithOps.td` and `MathOps.td` describe, on single integers.
Each function gets the module `z3` first, or what stands in its place: `exhaustion`
tries all values at once, `concrete` has a single one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Final, NamedTuple, TypeAlias

from passgen_tools.verify.exhaustion import BitVector

Engine: TypeAlias = Any
Bits: TypeAlias = Any
Truth: TypeAlias = Any


class Type(NamedTuple):
    """A type of integers, or the name of another attribute, and its bits."""

    text: str
    width: int

    def __str__(self) -> str:
        """Return the name in reports."""
        return f"index({self.width})" if self.text == "index" else self.text


class Value(NamedTuple):
    """The value of an operand, a result or an attribute."""

    bits: Bits
    poison: Truth
    type: Type


def _from_any(engine: Engine, *operands: Value) -> Truth:
    return reduce(or_, (operand.poison for operand in operands), engine.BoolVal(0))


@dataclass(frozen=True)
class Semantics:
    """The semantics of an operation.

    Each function gets the engine first. "Bits" of an operation are those of its
    operands, of its attribute if it has one, and for a cast the width of the result.
    """

    value: Callable[..., Bits]
    """Returns the result, or a tuple of results, for the bits of the operation."""

    attribute: str = ""
    """The name of the attribute that the result depends on."""

    poison: Callable[..., Truth] = lambda engine, *_: engine.BoolVal(0)
    """Returns for the bits whether the operation itself makes poison."""

    undefined: Callable[..., Truth] = lambda engine, *_: engine.BoolVal(0)
    """Returns for the `Value` of each operand whether the behavior is undefined."""

    types: str = "aa:a"
    """A letter for the type of each operand and, behind the colon, of each result.

    Equal letters are equal types; `1` is i1.
    """

    spread: Callable[..., Truth] = _from_any
    """Returns for the `Value` of each operand whether its poison reaches the result."""

    fits: Callable[[Type, Type], bool] = lambda _operand, _result: True
    """Returns whether the types of the first operand and the first result fit."""


def _overflow(engine: Engine, flags: Bits, signed: Truth, unsigned: Truth) -> Truth:
    """Return whether a wrap happens that `nsw`, bit 0, or `nuw`, bit 1, excludes."""
    nsw, nuw = (engine.Extract(bit, bit, flags) == 1 for bit in (0, 1))
    return (nsw & signed) | (nuw & unsigned)


def _wrapping(apply: Callable[[Bits, Bits], Bits]) -> Semantics:
    """Return the semantics of `+`, `-` or `*`, which `apply` calculates."""

    def poison(engine: Engine, a: Bits, b: Bits, flags: Bits) -> Truth:
        def wraps(extend: Callable[[int, Bits], Bits]) -> Truth:
            more = a.size()  # as many bits as the exact product
            return apply(extend(more, a), extend(more, b)) != extend(more, apply(a, b))

        return _overflow(engine, flags, wraps(engine.SignExt), wraps(engine.ZeroExt))

    return Semantics(lambda _, a, b, _flags: apply(a, b), "overflowFlags", poison)


def _wide_product(extension: str) -> Semantics:
    """Return the semantics of a product of twice as many bits, in two halves."""

    def value(engine: Engine, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        width, extend = a.size(), getattr(engine, extension)
        product = extend(width, a) * extend(width, b)
        high = engine.Extract(2 * width - 1, width, product)
        return engine.Extract(width - 1, 0, product), high

    return Semantics(value, types="aa:aa")


def _bad_left_shift(engine: Engine, a: Bits, b: Bits, flags: Bits) -> Truth:
    shifted = a << b
    signed_wraps = (shifted >> b) != a
    unsigned_wraps = engine.LShR(shifted, b) != a
    is_too_far = engine.Not(engine.ULT(b, a.size()))
    return is_too_far | _overflow(engine, flags, signed_wraps, unsigned_wraps)


def _bad_right_shift(engine: Engine, a: Bits, b: Bits, exact: Bits) -> Truth:
    is_too_far = engine.Not(engine.ULT(b, a.size()))
    loses_bits = (engine.LShR(a, b) << b) != a
    return is_too_far | ((exact == 1) & loses_bits)


def _carrying_sum(engine: Engine, a: Bits, b: Bits) -> tuple[Bits, Bits]:
    total = a + b
    carry = engine.If(
        engine.ULT(total, a), engine.BitVecVal(1, 1), engine.BitVecVal(0, 1)
    )
    return total, carry


def _inexact_signed(engine: Engine, a: Bits, b: Bits, exact: Bits) -> Truth:
    return (exact == 1) & (engine.SRem(a, b) != 0)


def _inexact_unsigned(engine: Engine, a: Bits, b: Bits, exact: Bits) -> Truth:
    return (exact == 1) & (engine.URem(a, b) != 0)


def _signed_ceiling(engine: Engine, a: Bits, b: Bits) -> Bits:
    """Return `a / b`, which rounds towards zero, rounded up."""
    is_inexact = engine.SRem(a, b) != 0
    is_positive = (a < 0) == (b < 0)
    return engine.If(is_inexact & is_positive, a / b + 1, a / b)


def _unsigned_ceiling(engine: Engine, a: Bits, b: Bits) -> Bits:
    quotient = engine.UDiv(a, b)
    return engine.If(engine.URem(a, b) != 0, quotient + 1, quotient)


def _signed_floor(engine: Engine, a: Bits, b: Bits) -> Bits:
    """Return `a / b`, which rounds towards zero, rounded down."""
    is_inexact = engine.SRem(a, b) != 0
    is_negative = (a < 0) != (b < 0)
    return engine.If(is_inexact & is_negative, a / b - 1, a / b)


def _by_zero(_: Engine, _a: Value, b: Value) -> Truth:
    return b.poison | (b.bits == 0)


def _too_large(engine: Engine, a: Value, b: Value) -> Truth:
    is_minimum = a.poison | (a.bits == 1 << (a.type.width - 1))
    return _by_zero(engine, a, b) | (is_minimum & (b.bits == -1))


def _compare(engine: Engine, a: Bits, b: Bits, predicate: Bits) -> Bits:
    signed = a == b, a != b, a < b, a <= b, b < a, b <= a
    less, greater = engine.ULT(a, b), engine.ULT(b, a)
    found = engine.Not(less)  # `uge`, the last one
    for number, test in enumerate((*signed, less, engine.Not(greater), greater)):
        found = engine.If(predicate == number, test, found)
    return engine.If(found, engine.BitVecVal(1, 1), engine.BitVecVal(0, 1))


def _from_chosen(engine: Engine, condition: Value, a: Value, b: Value) -> Truth:
    return condition.poison | engine.If(condition.bits == 1, a.poison, b.poison)


def _cast(extension: str, fits: Callable[[Type, Type], bool]) -> Semantics:
    def value(engine: Engine, a: Bits, width: int) -> Bits:
        more = width - a.size()
        kept = getattr(engine, extension)(max(more, 0), a)
        return engine.Extract(width - 1, 0, kept)

    return Semantics(value, types="a:b", fits=fits)


def _lossy(engine: Engine, a: Bits, flags: Bits, width: int) -> Truth:
    kept, more = engine.Extract(width - 1, 0, a), a.size() - width
    return _overflow(
        engine, flags, engine.SignExt(more, kept) != a, engine.ZeroExt(more, kept) != a
    )


def _widens(operand: Type, result: Type) -> bool:
    return operand.width < result.width and "index" not in {operand.text, result.text}


def _is_index_cast(operand: Type, result: Type) -> bool:
    return (operand.text == "index") != (result.text == "index")


def _is_set(engine: Engine, a: Bits, place: int) -> Truth:
    return engine.Extract(place, place, a) == 1


def _leading_zeros(engine: Engine, a: Bits) -> Bits:
    width = a.size()
    count = engine.BitVecVal(width, width)
    for place in range(width):  # the highest bit that is set decides, and comes last
        zeros = engine.BitVecVal(width - 1 - place, width)
        count = engine.If(_is_set(engine, a, place), zeros, count)
    return count


def _trailing_zeros(engine: Engine, a: Bits) -> Bits:
    width = a.size()
    count = engine.BitVecVal(width, width)
    for place in reversed(range(width)):
        count = engine.If(
            _is_set(engine, a, place), engine.BitVecVal(place, width), count
        )
    return count


def _ones(engine: Engine, a: Bits) -> Bits:
    width = a.size()
    count = engine.BitVecVal(0, width)
    for place in range(width):
        count = engine.If(_is_set(engine, a, place), count + 1, count)
    return count


_ARITH: Final = {
    "constant": Semantics(lambda _, value: value, "value", types=":a"),
    "addi": _wrapping(lambda a, b: a + b),
    "addui_extended": Semantics(_carrying_sum, types="aa:a1"),
    "subi": _wrapping(lambda a, b: a - b),
    "muli": _wrapping(lambda a, b: a * b),
    "mulsi_extended": _wide_product("SignExt"),
    "mului_extended": _wide_product("ZeroExt"),
    "andi": Semantics(lambda _, a, b: a & b),
    "ori": Semantics(lambda _, a, b: a | b),
    "xori": Semantics(lambda _, a, b: a ^ b),
    "maxsi": Semantics(lambda engine, a, b: engine.If(b < a, a, b)),
    "maxui": Semantics(lambda engine, a, b: engine.If(engine.ULT(b, a), a, b)),
    "minsi": Semantics(lambda engine, a, b: engine.If(a < b, a, b)),
    "minui": Semantics(lambda engine, a, b: engine.If(engine.ULT(a, b), a, b)),
    "shli": Semantics(lambda _, a, b, _f: a << b, "overflowFlags", _bad_left_shift),
    "shrsi": Semantics(lambda _, a, b, _f: a >> b, "isExact", _bad_right_shift),
    "shrui": Semantics(
        lambda engine, a, b, _: engine.LShR(a, b), "isExact", _bad_right_shift
    ),
    "divsi": Semantics(
        lambda _, a, b, _exact: a / b, "isExact", _inexact_signed, _too_large
    ),
    "divui": Semantics(
        lambda engine, a, b, _exact: engine.UDiv(a, b),
        "isExact",
        _inexact_unsigned,
        _by_zero,
    ),
    "ceildivsi": Semantics(_signed_ceiling, undefined=_too_large),
    "ceildivui": Semantics(_unsigned_ceiling, undefined=_by_zero),
    "floordivsi": Semantics(_signed_floor, undefined=_too_large),
    "remsi": Semantics(lambda engine, a, b: engine.SRem(a, b), undefined=_by_zero),
    "remui": Semantics(lambda engine, a, b: engine.URem(a, b), undefined=_by_zero),
    "cmpi": Semantics(_compare, "predicate", types="aa:1"),
    "select": Semantics(
        lambda engine, c, a, b: engine.If(c == 1, a, b),
        types="1aa:a",
        spread=_from_chosen,
    ),
    "extsi": _cast("SignExt", _widens),
    "extui": _cast("ZeroExt", _widens),
    "trunci": Semantics(
        lambda engine, a, _, width: engine.Extract(width - 1, 0, a),
        "overflowFlags",
        _lossy,
        types="a:b",
        fits=lambda operand, result: _widens(result, operand),
    ),
    "index_cast": _cast("SignExt", _is_index_cast),
    "index_castui": _cast("ZeroExt", _is_index_cast),
    "bitcast": Semantics(lambda _, a: a, types="a:a"),
}
_MATH: Final = {
    "absi": Semantics(lambda engine, a: engine.If(a < 0, -a, a), types="a:a"),
    "ctlz": Semantics(_leading_zeros, types="a:a"),
    "ctpop": Semantics(_ones, types="a:a"),
    "cttz": Semantics(_trailing_zeros, types="a:a"),
}
SEMANTICS: Final = {
    f"{dialect}.{name}": row
    for dialect, rows in (("arith", _ARITH), ("math", _MATH))
    for name, row in rows.items()
}


def own_semantics(function: Callable[..., Bits], num_operands: int) -> Semantics:
    """Return the semantics of an operation whose result `function` calculates."""

    def value(_: Engine, *operands: Bits) -> Bits:
        # A condition is an error here; z3 may take terms that differ for unequal.
        function(*(BitVector([0] * operand.size()) for operand in operands))
        result = function(*operands)
        if not (hasattr(result, "size") or type(result) is int):
            raise TypeError(f"expected bits, found {result!r}")
        return result

    return Semantics(value, types=f"{'a' * num_operands}:a")
