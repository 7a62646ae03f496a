"""Mutants: passes of which one thing is declared otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from passgen_runtime.context import Context
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import PatternVariable
from passgen_tools.mutants import Mutant, MutantName, is_equivalent, mutants_of
from passgen_tools.testing import PassTester, assert_rewrites, assert_unchanged
from tests.passes_to_cover import SOURCE, TWICE, Reduce, ReduceBase
from tests.pattern_cases import pass_of
from tests.pattern_example_cases import shown

INTEGER = PatternVariable(name="T", examples=("i8", "i4"), any="integer")
POWER = PatternVariable(
    name="c", examples=("8", "4"), is_attribute=True, where="isPower"
)
AND_PLUS_XOR = """\
%a = arith.andi %x, %y : i4
%b = arith.xori %x, %y : i4
%0 = arith.addi %a, %b : i4"""

CASES: Mapping[str, tuple[str, str, tuple[PatternVariable, ...], list[str]]] = {
    "a predicate is turned": (
        "%0 = arith.cmpi slt, %x, %x : i8",
        "%0 = arith.constant 0 : i1",
        (),
        [
            "predicate '%0 = arith.cmpi sge, %x, %x : i8'",
            "number '%0 = arith.constant 1 : i1'",
        ],
    ),
    "operands are exchanged": (
        "%0 = arith.subi %x, %y : i8",
        "%0 = arith.addi %x, %y : i8",
        (),
        [
            "operands '%0 = arith.subi %y, %x : i8'",
            "operands '%0 = arith.addi %y, %x : i8'",
        ],
    ),
    "a flag is kept": (
        "%0 = arith.addi %x, %x overflow<nsw> : i8",
        "%0 = arith.subi %x, %x : i8",
        (),
        ["flag '%0 = arith.subi %x, %x overflow<nsw> : i8'"],
    ),
    "a type is narrowed": (
        "%0 = arith.subi %x, %x : $T",
        "%0 = arith.muli %x, %x : $T",
        (INTEGER,),
        ["type $T is i8 only"],
    ),
    "a condition is dropped": (
        "%c = arith.constant $c : i8\n%0 = arith.muli %c, %c : i8",
        "%0 = arith.constant $c : i8",
        (POWER,),
        ["condition 'isPower' is no condition of $c"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_of_a_pattern(case: str) -> None:
    before, after, variables, wanted = CASES[case]
    constraints = (("isPower", "tests.pattern_cases:MATCH"),) if variables else ()
    class_ = pass_of(shown(before, after, *variables), native_constraints=constraints)

    found = mutants_of(class_, XDSLContext())

    texts = [f"{one.kind} {one.description.partition(' in place')[0]}" for one in found]
    assert texts == wanted


def mutant(kind: str, text: str = "") -> Mutant:
    found = mutants_of(ReduceBase, XDSLContext())
    return next(one for one in found if one.kind == kind and text in one.description)


def test_a_mutant_has_the_line_of_the_spec() -> None:
    assert mutant("number", "constant 3").place == f"{SOURCE}:7"
    assert mutant("operands").place == f"{SOURCE}:8"


def test_defaults_of_options_are_changed_unless_an_option_is_set() -> None:
    pass_, set_ = Reduce(), Reduce(eager=True)
    changed = mutant("default", "eager is true")

    with changed.applied_to(pass_), changed.applied_to(set_):
        assert pass_.options.eager
        assert set_.options.eager
    assert not pass_.options.eager


def test_needs_are_dropped() -> None:
    pass_ = Reduce()

    with mutant("need").applied_to(pass_):
        assert pass_.forms.needs == ()
    assert pass_.forms == Reduce.forms


def test_runs_use_the_mutant_and_the_class_stays() -> None:
    found = mutants_of(ReduceBase, XDSLContext())
    index = found.index(mutant("number", "constant 3"))
    before = Reduce.patterns
    reduced = TWICE.replace("muli %x, %two", "addi %x, %x")

    with MutantName(SOURCE, "reduce", index).replacing():
        PassTester(audit=False).assert_unchanged(Reduce(), TWICE)

    assert Reduce.patterns is before
    assert_rewrites(Reduce(), TWICE, reduced)
    assert_unchanged(Reduce(), reduced)


@pytest.fixture
def context() -> Context:
    return XDSLContext()


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        (
            AND_PLUS_XOR,
            "%0 = arith.ori %x, %y : i4",
            [False, False, False, True],
        ),
        (
            "%a = arith.subi %x, %y : i4\n%0 = arith.addi %a, %z : i4",
            "%b = arith.subi %z, %y : i4\n%0 = arith.addi %b, %x : i4",
            [False, False, False, True],
        ),
    ],
)
def test_the_prover_finds_what_is_equivalent(
    context: Context, before: str, after: str, is_same: list[bool]
) -> None:
    class_ = pass_of(shown(before, after))

    found = mutants_of(class_, context)

    assert [is_equivalent(one, class_, context) for one in found] == is_same
