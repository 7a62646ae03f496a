"""The same patterns on random IR, on xDSL's IR and by MLIR."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from passgen_runtime import PassManager, parse_pass_manager
from passgen_runtime.context import Context, Operation
from passgen_runtime.ir.mlir import MLIRContext, mlir_registry
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.generated.arith_passes import (
    ArithIdentitiesPassBase,
    ArithStrengthReductionPassBase,
)
from passgen_runtime.patterns import PatternDriver, Patterns
from tests.mlir_bindings_needed import require_bindings
from tests.pattern_cases import pass_of, pattern

pytestmark = pytest.mark.bindings

NUM_MODULES = 60
"""Of each driver; more were tried by hand."""

_TYPES = ("i8", "i32", "i64")
_BINARY = ("addi", "subi", "muli", "divui", "andi", "ori", "xori", "minsi")
_CONSTANTS = (0, 1, 2, 3, 4, 8, 16)

_SAME_OPERANDS = """\
%type = pdl.type
%x = pdl.operand : %type
%root = pdl.operation "arith.OPERATION" (%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root {
  pdl.replace %root with (%x : !pdl.value)
}
"""
_ADD_AND_SUBTRACT = """\
%type = pdl.type
%x = pdl.operand : %type
%y = pdl.operand : %type
%add = pdl.operation "arith.addi" (%x, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
%sum = pdl.result 0 of %add
%root = pdl.operation "arith.subi" (%sum, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root {
  pdl.replace %root with (%x : !pdl.value)
}
"""


def ten_patterns(driver: str) -> type[Patterns]:
    """Return a pass with the shipped patterns and four more."""
    shipped = (ArithStrengthReductionPassBase, ArithIdentitiesPassBase)
    patterns = [known for class_ in shipped for known in class_.patterns]
    patterns += [
        pattern(
            _SAME_OPERANDS.replace("OPERATION", name), f"{name}Self", benefit=3 + at
        )
        for at, name in enumerate(("andi", "ori", "minsi"))
    ]
    patterns.append(pattern(_ADD_AND_SUBTRACT, "addAndSubtract", benefit=7))
    benefits = {"mulToShift": 8, "mulByOne": 9, "mulToAdd": 10}
    distinct = [
        replace(known, benefit=benefits.get(known.name, known.benefit))
        for known in patterns
    ]
    return pass_of(
        *distinct,
        pattern_driver=PatternDriver("greedy" if driver == "greedy" else "walk"),
        native_constraints=tuple(
            native for class_ in shipped for native in class_.native_constraints
        ),
        native_rewrites=ArithStrengthReductionPassBase.native_rewrites,
    )


def random_module(seed: int) -> str:
    """Return functions with arithmetic on values and constants."""
    choose = random.Random(seed)  # noqa: S311 - not for secrets
    functions = []
    for number in range(3):
        type_ = choose.choice(_TYPES)
        values = ["%a", "%b"]
        lines = []
        for index in range(choose.randint(1, 20)):
            name = f"%v{index}"
            if choose.random() < 0.3:
                constant = choose.choice(_CONSTANTS)
                lines.append(f"{name} = arith.constant {constant} : {type_}")
            else:
                operation = choose.choice(_BINARY)
                operands = choose.choices(values[-5:], k=2)
                joined = ", ".join(operands)
                lines.append(f"{name} = arith.{operation} {joined} : {type_}")
            values.append(name)
        results = ", ".join(values)
        types = ", ".join([type_] * len(values))
        body = "\n  ".join((*lines, f"func.return {results} : {types}"))
        functions.append(
            f"func.func @f{number}(%a: {type_}, %b: {type_}) -> ({types}) {{\n  {body}\n}}"
        )
    return "\n".join(functions)


def apply(
    class_: type[Patterns], context: Context, text: str
) -> tuple[Operation, dict[str, int]]:
    """Return the IR after a pass, and its counts."""
    manager = PassManager(context)
    pass_ = class_()
    manager.nest("func.func").add_pass(pass_)
    manager.counts_optional = True
    module = context.parse(text, "input.mlir")
    manager.run(module)
    return module, pass_.pattern_counts()


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["walk", "greedy"])
def test_both_libraries_rewrite_alike(driver: str) -> None:
    require_bindings("mlir")
    class_ = ten_patterns(driver)
    of_xdsl, of_mlir = XDSLContext(), MLIRContext()
    folding = "builtin.module(func.func(canonicalize,cse))"
    fold = parse_pass_manager(folding, of_mlir, mlir_registry())
    num_applied = 0

    def folded(text: str) -> str:
        module = of_mlir.parse(text, "input.mlir")
        fold.run(module)
        return of_mlir.print(module)

    for seed in range(NUM_MODULES):
        text = random_module(seed)
        if driver == "greedy":
            # MLIR's driver folds more, and so finds more: see docs/how-to/patterns.md.
            text = folded(text)
        by_xdsl, counts = apply(class_, of_xdsl, text)
        by_mlir, mlir_counts = apply(class_, of_mlir, text)
        other = of_mlir.parse(of_xdsl.print(by_xdsl), "input.mlir")
        if driver == "greedy":
            fold.run(other)
            fold.run(by_mlir)
        else:
            assert counts == mlir_counts, text
            num_applied += sum(counts.values())
        assert of_mlir.print(by_mlir) == of_mlir.print(other), text

    assert driver == "greedy" or num_applied > NUM_MODULES
