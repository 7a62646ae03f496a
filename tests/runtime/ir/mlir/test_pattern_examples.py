"""Patterns that are shown as IR mean the same on xDSL's IR and on MLIR's."""

from __future__ import annotations

import pytest

from passgen_runtime import PassManager
from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.generated.arith_passes import (
    ArithIdentitiesPassBase,
    ArithStrengthReductionPassBase,
)
from passgen_runtime.patterns import (
    PatternError,
    Patterns,
    PatternVariable,
    RewritePattern,
    library_of,
    pdl_text,
    read_pattern,
)
from passgen_tools.testing import PassTester, assert_pattern_examples
from tests.pattern_cases import pass_of, run_pass
from tests.pattern_example_cases import (
    CONSTANT,
    INTEGER,
    MATCHES,
    SMALL,
    TIMES_TWO,
    WRONG_EXAMPLES,
    function,
    shown,
)

pytestmark = pytest.mark.bindings

both_libraries = pytest.mark.parametrize("make_context", [XDSLContext, MLIRContext])

TIMES_TWO_IN_PDL = """\
pdl.pattern : benefit(1) {
  %type_0 = pdl.type : i32
  %x_1 = pdl.operand : %type_0
  %value_2 = pdl.attribute = 2 : i32
  %constant_3 = pdl.operation "arith.constant" {"value" = %value_2} -> (%type_0 : !pdl.type)
  %value_4 = pdl.result 0 of %constant_3
  %muli_5 = pdl.operation "arith.muli" (%x_1, %value_4 : !pdl.value, !pdl.value) -> (%type_0 : !pdl.type)
  pdl.rewrite %muli_5 {
    %addi_7 = pdl.operation "arith.addi" (%x_1, %x_1 : !pdl.value, !pdl.value) -> (%type_0 : !pdl.type)
    %value_8 = pdl.result 0 of %addi_7
    pdl.replace %muli_5 with (%value_8 : !pdl.value)
  }
}"""


def pdl_of(pattern: RewritePattern, context: Context) -> list[str]:
    library = library_of(context)
    assert library is not None
    return [pdl_text(graph) for graph in read_pattern(library, pattern)]


@both_libraries
def test_a_pattern_that_is_shown_becomes_pdl(make_context: type[Context]) -> None:
    pattern = shown(TIMES_TWO, "%0 = arith.addi %x, %x : i32")

    assert pdl_of(pattern, make_context()) == [TIMES_TWO_IN_PDL]


@pytest.mark.parametrize(
    "class_", [ArithStrengthReductionPassBase, ArithIdentitiesPassBase]
)
def test_both_libraries_make_the_same_pdl_of_the_shipped_patterns(
    class_: type[Patterns],
) -> None:
    for pattern in class_.patterns:
        pdl = pdl_of(pattern, XDSLContext())

        assert pdl
        assert pdl == pdl_of(pattern, MLIRContext())


@both_libraries
def test_the_shipped_patterns_of_strength_reduction_apply(
    make_context: type[Context],
) -> None:
    body = """\
        %two = arith.constant 2 : i32
        %four = arith.constant 4 : i32
        %0 = arith.muli %x, %two : i32
        %1 = arith.muli %0, %four : i32
        %2 = arith.divui %1, %four : i32"""
    reduced = """\
        %0 = arith.addi %x, %x : i32
        %places = arith.constant 2 : i32
        %1 = arith.shli %0, %places : i32
        %2 = arith.shrui %1, %places : i32"""

    PassTester(make_context()).assert_rewrites(
        "builtin.module(arith-strength-reduction,cse)",
        function(body, "%x: i32", "%2", "i32"),
        function(reduced, "%x: i32", "%2", "i32"),
    )


@both_libraries
def test_folding_anticipates_the_shipped_identities_of_integers(
    make_context: type[Context],
) -> None:
    body = """\
        %zero = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %0 = arith.addi %x, %zero : i32
        %1 = arith.muli %0, %one : i32"""

    run = PassTester(make_context()).assert_rewrites(
        "builtin.module(arith-identities)",
        function(body, "%x: i32", "%1", "i32"),
        function("", "%x: i32", "%x", "i32"),
    )

    assert run.statistics.get("addZero", 0) == run.statistics.get("mulByOne", 0) == 0


@pytest.mark.parametrize("case", MATCHES)
def test_both_libraries_make_the_same_pdl_of_each_form(case: str) -> None:
    pattern = MATCHES[case][0]

    assert pdl_of(pattern, XDSLContext()) == pdl_of(pattern, MLIRContext())


@both_libraries
@pytest.mark.parametrize("case", MATCHES)
def test_what_matches(case: str, make_context: type[Context]) -> None:
    pattern, body, type_, count = MATCHES[case]
    pass_ = pass_of(pattern)()
    result = "%0 : i1" if "cmpi" in body else f"%0 : {type_}"
    name, _, result_type = result.partition(" : ")

    run_pass(pass_, make_context(), function(body, f"%x: {type_}", name, result_type))

    assert pass_.pattern_counts() == {"shown": count}


@both_libraries
@pytest.mark.parametrize("mistake", WRONG_EXAMPLES)
def test_a_wrong_example_is_refused_at_its_place_when_the_pass_is_added(
    mistake: str, make_context: type[Context]
) -> None:
    pattern, message = WRONG_EXAMPLES[mistake]

    with pytest.raises(PatternError) as caught:
        PassManager(make_context(), "func.func").add_pass(pass_of(pattern)())

    assert message in str(caught.value)
    assert str(caught.value).startswith("specs/example.yaml:1")
    assert "pattern 'shown'" in str(caught.value)


@both_libraries
def test_a_root_without_results_is_erased(make_context: type[Context]) -> None:
    pattern = shown(
        "%zero = arith.constant 0 : index\nmemref.store %x, %m[%zero] : memref<4xi32>",
        "",
    )
    ir = """\
func.func @f(%x: i32, %m: memref<4xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  memref.store %x, %m[%zero] : memref<4xi32>
  memref.store %x, %m[%one] : memref<4xi32>
  func.return
}
"""

    assert run_pass(pass_of(pattern)(), make_context(), ir).count("memref.store") == 1


def is_even(attribute: object) -> bool:
    return str(attribute).partition(" : ")[0][-1] in "02468"


def same(_rewriter: object, attribute: object, type_: object) -> object:
    assert str(attribute).endswith(f": {type_}")
    return attribute


def first(_rewriter: object, attribute: object, _other: object) -> object:
    return attribute


@both_libraries
@pytest.mark.parametrize("variable", [INTEGER, SMALL])
def test_attributes_are_constrained_and_made_by_functions(
    variable: PatternVariable, make_context: type[Context]
) -> None:
    pattern = shown(
        "%k = arith.constant $c : $T\n%0 = arith.addi %k, %x : $T",
        "%l = arith.constant $d : $T\n%0 = arith.subi %x, %l : $T",
        variable,
        PatternVariable(
            name="c", examples=("8", "9"), is_attribute=True, where="isEven"
        ),
        PatternVariable(
            name="d", examples=("8", "9"), is_attribute=True, make="same(c, T)"
        ),
    )
    class_ = pass_of(
        pattern,
        native_constraints=(("isEven", is_even),),
        native_rewrites=(("same", same),),
    )
    body = (
        "%k = arith.constant 6 : i16\n%l = arith.constant 7 : i16\n"
        "%1 = arith.addi %k, %x : i16\n%0 = arith.addi %l, %1 : i16"
    )

    ir = run_pass(class_(), make_context(), function(body, "%x: i16", "%0", "i16"))

    assert ir.count("arith.subi") == 1
    assert ir.count("arith.addi") == 1


@both_libraries
def test_an_unknown_function_is_refused(make_context: type[Context]) -> None:
    constant = PatternVariable(
        name="c", examples=("8", "9"), is_attribute=True, where="isOdd"
    )
    pattern = shown(TIMES_TWO.replace("constant 2", "constant $c"), "%0 = %x", constant)

    with pytest.raises(PatternError, match=r":10:\d+: .*no constraint 'isOdd'"):
        PassManager(make_context(), "func.func").add_pass(pass_of(pattern)())


@both_libraries
def test_each_type_of_a_list_is_a_pattern_with_the_same_name_and_count(
    make_context: type[Context],
) -> None:
    pattern = shown("%0 = arith.andi %x, %x : $T", "%0 = %x", SMALL)
    body = (
        "%0 = arith.andi %x, %x : i8\n%1 = arith.andi %y, %y : i16\n"
        "%2 = arith.andi %z, %z : i32\nfunc.return %0, %1, %2 : i8, i16, i32"
    )
    ir = f"func.func @f(%x: i8, %y: i16, %z: i32) -> (i8, i16, i32) {{\n{body}\n}}\n"
    pass_ = pass_of(pattern)()

    run_pass(pass_, make_context(), ir)

    assert len(pdl_of(pattern, make_context())) == 2
    assert pass_.pattern_counts() == {"shown": 2}


@both_libraries
def test_examples_are_checked_with_each_type(make_context: type[Context]) -> None:
    pattern = shown(
        "%k = arith.constant 2 : $T\n%0 = arith.muli %x, %k : $T",
        "%0 = arith.addi %x, %x : $T",
        SMALL,
    )

    assert_pattern_examples(pass_of(pattern), make_context())


@both_libraries
def test_an_example_may_define_two_results_at_once(make_context: type[Context]) -> None:
    pattern = shown(
        "%0, %1 = arith.addui_extended %x, %x : i32, i1",
        "%no = arith.constant false\n%0 = arith.shli %x, %x : i32\n%1 = %no",
    )

    assert_pattern_examples(pass_of(pattern), make_context())


@both_libraries
def test_a_pattern_that_matches_a_near_miss_is_an_error(
    make_context: type[Context],
) -> None:
    any_constant = PatternVariable(name="c", examples=("2", "5"), is_attribute=True)
    before = TIMES_TWO.replace("constant 2", "constant $c")
    class_ = pass_of(shown(before, "%0 = %x", any_constant))

    with pytest.raises(AssertionError, match="matches what it should not") as caught:
        assert_pattern_examples(class_, make_context())

    assert "arith.constant 3 : i32" in str(caught.value)


@both_libraries
def test_an_attribute_of_after_that_is_made_otherwise_is_an_error(
    make_context: type[Context],
) -> None:
    pattern = shown(
        "%k = arith.constant $c : i32\n%0 = arith.addi %k, %x : i32",
        "%l = arith.constant $d : i32\n%0 = arith.subi %x, %l : i32",
        CONSTANT,
        PatternVariable(
            name="d", examples=("7", "6"), is_attribute=True, make="same(c, c)"
        ),
    )
    class_ = pass_of(pattern, native_rewrites=(("same", first),))

    with pytest.raises(AssertionError, match="does not do what its example says"):
        assert_pattern_examples(class_, make_context())
