"""The semantics of operations, held against evaluators that others wrote.

MLIR's folders and xDSL's interpreter give values, z3's own predicates give overflow.
The semantics give all values at once: each assignment of free bits is a case.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest
import z3
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters.arith import ArithFunctions

from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl_versions import number_of, scalar_of
from passgen_runtime.pass_registry import parse_pass_manager
from passgen_tools.ir_libraries import registry_of
from passgen_tools.verify import EVALUATED, UndefinedBehaviorError, evaluate
from passgen_tools.verify.exhaustion import exhaustion
from passgen_tools.verify.semantics import Type, Value
from passgen_tools.verify.shipped_semantics import SEMANTICS
from tests.tools.verify.cases import numbers_of, side_by_side
from tests.xdsl_version import XDSL

FOLDED = sorted(SEMANTICS.keys() - {"arith.constant", "arith.bitcast", "ub.poison"})
INTERPRETED = [
    *("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrsi", "divsi", "remsi"),
    *("floordivsi", "cmpi", "select"),
]
FOLDS_LESS = {"arith.ceildivsi"}
"""MLIR does not fold them where it calculates with the least number."""

NUM_RANDOM = 10_000
SIGNED, UNSIGNED = True, False


def types_of(name: str, width: int) -> tuple[list[str], list[str]]:
    """Return the types of the operands and of the results."""
    types = {"1": "i1", "a": f"i{width}", "b": f"i{2 * width}"}
    if name == "arith.trunci":
        types |= {"a": f"i{2 * width}", "b": f"i{width}"}
    if "index_cast" in name:
        types["b"] = "index"
    operands, results = SEMANTICS[name].types.split(":")
    return [types[letter] for letter in operands], [types[letter] for letter in results]


def width_of(type_: str) -> int:
    return 64 if type_ == "index" else int(type_[1:])


def operands_of(name: str, width: int) -> list[tuple[int, ...]]:
    """Return operands to try: all of few bits, or random ones, many of them special."""
    widths = list(map(width_of, types_of(name, width)[0]))
    ranges = [range(-(1 << (width - 1)), 1 << (width - 1)) for width in widths]
    if width <= 3:
        return list(product(*ranges))
    seeded = random.Random(name)  # noqa: S311 - the same numbers each time

    def draw(values: range) -> int:
        special = [n for n in (-2, -1, 0, 1, 2, 31, 32) if n in values]
        return seeded.choice(
            [seeded.choice(special), values[0], seeded.randrange(values[0], values[-1])]
        )

    return [tuple(map(draw, ranges)) for _ in range(NUM_RANDOM // len(extras_of(name)))]


def evaluate_at_once(
    name: str, width: int, tried: list[tuple[int, ...]], extra: int
) -> list[tuple[int, ...] | None]:
    """Return the results; `None` for those that are poison or have no defined behavior.

    Args:
        name: of the operation.
        width: of its type.
        tried: its operands.
        extra: the predicate, or flags.
    """
    semantics, (types, result_types) = SEMANTICS[name], types_of(name, width)
    engine = exhaustion(num_free_bits=8)
    operands = [
        Value(
            side_by_side(numbers, width_of(type_)),
            engine.BoolVal(0),
            Type(type_, width_of(type_)),
        )
        for numbers, type_ in zip(zip(*tried, strict=True), types, strict=True)
    ]
    arguments: list[Any] = [operand.bits for operand in operands]
    if semantics.attribute:
        arguments.append(engine.BitVecVal(extra, 4))
    if semantics.types == "a:b":
        arguments.append(width_of(result_types[0]))
    bad = semantics.undefined(engine, *operands) | semantics.poison(engine, *arguments)
    found = semantics.value(engine, *arguments)
    results = found if isinstance(found, tuple) else (found,)
    rows = zip(*(numbers_of(vector, len(tried)) for vector in results), strict=True)
    is_bad = numbers_of(bad, len(tried))
    return [None if no else row for no, row in zip(is_bad, rows, strict=True)]


def attributes_of(name: str, extra: int) -> str:
    is_comparison = SEMANTICS[name].attribute == "predicate"
    return f"{{predicate = {extra} : i64}}" if is_comparison else "{}"


def extras_of(name: str) -> range:
    """Return the predicates of an operation; of others, 0."""
    return range(10 if SEMANTICS[name].attribute == "predicate" else 1)


def fold(
    context: MLIRContext,
    name: str,
    width: int,
    tried: list[tuple[int, ...]],
    extra: int,
) -> list[tuple[int | None, ...]]:
    """Return what MLIR folds an operation to on each of some operands."""
    types, result_types = types_of(name, width)
    lines, returned = [], []
    for case, numbers in enumerate(tried):
        for place, (number, type_) in enumerate(zip(numbers, types, strict=True)):
            lines.append(f"%v{case}_{place} = arith.constant {number} : {type_}")
        values = ", ".join(f"%v{case}_{place}" for place in range(len(numbers)))
        lines.append(
            f'%r{case}:{len(result_types)} = "{name}"({values})'
            f" {attributes_of(name, extra)}"
            f" : ({', '.join(types)}) -> ({', '.join(result_types)})"
        )
        returned += [f"%r{case}#{place}" for place in range(len(result_types))]
    listed = ", ".join(result_types * len(tried))
    body = "\n".join((*lines, f"return {', '.join(returned)} : {listed}"))
    text = f"module {{ func.func @f() -> ({listed}) {{\n{body}\n}} }}"
    module = context.parse(text, "folded")
    pipeline = "builtin.module(canonicalize)"
    parse_pass_manager(pipeline, context, registry_of(context)).run(module)
    found = [
        int(attributes["value"].value) if "value" in attributes else None
        for value in context.children(context.children(module)[0])[-1].operands
        for attributes in [value.owner.attributes]
    ]
    count = len(result_types)
    return [tuple(found[at : at + count]) for at in range(0, len(found), count)]


def unsigned(numbers: Iterable[int], types: list[str]) -> tuple[int, ...]:
    rows = zip(numbers, types, strict=True)
    return tuple(number % (1 << width_of(type_)) for number, type_ in rows)


@pytest.mark.bindings
@pytest.mark.parametrize("width", [3, 32])
@pytest.mark.parametrize("name", FOLDED)
def test_results_are_those_of_mlirs_folders(name: str, width: int) -> None:
    context, tried = MLIRContext(), operands_of(name, width)
    _, result_types = types_of(name, width)
    for extra in extras_of(name):
        folded = fold(context, name, width, tried, extra)
        expected = evaluate_at_once(name, width, tried, extra)
        for numbers, found, wanted in zip(tried, folded, expected, strict=True):
            constants = [number for number in found if number is not None]
            if len(constants) == len(found):
                assert unsigned(constants, result_types) == wanted, numbers
            elif name not in FOLDS_LESS:
                assert wanted is None, numbers


@pytest.mark.parametrize("width", [3, 32])
@pytest.mark.parametrize("name", INTERPRETED)
def test_results_are_those_of_xdsls_interpreter(name: str, width: int) -> None:
    if name == "cmpi" and XDSL < (0, 74):
        pytest.skip("before 0.74, xDSL's interpreter compares no unsigned numbers")
    name = f"arith.{name}"
    interpreter = Interpreter(ModuleOp([]))
    interpreter.register_implementations(ArithFunctions())
    types, result_types = types_of(name, width)
    tried = operands_of(name, width)
    for extra in extras_of(name):
        operands = "".join(
            f'%{place} = "test.op"() : () -> {type_}\n'
            for place, type_ in enumerate(types)
        )
        values = ", ".join(f"%{place}" for place in range(len(types)))
        text = (
            f'{operands}"{name}"({values}) {attributes_of(name, extra)}'
            f" : ({', '.join(types)}) -> {result_types[0]}"
        )
        context = XDSLContext()
        *_, operation = context.children(context.parse(text, "interpreted"))
        expected = evaluate_at_once(name, width, tried, extra)
        for numbers, wanted in zip(tried, expected, strict=True):
            if wanted is not None:
                scalars = tuple(map(scalar_of, numbers, operation.operand_types))
                found = map(number_of, interpreter.run_op(operation, scalars))
                assert unsigned(found, result_types) == wanted, numbers


@pytest.mark.parametrize("width", [1, 3, 32])
@pytest.mark.parametrize("name", sorted(EVALUATED))
def test_known_numbers_give_what_all_values_at_once_give(name: str, width: int) -> None:
    semantics, (types, result_types) = SEMANTICS[name], types_of(name, width)
    field = semantics.attribute
    operand_types, own_result_types = (
        [Type(type_, width_of(type_)) for type_ in listed]
        for listed in (types, result_types)
    )
    tried = operands_of(name, width)[:500]
    for number in {"predicate": range(10), "overflowFlags": range(4)}.get(
        field, range(2 if field else 1)
    ):
        for numbers, wanted in zip(
            tried, evaluate_at_once(name, width, tried, number), strict=True
        ):
            try:
                own_types = operand_types, own_result_types
                found = evaluate(name, number, numbers, own_types)
            except UndefinedBehaviorError:
                found = [None]
            known = [number for number in found if number is not None]
            is_bad = len(known) < len(found)
            assert (None if is_bad else unsigned(known, result_types)) == wanted


OVERFLOW: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "arith.addi": (
        lambda a, b: z3.And(
            z3.BVAddNoOverflow(a, b, SIGNED), z3.BVAddNoUnderflow(a, b)
        ),
        lambda a, b: z3.BVAddNoOverflow(a, b, UNSIGNED),
    ),
    "arith.subi": (
        lambda a, b: z3.And(
            z3.BVSubNoOverflow(a, b), z3.BVSubNoUnderflow(a, b, SIGNED)
        ),
        lambda a, b: z3.BVSubNoUnderflow(a, b, UNSIGNED),
    ),
    "arith.muli": (
        lambda a, b: z3.And(
            z3.BVMulNoOverflow(a, b, SIGNED), z3.BVMulNoUnderflow(a, b)
        ),
        lambda a, b: z3.BVMulNoOverflow(a, b, UNSIGNED),
    ),
}
"""That z3 says that no signed, and no unsigned overflow happens."""


@pytest.mark.parametrize("flag", [0, 1], ids=["nsw", "nuw"])
@pytest.mark.parametrize("name", OVERFLOW)
def test_overflow_is_that_of_z3(name: str, flag: int) -> None:
    width = 8
    a, b = z3.BitVecs("a b", width)
    flags = z3.BitVecVal(1 << flag, 2)
    differs = SEMANTICS[name].poison(z3, a, b, flags) == OVERFLOW[name][flag](a, b)
    solver = z3.Solver()
    solver.add(differs)
    assert solver.check() == z3.unsat
