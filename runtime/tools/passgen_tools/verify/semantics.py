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


def _from_any(e: Engine, *operands: Value) -> Truth:
    return reduce(or_, (operand.poison for operand in operands), e.BoolVal(0))


@dataclass(frozen=True)
class Semantics:
    """The semantics of an operation.

    `value`, and `poison` that no operand brings, get the bits of operands and of the
    `attribute`, and the width of the result of a cast. `undefined`, and `spread`, the
    poison that operands bring, get a `Value` of each operand. `types` has a letter for
    each operand and, behind a colon, for each result, equal for equal types, and `1`
    for i1; `fits` gets the types of the first operand and the first result.
    """

    value: Callable[..., Bits]
    attribute: str = ""
    poison: Callable[..., Truth] = lambda e, *_: e.BoolVal(0)
    undefined: Callable[..., Truth] = lambda e, *_: e.BoolVal(0)
    types: str = "aa:a"
    spread: Callable[..., Truth] = _from_any
    fits: Callable[[Type, Type], bool] = lambda _operand, _result: True


def _overflow(e: Engine, flags: Bits, signed: Truth, unsigned: Truth) -> Truth:
    """Return whether a wrap happens that `nsw`, bit 0, or `nuw`, bit 1, excludes."""
    nsw, nuw = (e.Extract(bit, bit, flags) == 1 for bit in (0, 1))
    return (nsw & signed) | (nuw & unsigned)


def _wrapping(apply: Callable[[Bits, Bits], Bits]) -> Semantics:
    """Return the semantics of `+`, `-` or `*`, which `apply` calculates."""

    def poison(e: Engine, a: Bits, b: Bits, flags: Bits) -> Truth:
        def wraps(extend: Callable[[int, Bits], Bits]) -> Truth:
            more = a.size()  # as many bits as the exact product
            return apply(extend(more, a), extend(more, b)) != extend(more, apply(a, b))

        return _overflow(e, flags, wraps(e.SignExt), wraps(e.ZeroExt))

    return Semantics(lambda _, a, b, _flags: apply(a, b), "overflowFlags", poison)


def _wide_product(extension: str) -> Semantics:
    """Return the semantics of a product of twice as many bits, in two halves."""

    def value(e: Engine, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        width, extend = a.size(), getattr(e, extension)
        product = extend(width, a) * extend(width, b)
        high = e.Extract(2 * width - 1, width, product)
        return e.Extract(width - 1, 0, product), high

    return Semantics(value, types="aa:aa")


def _bad_left_shift(e: Engine, a: Bits, b: Bits, flags: Bits) -> Truth:
    signed, unsigned = (a << b) >> b != a, e.LShR(a << b, b) != a
    return e.Not(e.ULT(b, a.size())) | _overflow(e, flags, signed, unsigned)


def _bad_right_shift(e: Engine, a: Bits, b: Bits, exact: Bits) -> Truth:
    return e.Not(e.ULT(b, a.size())) | ((exact == 1) & (e.LShR(a, b) << b != a))


def _by_zero(_: Engine, _a: Value, b: Value) -> Truth:
    return b.poison | (b.bits == 0)


def _too_large(e: Engine, a: Value, b: Value) -> Truth:
    is_minimum = a.poison | (a.bits == 1 << (a.type.width - 1))
    return _by_zero(e, a, b) | (is_minimum & (b.bits == -1))


def _compare(e: Engine, a: Bits, b: Bits, predicate: Bits) -> Bits:
    signed = a == b, a != b, a < b, a <= b, b < a, b <= a
    less, greater = e.ULT(a, b), e.ULT(b, a)
    found = e.Not(less)  # `uge`, the last one
    for number, test in enumerate((*signed, less, e.Not(greater), greater)):
        found = e.If(predicate == number, test, found)
    return e.If(found, e.BitVecVal(1, 1), e.BitVecVal(0, 1))


def _from_chosen(e: Engine, condition: Value, a: Value, b: Value) -> Truth:
    return condition.poison | e.If(condition.bits == 1, a.poison, b.poison)


def _cast(extension: str, fits: Callable[[Type, Type], bool]) -> Semantics:
    def value(e: Engine, a: Bits, width: int) -> Bits:
        more = width - a.size()
        kept = getattr(e, extension)(max(more, 0), a)
        return e.Extract(width - 1, 0, kept)

    return Semantics(value, types="a:b", fits=fits)


def _lossy(e: Engine, a: Bits, flags: Bits, width: int) -> Truth:
    kept, more = e.Extract(width - 1, 0, a), a.size() - width
    return _overflow(e, flags, e.SignExt(more, kept) != a, e.ZeroExt(more, kept) != a)


def _widens(operand: Type, result: Type) -> bool:
    return operand.width < result.width and "index" not in {operand.text, result.text}


def _is_index_cast(operand: Type, result: Type) -> bool:
    return (operand.text == "index") != (result.text == "index")


def _is_set(e: Engine, a: Bits, place: int) -> Truth:
    return e.Extract(place, place, a) == 1


def _leading_zeros(e: Engine, a: Bits) -> Bits:
    width = a.size()
    count = e.BitVecVal(width, width)
    for place in range(width):  # the highest bit that is set decides, and comes last
        zeros = e.BitVecVal(width - 1 - place, width)
        count = e.If(_is_set(e, a, place), zeros, count)
    return count


def _trailing_zeros(e: Engine, a: Bits) -> Bits:
    width = a.size()
    count = e.BitVecVal(width, width)
    for place in reversed(range(width)):
        count = e.If(_is_set(e, a, place), e.BitVecVal(place, width), count)
    return count


def _ones(e: Engine, a: Bits) -> Bits:
    width = a.size()
    count = e.BitVecVal(0, width)
    for place in range(width):
        count = e.If(_is_set(e, a, place), count + 1, count)
    return count


_ARITH: Final = {
    "constant": Semantics(lambda _, value: value, "value", types=":a"),
    "addi": _wrapping(lambda a, b: a + b),
    "addui_extended": Semantics(
        lambda e, a, b: (
            a + b,
            e.If(e.ULT(a + b, a), e.BitVecVal(1, 1), e.BitVecVal(0, 1)),
        ),
        types="aa:a1",
    ),
    "subi": _wrapping(lambda a, b: a - b),
    "muli": _wrapping(lambda a, b: a * b),
    "mulsi_extended": _wide_product("SignExt"),
    "mului_extended": _wide_product("ZeroExt"),
    "andi": Semantics(lambda _, a, b: a & b),
    "ori": Semantics(lambda _, a, b: a | b),
    "xori": Semantics(lambda _, a, b: a ^ b),
    "maxsi": Semantics(lambda e, a, b: e.If(b < a, a, b)),
    "maxui": Semantics(lambda e, a, b: e.If(e.ULT(b, a), a, b)),
    "minsi": Semantics(lambda e, a, b: e.If(a < b, a, b)),
    "minui": Semantics(lambda e, a, b: e.If(e.ULT(a, b), a, b)),
    "shli": Semantics(lambda _, a, b, _f: a << b, "overflowFlags", _bad_left_shift),
    "shrsi": Semantics(lambda _, a, b, _f: a >> b, "isExact", _bad_right_shift),
    "shrui": Semantics(lambda e, a, b, _: e.LShR(a, b), "isExact", _bad_right_shift),
    "divsi": Semantics(
        lambda _, a, b, _f: a / b,
        "isExact",
        lambda e, a, b, exact: (exact == 1) & (e.SRem(a, b) != 0),
        _too_large,
    ),
    "divui": Semantics(
        lambda e, a, b, _: e.UDiv(a, b),
        "isExact",
        lambda e, a, b, exact: (exact == 1) & (e.URem(a, b) != 0),
        _by_zero,
    ),
    "ceildivsi": Semantics(
        lambda e, a, b: e.If(
            (e.SRem(a, b) != 0) & ((a < 0) == (b < 0)), a / b + 1, a / b
        ),
        undefined=_too_large,
    ),
    "ceildivui": Semantics(
        lambda e, a, b: e.If(e.URem(a, b) != 0, e.UDiv(a, b) + 1, e.UDiv(a, b)),
        undefined=_by_zero,
    ),
    "floordivsi": Semantics(
        lambda e, a, b: e.If(
            (e.SRem(a, b) != 0) & ((a < 0) != (b < 0)), a / b - 1, a / b
        ),
        undefined=_too_large,
    ),
    "remsi": Semantics(lambda e, a, b: e.SRem(a, b), undefined=_by_zero),
    "remui": Semantics(lambda e, a, b: e.URem(a, b), undefined=_by_zero),
    "cmpi": Semantics(_compare, "predicate", types="aa:1"),
    "select": Semantics(
        lambda e, c, a, b: e.If(c == 1, a, b), types="1aa:a", spread=_from_chosen
    ),
    "extsi": _cast("SignExt", _widens),
    "extui": _cast("ZeroExt", _widens),
    "trunci": Semantics(
        lambda e, a, _, width: e.Extract(width - 1, 0, a),
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
    "absi": Semantics(lambda e, a: e.If(a < 0, -a, a), types="a:a"),
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
