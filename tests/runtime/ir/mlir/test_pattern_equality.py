"""The same PDL gives the same IR and the same counts on xDSL's IR and on MLIR's."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from tests.pattern_cases import pass_of, pattern, run_pass

pytestmark = pytest.mark.bindings

NUM_MODULES = 30

EXTENDED = """\
%type = pdl.type : i32
%x = pdl.operand : %type
%y = pdl.operand : %type
%ext = pdl.operation "arith.mulsi_extended" (%x, %y : !pdl.value, !pdl.value) -> (%type, %type : !pdl.type, !pdl.type)
"""
ONLY_LOW = f"""\
{EXTENDED}%low = pdl.result 0 of %ext
%z = pdl.operand : %type
%root = pdl.operation "arith.addi" (%low, %z : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root {{
  %mul = pdl.operation "arith.muli" (%x, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  %low_again = pdl.result 0 of %mul
  %sum = pdl.operation "arith.subi" (%low_again, %z : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.replace %root with %sum
}}
"""
HIGH_OF_ITS_OPERAND = f"""\
{EXTENDED}%high = pdl.result 1 of %ext
%root = pdl.operation "arith.xori" (%x, %high : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root {{ pdl.replace %root with (%y : !pdl.value) }}
"""
BOTH = f"""\
{EXTENDED}%low = pdl.result 0 of %ext
%high = pdl.result 1 of %ext
%root = pdl.operation "arith.ori" (%low, %high : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root {{ pdl.replace %root with (%x : !pdl.value) }}
"""
LOW_TWICE = f"""\
{EXTENDED}%low = pdl.result 0 of %ext
%low_again = pdl.result 0 of %ext
%root = pdl.operation "arith.muli" (%low, %low_again : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root {{ pdl.replace %root with (%y : !pdl.value) }}
"""
NEW_IN_REWRITE = f"""\
{EXTENDED}%low = pdl.result 0 of %ext
%high = pdl.result 1 of %ext
%root = pdl.operation "arith.subi" (%low, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root {{ pdl.replace %root with (%high : !pdl.value) }}
"""
NEW_IN_CONSTRAINT = f"""\
{EXTENDED}%low = pdl.result 0 of %ext
%high = pdl.result 1 of %ext
%z = pdl.operand
%root = pdl.operation "arith.subi" (%low, %z : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.apply_native_constraint "isHigh" (%high : !pdl.value)
pdl.rewrite %root {{ pdl.replace %root with (%z : !pdl.value) }}
"""
SAME_TWICE = """\
%type = pdl.type
%x = pdl.operand : %type
%root = pdl.operation "arith.subi" (%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }
"""
ANY_WITH_FLAG = """\
%flags = pdl.attribute = #arith.overflow<nsw>
%type = pdl.type : i32
%x = pdl.operand
%y = pdl.operand
%root = pdl.operation "arith.addi" (%x, %y : !pdl.value, !pdl.value) {"overflowFlags" = %flags} -> (%type : !pdl.type)
pdl.rewrite %root { pdl.replace %root with (%y : !pdl.value) }
"""
TYPED_CONSTANT = """\
%type = pdl.type : i64
%value = pdl.attribute : %type
%constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
%c = pdl.result 0 of %constant
%x = pdl.operand
%root = pdl.operation "arith.muli" (%x, %c : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root { pdl.replace %root with (%c : !pdl.value) }
"""
PREFERRED = """\
pdl.pattern @preferred : benefit(9) {
  %type = pdl.type
  %x = pdl.operand : %type
  %root = pdl.operation "arith.subi" (%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "arith.xori" (%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
    pdl.replace %root with %new
  }
}
"""
WITHOUT_RESULTS = """\
%x = pdl.operand
%y = pdl.operand
%root = pdl.operation "memref.store" (%x, %y : !pdl.value, !pdl.value)
pdl.rewrite %root {
  %true = pdl.attribute = true
  %new = pdl.operation "memref.store" (%x, %y : !pdl.value, !pdl.value) {"nontemporal" = %true}
  pdl.replace %root with %new
}
"""

SETS = {
    "results": {"only_low": ONLY_LOW, "high": HIGH_OF_ITS_OPERAND, "both": BOTH},
    "attributes": {"flag": ANY_WITH_FLAG, "constant": TYPED_CONSTANT},
    "benefits": {"same": SAME_TWICE, "preferred": PREFERRED},
    "all": {
        "only_low": ONLY_LOW,
        "both": BOTH,
        "flag": ANY_WITH_FLAG,
        "constant": TYPED_CONSTANT,
        "same": SAME_TWICE,
        "no_results": WITHOUT_RESULTS,
    },
}


def module(seed: int) -> str:
    """Return a function of random arithmetic on i32 and i64."""
    chosen = random.Random(seed)  # noqa: S311 - the same modules in each run
    values = {"i32": ["%a", "%b"], "i64": ["%c", "%d"]}
    lines = [*operations(chosen, values)]
    uses = "\n".join(
        f"  memref.store %{name}, %m{type_}[] : memref<{type_}>"
        for type_, names in values.items()
        for name in (value.removeprefix("%") for value in names)
    )
    body = "\n".join(lines)
    return (
        "func.func @f(%a: i32, %b: i32, %c: i64, %d: i64, "
        f"%mi32: memref<i32>, %mi64: memref<i64>) {{\n{body}\n{uses}\n  return\n}}\n"
    )


def operations(chosen: random.Random, values: dict[str, list[str]]) -> Iterator[str]:
    for number in range(chosen.randint(2, 12)):
        type_ = chosen.choice(["i32", "i32", "i64"])
        # Few values, so that operands often are what patterns look for.
        x, y = chosen.choice(values[type_][-4:]), chosen.choice(values[type_][-4:])
        kind = chosen.choice(
            [
                "mulsi_extended",
                "addi",
                "addi nsw",
                "subi",
                "muli",
                "xori",
                "ori",
                "const",
            ]
        )
        if kind == "mulsi_extended":
            yield f"  %v{number}, %w{number} = arith.mulsi_extended {x}, {y} : {type_}"
            values[type_] += [f"%v{number}", f"%w{number}"]
            continue
        if kind == "const":
            yield f"  %v{number} = arith.constant {chosen.randint(0, 2)} : {type_}"
        elif kind == "addi nsw":
            yield f"  %v{number} = arith.addi {x}, {y} overflow<nsw> : {type_}"
        else:
            yield f"  %v{number} = arith.{kind} {x}, {y} : {type_}"
        values[type_].append(f"%v{number}")


@pytest.mark.slow
@pytest.mark.parametrize("patterns", SETS)
def test_random_modules_are_rewritten_alike(
    patterns: str, context: MLIRContext
) -> None:
    class_ = pass_of(*(pattern(pdl, name) for name, pdl in SETS[patterns].items()))
    num_applied = 0
    for seed in range(NUM_MODULES):
        text = module(seed)
        ours, theirs = class_(), class_()
        rewritten = run_pass(ours, XDSLContext(), text)
        expected = run_pass(theirs, context, text)
        assert context.print(context.parse(rewritten, "ours.mlir")) == expected, text
        assert ours.pattern_counts() == theirs.pattern_counts(), text
        num_applied += sum(ours.pattern_counts().values())

    assert num_applied > NUM_MODULES / 20


EXTENDED_IR = """\
func.func @f(%x: i32, %y: i32) -> (i32, i32, i32, i32) {{
  %low, %high = arith.mulsi_extended %x, %y : i32
  %0 = arith.{root} %low, %low : i32
  %1 = arith.{root} %low, %high : i32
  %2 = arith.{root} %high, %x : i32
  %3 = arith.{root} %low, %x : i32
  return %0, %1, %2, %3 : i32, i32, i32, i32
}}
"""


@pytest.mark.parametrize(
    ("pdl", "root", "num_applied"),
    [
        (LOW_TWICE, "muli", 1),
        (NEW_IN_REWRITE, "subi", 1),
        (NEW_IN_CONSTRAINT, "subi", 3),
    ],
    ids=["twice", "in the rewrite", "in a constraint"],
)
def test_a_result_may_be_used_anywhere(
    pdl: str, root: str, num_applied: int, context: MLIRContext
) -> None:
    constraints = (("isHigh", lambda value: value.owner.results[1] == value),)
    class_ = pass_of(pattern(pdl), native_constraints=constraints)
    text = EXTENDED_IR.format(root=root)
    ours, theirs = class_(), class_()

    rewritten = run_pass(ours, XDSLContext(), text)
    expected = run_pass(theirs, context, text)

    assert context.print(context.parse(rewritten, "ours.mlir")) == expected
    counts = {"squareToSelf": num_applied}
    assert ours.pattern_counts() == theirs.pattern_counts() == counts
