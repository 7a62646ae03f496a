"""Functions of the pattern language are proved for all constants at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import PatternVariable, RewritePattern
from passgen_tools.verify import report, verify_patterns
from passgen_tools.verify.judgements import Judgement
from tests.pattern_cases import pass_of
from tests.pattern_example_cases import shown

BYTE: Final = PatternVariable(name="T", examples=("i8",))
WIDE: Final = PatternVariable(name="T", examples=("i64",))


def attribute(name: str, *examples: str, make: str = "") -> PatternVariable:
    return PatternVariable(name=name, examples=examples, is_attribute=True, make=make)


def joined(operation: str, make: str, flags: str = "") -> RewritePattern:
    """Return the pattern that two constants of an operation become one."""
    variables = [BYTE, attribute("c", "1", "0"), attribute("d", "1", "0")]
    variables.append(attribute("e", "2", "0", make=make))
    first = second = new = ""
    if flags:
        first, second, new = "overflow<$f>", "overflow<$g>", "overflow<$h>"
        variables += [attribute("f", "nsw", "nuw"), attribute("g", "nsw", "nuw")]
        variables.append(attribute("h", "nsw", "nuw", make=flags))
    return shown(
        f"%c = arith.constant $c : $T\n%a = arith.{operation} %x, %c {first} : $T\n"
        f"%d = arith.constant $d : $T\n%0 = arith.{operation} %a, %d {second} : $T",
        f"%e = arith.constant $e : $T\n%0 = arith.{operation} %x, %e {new} : $T",
        *variables,
    )


def judge(pattern: RewritePattern) -> list[Judgement]:
    return [*verify_patterns(pass_of(pattern), XDSLContext())]


@pytest.mark.parametrize("type_", [BYTE, WIDE])
@pytest.mark.parametrize(
    ("operation", "make"), [("addi", "add(c, d)"), ("subi", "add(d, c)")]
)
def test_two_constants_are_joined(
    operation: str, make: str, type_: PatternVariable
) -> None:
    pattern = joined(operation, make)
    pattern = replace(pattern, variables=(type_, *pattern.variables[1:]))

    (judged,) = judge(pattern)

    assert (judged.verdict, judged.types) == ("proved", type_.examples[0])


def test_products_of_constants_are_joined() -> None:
    assert judge(joined("muli", "mul(c, d)"))[0].verdict == "proved"


@pytest.mark.parametrize(
    ("operation", "make"),
    [("addi", "sub(c, d)"), ("subi", "sub(c, d)"), ("muli", "add(c, d)")],
)
def test_a_wrong_constant_has_a_counterexample(operation: str, make: str) -> None:
    (judged,) = judge(joined(operation, make))

    assert judged.verdict == "wrong"
    XDSLContext().verify(XDSLContext().parse(judged.reason, "counterexample"))


def test_flags_of_two_additions_are_not_those_of_one() -> None:
    (judged,) = judge(joined("addi", "add(c, d)", "commonFlags(f, g)"))

    assert judged.verdict == "wrong"
    assert "// poison" in judged.reason
    assert judged.reason.splitlines()[-1] == (
        "// wrong for 3 of 16 choices of flags: f: nsw, g: nsw; f: nsw, g: nsw nuw; "
        "f: nsw nuw, g: nsw"
    )


COMPARED: Final = shown(
    "%a = arith.cmpi $p, %x, %y : $T\n%true = arith.constant true\n"
    "%0 = arith.xori %a, %true : i1",
    "%0 = arith.cmpi $q, %x, %y : $T",
    BYTE,
    attribute("p", "slt", "ult"),
    attribute("q", "sge", "uge", make="invertPredicate(p)"),
)


def test_the_inverse_of_each_predicate_is_proved() -> None:
    assert report(judge(COMPARED)) == "  shown: proved: i8/i1\n"


def test_a_predicate_is_not_its_own_inverse() -> None:
    same = COMPARED.after.replace("$q", "$p")
    kept = tuple(known for known in COMPARED.variables if known.name != "q")

    (judged,) = judge(replace(COMPARED, after=same, variables=kept))

    assert judged.verdict == "wrong"


def test_one_constant_in_two_operations_is_one_variable() -> None:
    pattern = shown(
        "%c = arith.constant $c : $T\n%a = arith.addi %x, %c : $T\n"
        "%d = arith.constant $c : $T\n%0 = arith.subi %a, %d : $T",
        "%0 = %x",
        BYTE,
        attribute("c", "1", "0"),
    )

    assert judge(pattern)[0].verdict == "proved"


def test_functions_in_python_and_of_the_language_may_meet() -> None:
    """The constant that a function in Python restricts is one that is added."""
    pattern = joined("addi", "add(c, d)")
    restricted = replace(attribute("c", "1", "0"), where="isIt")
    variables = tuple(
        restricted if known.name == "c" else known for known in pattern.variables
    )
    given: set[int] = set()

    def is_it(attribute: object) -> bool:
        given.add(int(str(attribute).split()[0]))
        return True

    class_ = pass_of(
        replace(pattern, variables=variables), native_constraints=(("isIt", is_it),)
    )

    assert report(verify_patterns(class_)) == "  shown: proved: i8\n"
    assert given == set(range(-128, 128))
