"""Mutants: passes of which one thing is declared otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from passgen_runtime import OperationPass, PassOptions
from passgen_runtime.context import Context
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager import PassManager, Runner
from passgen_runtime.patterns import Patterns, PatternVariable, RewritePattern
from passgen_tools.mutants import (
    Mutant,
    MutantName,
    is_equivalent,
    mutants_of,
    unread_patterns,
)
from passgen_tools.processes import ProcessPool
from passgen_tools.python_programs import PASS_MUTANT
from passgen_tools.testing import PassTester, assert_rewrites, assert_unchanged
from passgen_tools.workers import Workers
from tests.passes_to_cover import SOURCE, TWICE, Reduce, ReduceBase, main
from tests.pattern_cases import pass_of
from tests.pattern_example_cases import shown

INTEGER = PatternVariable(name="T", examples=("i8", "i4"), any="integer")
POWER = PatternVariable(
    name="c", examples=("8", "4"), is_attribute=True, where="isPower"
)
IS_POWER = "passgen_runtime.passes.arith.integer_attributes:is_power_of_two"
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
    "a type is any": (
        "%0 = arith.subi %x, %x : $T",
        "%0 = arith.muli %x, %x : $T",
        (PatternVariable(name="T", examples=("i8", "i4")),),
        ["type $T is i8 only", "type $T is any integer"],
    ),
    "a condition is dropped, or turned": (
        "%c = arith.constant $c : i8\n%0 = arith.muli %c, %c : i8",
        "%0 = arith.constant $c : i8",
        (POWER,),
        [
            "condition 'isPower' is no condition of $c",
            "condition $c must not be 'isPower'",
        ],
    ),
    "a comparison of widths is turned": (
        "%a = arith.extsi %x : $S to $T\n%0 = arith.trunci %a : $T to $U",
        "%0 = arith.extsi %x : $S to $U",
        (
            PatternVariable(name="S", examples=("i8", "i4"), any="integer"),
            PatternVariable(name="T", examples=("i64", "i128"), any="integer"),
            PatternVariable(
                name="U", examples=("i16", "i24"), any="integer", where="wider(U, S)"
            ),
        ),
        [
            "condition 'wider(U, S)' is no condition of $U",
            "condition $U is narrower(U, S), not wider",
            "type $S is i8 only",
            "type $T is i64 only",
            "type $U is i16 only",
        ],
    ),
}


def changed_patterns(class_: type[Patterns], context: Context) -> list[Mutant]:
    return [one for one in mutants_of(class_, context) if one.pattern]


@pytest.mark.parametrize("case", CASES)
def test_of_a_pattern(case: str) -> None:
    before, after, variables, wanted = CASES[case]
    constraints = (("isPower", IS_POWER),)
    class_ = pass_of(shown(before, after, *variables), native_constraints=constraints)

    found = changed_patterns(class_, XDSLContext())

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


def test_runs_use_another_driver() -> None:
    found = mutants_of(ReduceBase, XDSLContext())
    index = found.index(mutant("driver"))
    folded = TWICE.replace("  %two = arith.constant 2 : i32\n", "")
    folded = folded.replace("muli %x, %two", "addi %x, %x")

    with MutantName(SOURCE, "reduce", index).replacing():
        PassTester(audit=False).assert_rewrites(Reduce(), TWICE, folded)


class Around(OperationPass[PassOptions]):
    argument = "around"
    dependent_dialects = ("arith",)

    def __init__(self) -> None:
        self.inner = PassManager(XDSLContext(), "func.func")
        self.inner.add_pass(Reduce())

    def run_on_operation(self) -> None:
        for function in self.operation.body.ops:
            self.run_pipeline(self.inner, function)


def text_after(context: Context, manager: PassManager, runner: Runner | None) -> str:
    """Return the IR after a run of the mutant that takes another number for two."""
    name = MutantName(SOURCE, "reduce", index_of(mutant("number", "constant 3")))
    module = context.parse(TWICE + TWICE.replace("@twice", "@again"), "twice.mlir")
    with name.replacing():
        manager.run(module, runner)
    return context.print(module)


def index_of(wanted: Mutant) -> int:
    return mutants_of(ReduceBase, XDSLContext()).index(wanted)


def test_programs_run_the_mutant_of_their_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = index_of(mutant("number", "constant 3"))
    monkeypatch.setenv(PASS_MUTANT, MutantName(SOURCE, "reduce", index).encode())
    (tmp_path / "twice.mlir").write_text(TWICE)

    assert main([str(tmp_path / "twice.mlir"), "--reduce"]) == 0
    assert "arith.muli" in capsys.readouterr().out


def test_dynamic_pipelines_run_the_mutant(context: Context) -> None:
    manager = PassManager(context, "builtin.module")
    manager.add_pass(Around())

    assert "arith.muli" in text_after(context, manager, None)


@pytest.mark.process
def test_workers_run_the_mutant(context: Context) -> None:
    manager = PassManager(context, "builtin.module")
    manager.nest("func.func").add_pass(Reduce())

    with ProcessPool(1) as pool:
        runner = Workers(pool, sends_always=True)
        assert "arith.muli" in text_after(context, manager, runner)
    assert runner.num_sent == 2


def test_patterns_of_unknown_dialects_have_no_mutants_and_are_named() -> None:
    class_ = pass_of(shown("%0 = mine.square %x : i8", "%0 = arith.muli %x, %x : i8"))

    assert changed_patterns(class_, XDSLContext()) == []
    [line] = unread_patterns(class_, XDSLContext())
    assert line.startswith("specs/example.yaml:10: no mutants: example shown: ")


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

    found = changed_patterns(class_, context)

    assert [is_equivalent(one, class_, context) for one in found] == is_same


PDL = """\
%i32 = pdl.type : i32
%x = pdl.operand : %i32
%c = pdl.attribute = 2 : i32
pdl.apply_native_constraint "isPower" (%c : !pdl.attribute)
%two = pdl.operation "arith.constant" {"value" = %c} -> (%i32 : !pdl.type)
%y = pdl.result 0 of %two
%root = pdl.operation "arith.muli" (%x, %y : !pdl.value, !pdl.value) -> (%i32 : !pdl.type)
pdl.rewrite %root {
  %sum = pdl.operation "arith.addi" (%x, %x : !pdl.value, !pdl.value) -> (%i32 : !pdl.type)
  pdl.replace %root with %sum
}"""


def test_of_a_pattern_in_pdl() -> None:
    pattern = RewritePattern(name="shown", pdl=PDL, line=5)
    class_ = pass_of(pattern, native_constraints=(("isPower", IS_POWER),))

    found = changed_patterns(class_, XDSLContext())

    assert [(one.kind, one.place.rpartition(":")[2]) for one in found] == [
        ("operands", "11"),
        ("number", "7"),
        ("condition", "8"),
        ("type", "5"),
    ]


def test_of_benefits_and_drivers() -> None:
    first = replace(shown("%0 = arith.muli %x, %x : i8", "%0 = %x"), benefit=2)
    second = shown("%0 = arith.muli %y, %y : i8", "%0 = %y", name="second")

    found = mutants_of(pass_of(first, second), XDSLContext())

    assert [one.description for one in found] == [
        "benefit 0 in place of 2",
        "driver greedy in place of walk",
    ]


def test_of_uses() -> None:
    text = "%a = arith.subi %x, %x : i8\n%0 = arith.muli %a, %y : i8"
    pattern = replace(shown(text, "%0 = %y"), one_use=("a",))

    found = changed_patterns(pass_of(pattern), XDSLContext())

    assert found[-1].description == "'a' may have more than one use"


def test_defaults_of_numbers_are_other_numbers() -> None:
    assert mutant("default", "limit").description == "limit is 4 by default"


SPEC = """\
passes:
  Other:
    argument: other
    driver: greedy
  Reduce:
    argument: reduce
    options:
      - {name: mode, type: enum}
      - name: isEager
        argument: eager
    needs:
      - no-tensors
      - no-loops
    patterns:
      - {name: mulToAdd, benefit: 2}
"""


def test_options_and_needs_have_lines_of_the_spec(tmp_path: Path) -> None:
    (tmp_path / SOURCE).parent.mkdir()
    (tmp_path / SOURCE).write_text(SPEC)

    found = mutants_of(ReduceBase, XDSLContext(), tmp_path)

    lines = {one.description: one.place.removeprefix(SOURCE) for one in found}
    assert lines["mode is small by default"] == ":8"
    assert lines["eager is true by default"] == ":10"
    assert lines["the form 'no-loops' is not needed"] == ":13"
    assert lines["driver greedy in place of walk"] == ":6"  # that of the pass


def test_what_is_matched_does_not_depend_on_names(context: Context) -> None:
    pattern = shown(
        "%a = arith.xori %x, %z : i4\n%b = arith.xori %y, %z : i4\n"
        "%0 = arith.andi %a, %b : i4",
        "%d = arith.andi %x, %y : i4\n%0 = arith.xori %d, %z : i4",
    )
    class_ = pass_of(replace(pattern, one_use=("a", "b")))

    keeps = {
        one.description.partition(" in ")[0]: one.keeps_match
        for one in changed_patterns(class_, context)
    }

    assert keeps["'%0 = arith.andi %b, %a : i4'"]
    assert not keeps["'%a = arith.xori %z, %x : i4'"]
