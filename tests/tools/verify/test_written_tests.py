"""Counterexamples that are written as tests fail for the pattern, and else pass."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from passgen_runtime import PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry import parse_pass_manager
from passgen_runtime.patterns import Patterns, PatternVariable, RewritePattern
from passgen_tools.ir_libraries import registry_of
from passgen_tools.verify.counterexample_tests import counterexample_tests
from passgen_tools.verify.pattern_verdicts import verdicts_of_pass
from passgen_tools.verify.written_cases import written_cases
from tests.filecheck_runs import is_accepted
from tests.pattern_cases import pass_of, pattern
from tests.pattern_example_cases import shown
from tests.tools.verify.planted_patterns import Planted

T: Final = PatternVariable(name="T", examples=("i8",))


def _attribute(name: str, *examples: str, make: str = "") -> PatternVariable:
    return PatternVariable(name=name, examples=examples, is_attribute=True, make=make)


WRONG: Final = {
    "flags": shown(
        "%c = arith.constant $c : $T\n%a = arith.addi %x, %c overflow<$f> : $T\n"
        "%d = arith.constant $d : $T\n%0 = arith.addi %a, %d overflow<$g> : $T",
        "%e = arith.constant $e : $T\n%0 = arith.addi %x, %e overflow<$h> : $T",
        T,
        _attribute("c", "1", "0"),
        _attribute("d", "1", "0"),
        _attribute("e", "2", "0", make="add(c, d)"),
        _attribute("f", "nsw", "nuw"),
        _attribute("g", "nsw", "nuw"),
        _attribute("h", "nsw", "nuw", make="commonFlags(f, g)"),
    ),
    "a new operation": shown(
        "%c = arith.constant 2 : i8\n%0 = arith.divsi %x, %c : i8",
        "%d = arith.constant 1 : i8\n%0 = arith.shrsi %x, %d : i8",
    ),
    "a new operation that uses another": shown(
        "%0 = arith.muli %x, %y : i8",
        "%a = arith.addi %x, %y : i8\n%0 = arith.muli %a, %y : i8",
    ),
    "a new operation that uses one that is matched": shown(
        "%a = arith.addi %x, %y : i8\n%0 = arith.subi %a, %y : i8",
        "%0 = arith.subi %a, %x : i8",
    ),
    "an operation that is matched, too": shown(
        "%c = arith.constant 0 : i8\n%a = arith.subi %x, %y : i8\n"
        "%0 = arith.subi %c, %a : i8",
        "%0 = arith.subi %x, %y : i8",
    ),
    "an operation on a constant that is matched, too": shown(
        "%c = arith.constant 3 : i8\n%a = arith.addi %x, %c : i8\n"
        "%0 = arith.muli %a, %y : i8",
        "%d = arith.constant 3 : i8\n%0 = arith.addi %x, %d : i8",
    ),
    "undefined behavior": shown(
        "%0 = arith.xori %x, %y : i8",
        "%z = arith.constant 0 : i8\n%0 = arith.divui %x, %z : i8",
    ),
    "another predicate": shown(
        "%0 = arith.cmpi slt, %x, %y : i8", "%0 = arith.cmpi ult, %x, %y : i8"
    ),
    "an operand": shown(
        "%a = arith.andi %x, %y : i8\n%0 = arith.ori %a, %y : i8", "%0 = %x"
    ),
    "a result that is matched": shown(
        "%a = arith.andi %x, %y : i8\n%0 = arith.ori %a, %y : i8", "%0 = %a"
    ),
    "a constant": shown(
        "%c = arith.constant 1 : i8\n%a = arith.addi %x, %c : i8\n"
        "%0 = arith.cmpi sgt, %a, %x : i8",
        "%0 = arith.constant true",
    ),
    "one of two results": shown(
        "%0, %1 = arith.mulsi_extended %x, %y : i8",
        "%0 = arith.muli %x, %y : i8\n%1 = %x",
    ),
}


def written_test(class_: type[Patterns], path: Path) -> str:
    """Write the test of a wrong pattern; return it."""
    context = XDSLContext()
    verdicts = verdicts_of_pass("example", class_, context, 60)
    cases = written_cases(verdicts, context, 60)
    path.write_text(counterexample_tests(cases, "passgen-opt %s --example --cse"))
    return path.read_text()


@pytest.mark.process
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_counterexample_as_a_test_fails_for_its_pattern_alone(
    wrong: RewritePattern, tmp_path: Path
) -> None:
    context, class_ = XDSLContext(), pass_of(wrong)
    test = tmp_path / "wrong.mlir"
    text = written_test(class_, test)
    cse = "builtin.module(func.func(cse))"
    printed: list[str] = []
    for is_applied in (False, True):
        module = context.parse(text, "wrong.mlir")
        if is_applied:
            manager = PassManager(context, nesting="implicit")
            manager.add_pass(class_())
            manager.run(module)
        parse_pass_manager(cse, context, registry_of(context)).run(module)
        printed.append(context.print(module))

    assert [is_accepted(ir, test) for ir in printed] == [True, False], text


def test_the_test_says_what_is_wrong(tmp_path: Path) -> None:
    text = written_test(pass_of(WRONG["undefined behavior"]), tmp_path / "wrong.mlir")

    assert text.startswith(
        "// RUN: passgen-opt %s --example --cse | filecheck %s\n\n"
        "// specs/example.yaml:10: shown on i8\n// Where %arg0 is "
    )
    problem = "a new arith.divui would have undefined behavior."
    assert re.search(rf", %arg1 is -?\d+ : i8: {problem}\n", text)


def test_invalid_new_ir_is_named(tmp_path: Path) -> None:
    planted = Planted(is_right=False, type="T", text="extui x/i8:T => x")

    text = written_test(pass_of(pattern(planted.pdl())), tmp_path / "wrong.mlir")

    problem = "a value of another type replaces a result"
    assert f"// The new IR is invalid: {problem}.\n// CHECK-LABEL: " in text
