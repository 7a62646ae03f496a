"""A pattern that does not match says which line of it fails first, and on what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from passgen_runtime import PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import (
    PatternExplainer,
    PatternVariable,
    RewritePattern,
)
from tests.arith_rewrites import arith_pass, rewrite_pattern
from tests.pattern_cases import MATCH, pass_of, pattern
from tests.pattern_example_cases import FLOAT, INTEGER, TIMES_TWO, function, shown

POWER = PatternVariable(
    name="c", examples=("8", "4"), is_attribute=True, where="isPower"
)
TIMES_POWER = shown(
    "%p = arith.constant $c : $T\n%0 = arith.muli %x, %p : $T",
    "%0 = %x",
    POWER,
    INTEGER,
)
PLUS_ZERO = shown(
    "%z = arith.constant 0 : $T\n%0 = arith.addi %x, %z : $T", "%0 = %x", INTEGER
)
TWICE = shown("%a = arith.subi %x, %y : i32\n%0 = arith.subi %a, %x : i32", "%0 = %y")
FLAGGED = shown("%0 = arith.addi %x, %x overflow<nsw> : i32", "%0 = %x")
LOW_HALF = replace(
    shown("%0, %1 = arith.mulsi_extended %x, %y : i32", "%0 = %x\n%1 = %x"),
    unused=("1",),
)
ONCE = replace(TWICE, one_use=("a",))
NEGATED = shown("%a = arith.negf %x : $T\n%0 = arith.negf %a : $T", "%0 = %x", FLOAT)
BY_TWO = shown(TIMES_TWO, "%0 = arith.addi %x, %x : i32")
LISTED = shown(
    "%0 = arith.andi %x, %x : $T",
    "%0 = %x",
    PatternVariable(name="T", examples=("i8", "i16")),
)
SQUARE = pattern(
    f"{MATCH}pdl.rewrite %root {{ pdl.replace %root with (%x : !pdl.value) }}"
)
NOT_SMALL = pattern(
    f'{MATCH}pdl.apply_native_constraint "isPower" (%type : !pdl.type) '
    "{isNegated = true}\n"
    "pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }"
)
ANY_OPERATION = pattern(
    "%type = pdl.type : i32\n%x = pdl.operand : %type\n"
    "%root = pdl.operation (%x : !pdl.value) -> (%type : !pdl.type)\n"
    "pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }"
)
INVERTED = rewrite_pattern("XOrINotCmpI")
SIGNS = rewrite_pattern("CmpIExtSI")
WIDENED = rewrite_pattern("TruncIExtSIToExtSI")

CASES = [
    (BY_TWO, "%k = arith.constant 3 : i32\n%0 = arith.muli %x, %k : i32",
     "attribute 'value' is 3 : i32, expected 2 : i32", 10),
    (BY_TWO, "%k = arith.constant 2 : i32\n%0 = arith.muli %k, %x : i32",
     "an operand is the argument of a block, expected 'arith.constant'", 10),
    (BY_TWO, "%k = arith.addi %x, %x : i32\n%0 = arith.muli %x, %k : i32",
     "found 'arith.addi', expected 'arith.constant'", 10),
    (BY_TWO, "%k, %l = arith.mulsi_extended %x, %x : i32\n%0 = arith.muli %x, %k : i32",
     "found 'arith.mulsi_extended', expected 'arith.constant'", 10),
    (BY_TWO, "%k = arith.constant 2 : i64\n%0 = arith.muli %w, %k : i64",
     "attribute 'value' is 2 : i64, expected 2 : i32", 10),
    (BY_TWO, "%0 = arith.muli %x, %x : i32",
     "an operand is the argument of a block, expected 'arith.constant'", 10),
    (TIMES_POWER, "%k = arith.constant 6 : i32\n%0 = arith.muli %x, %k : i32",
     "constraint 'isPower' does not hold of 6 : i32", 10),
    (TIMES_POWER, "%k = arith.constant 7 : i64\n%0 = arith.muli %w, %k : i64",
     "constraint 'isPower' does not hold of 7 : i64", 10),
    (TIMES_POWER, "%0 = arith.muli %x, %y : i32",
     "an operand is the argument of a block, expected 'arith.constant'", 10),
    (PLUS_ZERO, "%k = arith.constant 1 : i32\n%0 = arith.addi %x, %k : i32",
     "1 : i32 is not 0", 10),
    (PLUS_ZERO, ("%k = arith.constant dense<1> : vector<2xi32>\n"
     "%0 = arith.addi %v, %k : vector<2xi32>"), "dense<1> : vector<2xi32> is not 0", 10),
    (PLUS_ZERO, ("%k = arith.constant dense<[0, 1]> : vector<2xi32>\n"
     "%0 = arith.addi %v, %k : vector<2xi32>"),
     "dense<[0, 1]> : vector<2xi32> is not 0", 10),
    (PLUS_ZERO, "%k = arith.constant 0 : i32\n%0 = arith.addi %k, %x : i32",
     "an operand is the argument of a block, expected 'arith.constant'", 10),
    (TWICE, "%a = arith.subi %x, %y : i32\n%0 = arith.subi %a, %y : i32",
     "an operand is %x, expected %y as before", 10),
    (TWICE, "%0 = arith.subi %x, %x : i32",
     "an operand is the argument of a block, expected 'arith.subi'", 10),
    (TWICE, "%a = arith.addi %x, %y : i32\n%0 = arith.subi %a, %x : i32",
     "found 'arith.addi', expected 'arith.subi'", 10),
    (TWICE, "%a = arith.subi %w, %w : i64\n%0 = arith.subi %a, %w : i64",
     "the type is i64, expected i32", 11),
    (FLAGGED, "%0 = arith.addi %x, %x : i32",
     ("attribute 'overflowFlags' is #arith.overflow<none>, expected "
     "#arith.overflow<nsw>"), 10),
    (FLAGGED, "%0 = arith.addi %x, %y overflow<nsw> : i32",
     "an operand is %y, expected %x as before", 10),
    (LOW_HALF, ("%0, %1 = arith.mulsi_extended %x, %y : i32\n"
     "%2 = arith.addi %1, %1 : i32"), "result 1 of 'arith.mulsi_extended' has uses", 10),
    (ONCE, ("%a = arith.subi %x, %y : i32\n%0 = arith.subi %a, %x : i32\n"
     "%1 = arith.addi %a, %x : i32"),
     "%a does not have one use", 10),
    (NEGATED, "%0 = arith.negf %f : f32",
     "an operand is the argument of a block, expected 'arith.negf'", 10),
    (NEGATED, "%a = arith.addf %f, %f : f32\n%0 = arith.negf %a : f32",
     "found 'arith.addf', expected 'arith.negf'", 10),
    (LISTED, "%0 = arith.andi %x, %x : i32", "the type is i32, expected i8", 10),
    (SQUARE, "%0 = arith.muli %x, %y : i32", "an operand is %y, expected %x as before", 36),
    (SQUARE, "%0 = arith.muli %w, %w : i64", "the type is i64, expected i32", 36),
    (NOT_SMALL, "%0 = arith.muli %x, %x : i32", "constraint 'isPower' holds of i32", 37),
    (ANY_OPERATION, "%0 = arith.muli %x, %x : i32",
     "'arith.muli' has 2 operands, expected 1", 36),
    (INVERTED, ("%a = arith.cmpi slt, %x, %y : i32\n%b = arith.constant false\n"
     "%0 = arith.xori %a, %b : i1"), "attribute 'value' is false, expected true", 2),
    (SIGNS, ("%a = arith.extsi %x : i32 to i64\n%b = arith.extsi %y : i32 to i64\n"
     "%0 = arith.cmpi slt, %a, %b : i64"),
     "constraint 'isEquality' does not hold of 2 : i64", 3),
    (SIGNS, ("%a = arith.extsi %x : i32 to i64\n%b = arith.extui %y : i32 to i64\n"
     "%0 = arith.cmpi eq, %a, %b : i64"),
     "found 'arith.extui', expected 'arith.extsi'", 2),
    (WIDENED, "%a = arith.extsi %x : i32 to i64\n%0 = arith.trunci %a : i64 to i8",
     "`wider` does not hold of i8 and i32", 2),
]  # fmt: skip
"""A pattern, IR that it nearly matches, why not, and the line that says so."""


def explain(
    known: RewritePattern, body: str, symbol: str = "", name: str = "f"
) -> PatternExplainer:
    context = XDSLContext()
    manager = PassManager(context, "builtin.module")
    explainer = PatternExplainer(context, known.name, symbol)
    manager.add_instrumentation(explainer)
    constraints = (("isPower", lambda found: str(found) in {"i32", "8 : i32"}),)
    class_ = pass_of(known, native_constraints=constraints)
    if known in {INVERTED, SIGNS, WIDENED}:
        class_ = arith_pass(known)
    manager.nest("func.func").add_pass(class_())
    arguments = "%x: i32, %y: i32, %w: i64, %f: f32, %v: vector<2xi32>"
    text = function(body, arguments, "%x", "i32").replace("@f", f"@{name}")
    module = context.parse(text, "input.mlir")
    manager.run(module)
    return explainer


def test_thirty_near_misses_are_planted() -> None:
    assert len(CASES) > 30


@pytest.mark.parametrize(("known", "body", "problem", "line"), CASES)
def test_the_nearest_miss_says_what_was_found(
    known: RewritePattern, body: str, problem: str, line: int
) -> None:
    explainer = explain(known, body)
    nearest = explainer.nearest()[0]

    assert nearest.problem == problem
    assert explainer.num_matches == 0
    assert nearest.place.rsplit(":", 2)[1] == str(line)


def test_a_report_has_the_line_of_the_pattern_and_where_it_stood() -> None:
    assert explain(*CASES[0][:2]).report() == (
        "pattern 'shown': matches: 0, near misses: 1\n"
        "input.mlir:3:6: remark: 'arith.muli': attribute 'value' is 3 : i32, "
        "expected 2 : i32\n"
        "input.mlir:2:6: note: in 'arith.constant'\n"
        "specs/example.yaml:10:16: note: it should match: %two = arith.constant 2 : "
        "i32\n"
    )


def test_a_symbol_that_is_not_met_is_named() -> None:
    explainer = explain(*CASES[0][:2], symbol="ff")

    name = CASES[0][0].name
    assert explainer.report() == (
        f"pattern '{name}': its pass ran on no @ff\nnote: did you mean 'f'?\n"
    )


@pytest.mark.parametrize(("symbol", "count"), [("", 1), ("f", 1), ("g", 0)])
def test_a_symbol_says_where_to_look(symbol: str, count: int) -> None:
    assert len(explain(*CASES[0][:2], symbol=symbol).near_misses) == count


def test_what_matches_is_counted() -> None:
    explainer = explain(BY_TWO, TIMES_TWO)

    assert (explainer.num_matches, explainer.near_misses) == (1, [])


def test_few_near_misses_are_shown_the_nearest_first() -> None:
    constants = "\n".join(
        f"%k{n} = arith.constant {n} : i32\n%m{n} = arith.muli %x, %k{n} : i32"
        for n in range(3, 9)
    )
    explainer = explain(BY_TWO, f"%s = arith.muli %x, %x : i32\n{constants}")

    assert "near misses: 7, of which the nearest 5 are shown" in explainer.report()
    assert {miss.problem[:17] for miss in explainer.nearest()} == {"attribute 'value'"}


def test_a_pattern_of_no_pass_that_ran_is_named() -> None:
    explainer = PatternExplainer(XDSLContext(), "other")

    assert explainer.report() == "pattern 'other': no pass that has it ran\n"
