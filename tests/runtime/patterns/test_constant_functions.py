"""The functions of the pattern language make the same constants on both IRs."""

from __future__ import annotations

import re
from typing import Final

import pytest

from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import PatternError, PatternVariable, RewritePattern
from tests.pattern_cases import pass_of, run_pass
from tests.pattern_example_cases import INTEGER, function, shown

pytestmark = pytest.mark.bindings
BOTH = pytest.mark.parametrize("make_context", [XDSLContext, MLIRContext])


def _attribute(
    name: str, *examples: str, where: str = "", make: str = ""
) -> PatternVariable:
    return PatternVariable(
        name=name, examples=examples, is_attribute=True, where=where, make=make
    )


def _joined(make: str, type_: PatternVariable = INTEGER) -> RewritePattern:
    """Return the pattern that two constants become the one that `make` makes."""
    return shown(
        "%a = arith.constant $a : $T\n%b = arith.constant $b : $T\n"
        "%0 = arith.xori %a, %b : $T",
        "%0 = arith.constant $c : $T",
        type_,
        _attribute("a", "1", "0"),
        _attribute("b", "1", "0"),
        _attribute("c", "1", "0", make=make),
    )


def _constants(one: str, other: str, type_: str) -> str:
    body = f"%a = arith.constant {one} : {type_}\n%b = arith.constant {other} : {type_}"
    return function(f"{body}\n%0 = arith.xori %a, %b : {type_}", "", "%0", type_)


def _result(pattern: RewritePattern, context: Context, ir: str) -> str:
    """Return IR after a pattern, or "same" if it does not match."""
    pass_ = pass_of(pattern)()
    after = run_pass(pass_, context, ir)
    if not pass_.pattern_counts()[pattern.name]:
        return "same"
    return after


INTEGERS: Final = {
    "add(a, b)": ("100", "100", "i8", "-56 : i8"),
    "sub(a, b)": ("-100", "100", "i8", "56 : i8"),
    "sub(b, a)": ("1", "100", "i8", "99 : i8"),
    "mul(a, b)": ("100", "100", "i8", "16 : i8"),
    "add(b, a)": ("dense<7>", "dense<3>", "vector<2xi8>", "dense<10> : vector<2xi8>"),
    "mul(b, a)": ("-1", "9223372036854775807", "index", "-9223372036854775807 : index"),
}


@BOTH
@pytest.mark.parametrize("make", INTEGERS)
def test_integers_wrap(make: str, make_context: type[Context]) -> None:
    one, other, type_, expected = INTEGERS[make]

    after = _result(_joined(make), make_context(), _constants(one, other, type_))

    assert f"arith.constant {expected}" in after


@BOTH
@pytest.mark.parametrize("make", ["add(a, b)", "sub(a, b)"])
def test_truth_values_wrap(make: str, make_context: type[Context]) -> None:
    ir = _constants("true", "true", "i1").replace("true : i1", "true")

    assert "arith.constant false" in _result(_joined(make), make_context(), ir)


@BOTH
def test_other_attributes_than_numbers_do_not_match(
    make_context: type[Context],
) -> None:
    ir = _constants("dense<[1, 2]>", "dense<3>", "vector<2xi8>")

    assert _result(_joined("add(a, b)"), make_context(), ir) == "same"


SCALARS: Final = PatternVariable(
    name="T", examples=("i32", "i8"), any="integer", where="scalar"
)


@BOTH
@pytest.mark.parametrize(("type_", "matches"), [("i8", True), ("vector<2xi8>", False)])
def test_a_scalar_is_no_vector(
    type_: str, matches: bool, make_context: type[Context]  # noqa: FBT001 - a case
) -> None:
    one, other = ("1", "2") if matches else ("dense<1>", "dense<2>")
    ir = _constants(one, other, type_)

    after = _result(_joined("add(a, b)", SCALARS), make_context(), ir)

    assert (after != "same") is matches


FLAGS: Final = {
    ("nsw", "nuw"): "none",
    ("nsw, nuw", "nuw"): "nuw",
    ("nuw, nsw", "nsw, nuw"): "nsw, nuw",
    ("none", "nsw"): "none",
}


@BOTH
@pytest.mark.parametrize("flags", FLAGS)
def test_flags_that_both_have_are_kept(
    flags: tuple[str, str], make_context: type[Context]
) -> None:
    body = "%a = arith.addi %x, %x overflow<{}> : i8\n%0 = arith.subi %a, %x {} : i8"
    pattern = shown(
        body.format("$f", "overflow<$g>"),
        "%0 = arith.muli %x, %x overflow<$h> : i8",
        _attribute("f", "nsw", "nuw"),
        _attribute("g", "nsw", "nuw"),
        _attribute("h", "nsw", "nuw", make="commonFlags(f, g)"),
    )
    ir = function(body.format(flags[0], f"overflow<{flags[1]}>"), "%x: i8", "%0", "i8")

    after = _result(pattern, make_context(), ir).partition("arith.muli")[2]

    kept = after.partition("overflow<")[2].partition(">")[0] or "none"
    assert {*re.findall(r"\w+", kept)} == {*FLAGS[flags].split(", ")}


FAST: Final = {("fast", "nnan"): "fastmath<nnan>", ("fast", "fast"): "fastmath<fast>"}


@BOTH
@pytest.mark.parametrize("flags", FAST)
def test_fast_is_all_flags_of_its_kind(
    flags: tuple[str, str], make_context: type[Context]
) -> None:
    body = "%a = arith.negf %x fastmath<{}> : f32\n%0 = arith.negf %a {} : f32"
    pattern = shown(
        body.format("$f", "fastmath<$g>"),
        "%0 = arith.mulf %x, %x fastmath<$h> : f32",
        _attribute("f", "nnan", "ninf"),
        _attribute("g", "nnan", "ninf"),
        _attribute("h", "nnan", "ninf", make="commonFlags(f, g)"),
    )
    given = body.format(flags[0], f"fastmath<{flags[1]}>")

    after = _result(pattern, make_context(), function(given, "%x: f32", "%0", "f32"))

    assert f"arith.mulf %x, %x {FAST[flags]}" in after.replace("%arg0", "%x")


INVERSE: Final = {
    "eq": "ne",
    "slt": "sge",
    "sle": "sgt",
    "ult": "uge",
    "ule": "ugt",
}
NEGATED: Final = (
    "%a = arith.cmpi {}, %x, %x : i8\n%true = arith.constant true\n"
    "%0 = arith.xori %a, %true : i1"
)


@BOTH
@pytest.mark.parametrize(
    ("predicate", "inverse"),
    [*INVERSE.items(), *((value, key) for key, value in INVERSE.items())],
)
def test_a_predicate_is_inverted(
    predicate: str, inverse: str, make_context: type[Context]
) -> None:
    pattern = shown(
        NEGATED.format("$p"),
        "%0 = arith.cmpi $q, %x, %x : i8",
        _attribute("p", "slt", "ult"),
        _attribute("q", "sge", "uge", make="invertPredicate(p)"),
    )
    ir = function(NEGATED.format(predicate), "%x: i8", "%0", "i1")

    assert f"arith.cmpi {inverse}," in _result(pattern, make_context(), ir)


WRONG: Final = {
    "add(a)": "'add' takes attributes of 'before', 2 of them",
    "add(a, T)": "'add' takes attributes of 'before', 2 of them",
}


@BOTH
@pytest.mark.parametrize("make", WRONG)
def test_other_arguments_are_refused(make: str, make_context: type[Context]) -> None:
    with pytest.raises(PatternError, match=WRONG[make]):
        run_pass(pass_of(_joined(make))(), make_context(), _constants("1", "1", "i8"))
