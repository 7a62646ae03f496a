"""Passes that change a result of a function are found, and right ones are not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import IntegerAttr
from xdsl.interpreter import InterpreterFunctions, impl, register_impls
from xdsl.rewriter import Rewriter

from passgen_runtime import PassError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl_versions import number_of
from passgen_runtime.pass_registry import parse_pass_manager
from passgen_tools.ir_libraries import registry_of
from passgen_tools.testing import assert_unchanged, function_values, same_results
from passgen_tools.testing.differential_summary import summary
from tests.mlir_bindings_needed import require_bindings

INPUTS = sorted((Path(__file__).parents[2] / "runtime/filecheck").rglob("*.mlir"))

Op: TypeAlias = Any
"""An operation of xDSL."""

Rewrite: TypeAlias = Callable[[Op], None]


def binary(name: str, becomes: Callable[[Op, Op], Op]) -> Rewrite:
    """Return a rewrite of an operation with two operands."""

    def rewrite(operation: Op) -> None:
        if operation.name == name:
            Rewriter.replace_op(operation, becomes(*operation.operands))

    return rewrite


def value(name: str, index: int) -> Rewrite:
    """Return a rewrite of an operation to one of its operands."""

    def rewrite(operation: Op) -> None:
        if operation.name == name:
            Rewriter.replace_op(operation, [], [operation.operands[index]])

    return rewrite


def constant(change: Callable[[int], int]) -> Rewrite:
    """Return a rewrite of integer constants."""

    def rewrite(operation: Op) -> None:
        found = operation.properties.get("value")
        if operation.name == "arith.constant" and isinstance(found, IntegerAttr):
            changed = change(found.value.data)
            operation.properties["value"] = IntegerAttr(changed, found.type)

    return rewrite


def swap_operands(name: str, first: int, second: int) -> Rewrite:
    def rewrite(operation: Op) -> None:
        if operation.name == name and len(operation.operands) > second:
            one, other = operation.operands[first], operation.operands[second]
            if one.type == other.type:
                operation.operands[first], operation.operands[second] = other, one

    return rewrite


def repeat_result(operation: Op) -> None:
    if operation.name == "func.return" and len(operation.operands) > 1:
        one, other, *_ = operation.operands
        if one.type == other.type:
            operation.operands[1] = one


WRONG: dict[str, Rewrite] = {
    "addi to subi": binary("arith.addi", arith.SubiOp),
    "addi to muli": binary("arith.addi", arith.MuliOp),
    "addi to xori": binary("arith.addi", arith.XOrIOp),
    "addi to ori": binary("arith.addi", arith.OrIOp),
    "addi to andi": binary("arith.addi", arith.AndIOp),
    "addi to shli": binary("arith.addi", arith.ShLIOp),
    "addi to its first operand": value("arith.addi", 0),
    "addi to its second operand": value("arith.addi", 1),
    "addi of one operand": binary("arith.addi", lambda one, _: arith.AddiOp(one, one)),
    "muli to addi": binary("arith.muli", arith.AddiOp),
    "muli to its first operand": value("arith.muli", 0),
    "muli of one operand": binary("arith.muli", lambda one, _: arith.MuliOp(one, one)),
    "subi reversed": swap_operands("arith.subi", 0, 1),
    "subi to addi": binary("arith.subi", arith.AddiOp),
    "constants and one": constant(lambda number: number + 1),
    "constants negated": constant(lambda number: -number),
    "constants doubled": constant(lambda number: 2 * number),
    "constants to 0": constant(lambda _: 0),
    "results reversed": swap_operands("func.return", 0, 1),
    "first result repeated": repeat_result,
    "bounds of scf.for swapped": swap_operands("scf.for", 0, 1),
}


def modules() -> Iterator[tuple[Op, XDSLContext]]:
    """Yield the valid modules of the repository's tests of passes."""
    for path in INPUTS:
        for text in re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE):
            context = XDSLContext(allow_unregistered=True)
            context.diagnostic_handler = lambda _: None
            try:
                module = context.parse(text, path.name)
                context.verify(module)
            except PassError:
                continue
            yield module, context


@pytest.fixture(scope="module")
def checked() -> list[tuple[Op, XDSLContext, same_results]]:
    """Return the modules with a function whose results are known."""
    found = []
    for module, context in modules():
        check = same_results(unevaluated="allow")
        check(module, context)
        if check.counts["evaluated"]:
            found.append((module, context, check))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_pass_is_found_by_the_inputs_of_other_tests(
    name: str, checked: list[tuple[Op, XDSLContext, same_results]]
) -> None:
    accused = 0
    for module, context, check in checked:
        copy = context.clone(module)
        for operation in [*copy.walk()]:
            WRONG[name](operation)
        try:
            check(copy, context)
        except AssertionError as error:
            accused += "the seed is 0" in str(error)
    assert accused


@pytest.mark.slow
@pytest.mark.parametrize(
    "pipeline",
    [
        "any(canonicalize)",
        "any(cse)",
        "any(canonicalize,cse,loop-invariant-code-motion)",
        "builtin.module(convert-scf-to-cf)",
        "builtin.module(constant-fold-interp)",
    ],
)
def test_a_right_pass_is_not_accused(
    pipeline: str, checked: list[tuple[Op, XDSLContext, same_results]]
) -> None:
    counts = Counter[str]()
    for module, context, check in checked:
        copy = context.clone(module)
        manager = parse_pass_manager(pipeline, context, registry_of(context))
        try:
            manager.run(copy)
        except PassError:
            continue
        check(copy, context)
        counts.update(check.counts)
    assert counts["compared calls"] > counts["evaluated"] > 20


def counts_of(
    before: str, after: str, check: same_results | None = None
) -> Counter[str]:
    """Return what a check counts that sees one text, and then another one."""
    context = XDSLContext(allow_unregistered=True)
    check = check or same_results(unevaluated="allow")
    check(context.parse(before, "before"), context)
    check(context.parse(after, "after"), context)
    return check.counts


def function(body: str, types: str = "i8", result: str = "i8") -> str:
    return (
        f"func.func @f(%a: {types}, %b: {types}) -> {result} {{\n"
        f"  %r = {body}\n  return %r : {result}\n}}"
    )


def test_one_function_is_counted_as_one() -> None:
    text = function("arith.addi %a, %b : i8")
    assert "1 of 1 function could be called." in summary(counts_of(text, text))


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("arith.shli %a, %b", "arith.muli %a, %b", None),
        ("arith.addi %a, %b overflow<nsw>", "arith.addi %a, %b", "poison"),
        ("arith.muli %a, %b overflow<nuw>", "arith.muli %a, %b", "poison"),
        ("arith.shrsi %a, %b", "arith.shrsi %a, %b {x}", "poison"),
        ("arith.divsi %a, %b", "arith.floordivsi %a, %b", None),
        ("arith.divsi %a, %b", "arith.divsi %a, %b {x}", "undefined behaviour"),
        ("arith.remsi %a, %b", "arith.remsi %a, %b {x}", "undefined behaviour"),
    ],
)
def test_undefined_calls_are_left_out_and_counted(
    before: str, after: str, reason: str | None
) -> None:
    texts = function(f"{before} : i8"), function(f"{after} : i8")
    if reason is None:
        with pytest.raises(AssertionError, match=r"@f\(.*\) is \(-?\d+,\), and was \("):
            counts_of(*texts)
    else:
        counts = counts_of(*texts)
        assert counts[reason]
        assert (counts["functions"], counts["not evaluated"] % 64) == (1, 0)


def test_undefined_behaviour_that_a_pass_introduces_is_found() -> None:
    before = function("arith.addi %a, %b : i8")
    after = before.replace("%r =", "%q = arith.divsi %a, %b : i8\n  %r =")

    with pytest.raises(AssertionError, match="is undefined behaviour, and was"):
        counts_of(before, after)


def test_poison_that_may_be_unused_is_not_accused() -> None:
    before = function("arith.addi %a, %b : i8")
    after = before.replace("%r =", "%q = arith.shli %a, %b : i8\n  %r =")

    assert counts_of(before, after)["compared calls"] == 64


def test_floats_are_equal_with_nan_and_differ_by_the_sign_of_zero() -> None:
    before = function("arith.addf %a, %b : f32", "f32", "f32")

    assert counts_of(before, before.replace("%a, %b :", "%b, %a :"))["compared calls"]
    zero = before.replace("%r = ", "%c = arith.constant 0.0 : f32\n  %r = ")
    with pytest.raises(AssertionError, match=re.escape("was ('-0.0',)")):
        counts_of(
            zero.replace("addf %a, %b", "addf %a, %a"),
            zero.replace("%a, %b :", "%a, %a :").replace(
                "return %r", "%s = arith.addf %r, %c : f32\n  return %s"
            ),
        )


@pytest.mark.parametrize(
    ("type_", "constants", "computed", "folded"),
    [
        ("f16", "65504.0", "arith.addf %c, %c", "0x7C00"),
        ("bf16", "256.0 1.0", "arith.addf %c, %d", "256.0"),
        ("f32", "1.0e38 100.0", "arith.mulf %c, %d", "0x7F800000"),
        ("f32", "16777217.0 16777216.0", "arith.subf %c, %d", "0.0"),
        ("f32", "16777216.0 1.0", "arith.addf %c, %d", "16777216.0"),
    ],
)
def test_floats_have_the_precision_of_their_type(
    type_: str, constants: str, computed: str, folded: str
) -> None:
    values = dict(zip("cd", constants.split(), strict=False), e=folded)
    lines = [
        f"%{name} = arith.constant {number} : {type_}"
        for name, number in values.items()
    ]
    body = "\n  ".join((*lines, f"%s = {computed} : {type_}", "%r ="))
    compared = function(f"arith.cmpf oeq, %s, %e : {type_}", type_, "i1")
    before = compared.replace("%r =", body)

    folds = function("arith.constant true", type_, "i1")
    assert counts_of(before, folds, same_results())["compared calls"]
    with pytest.raises(AssertionError, match=re.escape("(0,), and was (-1,)")):
        counts_of(before, folds.replace("true", "false"), same_results())


def test_floats_that_differ_in_the_last_bit_differ() -> None:
    before = function("arith.constant 1.0 : f64", "f64", "f64")

    with pytest.raises(AssertionError, match=re.escape("is ('1.0000000000000002',)")):
        counts_of(before, before.replace("1.0", "1.0000000000000002"))


def test_large_memory_is_left_out() -> None:
    text = function("arith.addi %a, %a : i8")
    allocation = "%m = memref.alloc() : memref<4294967296xi8>"

    counts = counts_of(text.replace("%r =", f"{allocation}\n  %r ="), text)

    assert (counts["too large"], counts["compared calls"]) == (64, 0)


@pytest.mark.parametrize(
    ("name", "memory"),
    [
        ("memref.alloc", "memref<?xi8>"),
        ("memref.alloc", "memref<4x?xi8>"),
        ("memref.alloc", "memref<?x?xi8>"),
        ("tensor.empty", "tensor<?xi8>"),
    ],
)
def test_memory_of_a_negative_size_is_undefined(name: str, memory: str) -> None:
    sizes = ", ".join(["%a"] * memory.count("?"))
    after = function("arith.addi %a, %b : index", "index", "index")
    before = after.replace("%r =", f"%m = {name}({sizes}) : {memory}\n  %r =")

    counts = counts_of(before, after, same_results(arguments=[(-1, 0), (2, 0)]))

    assert (counts["undefined behaviour"], counts["compared calls"]) == (1, 1)


UNSET = function("memref.load %m[%i] : memref<2xi8>").replace(
    "%r =",
    """%i = arith.constant 0 : index
  %m = memref.alloc() : memref<2xi8>
  %r =""",
)
STORED = UNSET.replace("%r =", "memref.store %a, %m[%i] : memref<2xi8>\n  %r =")


def test_memory_without_a_value_is_poison() -> None:
    constant_result = function("arith.constant 5 : i8")

    assert counts_of(UNSET, constant_result)["poison"] == 64
    assert counts_of(STORED, STORED.replace("return %r", "return %a")) == {
        "functions": 1,
        "evaluated": 1,
        "compared calls": 64,
    }
    with pytest.raises(AssertionError, match="is poison, and was"):
        counts_of(STORED, UNSET)


@pytest.mark.parametrize("type_", ["f16", "bf16", "f32", "f64"])
def test_arguments_are_values_of_their_type(type_: str) -> None:
    before, after = (
        text.replace("i8", type_)
        for text in (STORED, STORED.replace("return %r", "return %a"))
    )

    counts = counts_of(before, after, same_results())
    assert counts["compared calls"] == 64
    assert counts_of(before, after, same_results("f", [(0.1, 1e300)]))


def test_a_tensor_without_a_value_is_poison() -> None:
    insert = "tensor.insert %a into %t[%i] : tensor<2xi8>"
    before = function("tensor.extract %u[%i] : tensor<2xi8>").replace(
        "%r =",
        f"""%i = arith.constant 0 : index
  %t = tensor.empty() : tensor<2xi8>
  %u = {insert}
  %r =""",
    )

    assert counts_of(before, before.replace("return %r", "return %a"), same_results())
    with pytest.raises(AssertionError, match="is poison, and was"):
        counts_of(before, before.replace("extract %u", "extract %t"))


def test_fast_math_leaves_the_results_open() -> None:
    before = function("arith.addf %a, %b fastmath<fast> : f32", "f32", "f32")

    counts = counts_of(before, before.replace("addf", "subf"))

    assert (counts["fast math"], counts["compared calls"]) == (64 + 64, 0)


def test_calls_that_take_too_long_are_left_out() -> None:
    endless = "func.func @f() {\n  cf.br ^a\n^a:\n  cf.br ^a\n}"

    counts = counts_of(endless, endless)

    assert (counts["too long"], counts["evaluated"]) == (1, 0)


def test_functions_that_call_each_other_for_ever_are_left_out() -> None:
    one = "func.func @f() {\n  func.call @g() : () -> ()\n  return\n}\n"
    both = one + one.replace("@f", "@h").replace("@g", "@f").replace("@h", "@g")

    counts = counts_of(both, both)

    assert (counts["evaluated"], counts["functions"]) == (0, 2)


def test_other_signatures_are_counted() -> None:
    before = function("arith.addi %a, %b : i8")

    assert counts_of(before, before.replace("i8", "i16"))["functions with other types"]


def test_a_function_to_call_must_have_a_result() -> None:
    text = function('"test.op"(%a) : (i8) -> i8')

    with pytest.raises(AssertionError, match="no call of @f has a result"):
        counts_of(text, text, same_results("f"))
    with pytest.raises(AssertionError, match="no call of @g has a result"):
        counts_of(text, text, same_results("g"))


def test_one_call_that_raises_does_not_hide_the_others() -> None:
    before, after = (
        function(f"arith.{name} %a, %b : i8") for name in ("divsi", "remsi")
    )

    with pytest.raises(
        AssertionError, match=re.escape("@f(7, 2) is (1,), and was (3,)")
    ):
        counts_of(before, after, same_results("f", [(1, 0), (7, 2)]))


CALLED = """
func.func private @g(%a: i8) -> i8 {
  %c = arith.constant 3 : i8
  %r = arith.remui %a, %c : i8
  return %r : i8
}
func.func @f(%a: i8) -> i8 {
  %r = func.call @g(%a) : (i8) -> i8
  return %r : i8
}
"""
NESTED = """
module {
module @inner {
  func.func @f(%a: i8) -> i8 {
    %c = arith.constant 2 : i8
    %r = arith.muli %a, %c : i8
    return %r : i8
  }
}
}
"""
GLOBAL = """
"memref.global"() <{
  sym_name = "c", sym_visibility = "private", type = memref<1xi8>,
  initial_value = dense<2> : tensor<1xi8>, constant
}> : () -> ()
func.func @f() -> i8 {
  %i = arith.constant 0 : index
  %m = memref.get_global @c : memref<1xi8>
  %r = memref.load %m[%i] : memref<1xi8>
  return %r : i8
}
"""
OUTSIDE = """
func.func @f(%i: index) -> i8 {
  %m = memref.alloc() : memref<2xi8>
  %first = arith.constant 0 : index
  %second = arith.constant 1 : index
  %c = arith.constant 5 : i8
  memref.store %c, %m[%first] : memref<2xi8>
  memref.store %c, %m[%second] : memref<2xi8>
  %r = memref.load %m[%i] : memref<2xi8>
  return %r : i8
}
"""
STORES = """
func.func @f(%a: i8, %m: memref<1xi8>) {
  %i = arith.constant 0 : index
  memref.store %a, %m[%i] : memref<1xi8>
  return
}
"""
DIVIDES = """
func.func @f(%a: f32) -> f32 {
  %c = arith.constant 2.0 : f32
  %r = arith.divf %a, %c : f32
  return %r : f32
}
"""
LLVM_FUNCTION = """
llvm.func @f() -> i8 {
  %c = llvm.mlir.constant(2 : i8) : i8
  llvm.return %c : i8
}
"""
CARRY = """
func.func @f(%a: i8, %b: i8) -> i1 {
  %s, %r = "arith.addui_extended"(%a, %b) : (i8, i8) -> (i8, i1)
  return %r : i1
}
"""
ELEMENTWISE = """
#map = affine_map<(d0) -> (d0)>
func.func @f(%a: i8, %b: i8) -> i8 {
  %i = arith.constant 0 : index
  %e = tensor.empty() : tensor<1xi8>
  %t = tensor.insert %a into %e[%i] : tensor<1xi8>
  %x, %y = linalg.generic {
    indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]
  } ins(%t : tensor<1xi8>) outs(%e, %e : tensor<1xi8>, tensor<1xi8>) {
  ^bb0(%in: i8, %first: i8, %second: i8):
    %s = arith.addi %in, %in : i8
    linalg.yield %s, %in : i8, i8
  } -> tensor<1xi8>, tensor<1xi8>
  %r = tensor.extract %x[%i] : tensor<1xi8>
  return %r : i8
}
"""
IMAGE = "tensor<1x1x1x1xf32>"
CONVOLUTION = f"""
func.func @f(%a: f32) -> f32 {{
  %i = arith.constant 0 : index
  %e = tensor.empty() : {IMAGE}
  %t = tensor.insert %a into %e[%i, %i, %i, %i] : {IMAGE}
  %c = linalg.conv_2d_nchw_fchw {{
    dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>
  }} ins(%t, %t : {IMAGE}, {IMAGE}) outs(%e : {IMAGE}) -> {IMAGE}
  %r = tensor.extract %c[%i, %i, %i, %i] : {IMAGE}
  return %r : f32
}}
"""
DIVIDES_BY_GLOBAL = """
"memref.global"() <{
  sym_name = "c", sym_visibility = "private", type = memref<1xf32>,
  initial_value = dense<2.0> : tensor<1xf32>, constant
}> : () -> ()
func.func @f(%a: f32) -> f32 {
  %i = arith.constant 0 : index
  %m = memref.get_global @c : memref<1xf32>
  %c = memref.load %m[%i] : memref<1xf32>
  %r = arith.divf %a, %c : f32
  return %r : f32
}
"""
CALLED_BY_ANOTHER = f"""
{CALLED.replace("func.func @f", "func.func private @f")}
func.func @h(%a: i8, %b: f32) -> f32 {{
  %r = func.call @f(%a) : (i8) -> i8
  %q = arith.divf %b, %b : f32
  return %q : f32
}}
"""
CALLED_WITH_3 = """
func.func private @g(%a: i8) -> i8 {
  %r = arith.addi %a, %a : i8
  return %r : i8
}
func.func @f() -> i8 {
  %c = arith.constant 3 : i8
  %r = func.call @g(%c) : (i8) -> i8
  return %r : i8
}
"""
CTLZ = function("math.ctlz %a : i8").replace("return %r", "return %b")
TWO = "%c = arith.constant 2 : i8\n  return %c"


def casts(name: str) -> str:
    return function(f"arith.{name} %a : i8 to i16", "i8", "i16")


def high_half(name: str) -> str:
    text = function(f"arith.{name} %a, %b : i8")
    return text.replace("%r = ", "%l, %r = ")


FOUND_IN_BOTH_IRS = {
    "divsi to divui": ("divsi", "divui"),
    "ceildivsi to ceildivui": ("ceildivsi", "ceildivui"),
    "minui to minsi": ("minui", "minsi"),
    "maxsi to maxui": ("maxsi", "maxui"),
    "shrsi to shrui": ("shrsi", "shrui"),
    "shrui to divui": ("shrui", "divui"),
    "remui to remsi": ("remui", "remsi"),
    "extsi to extui": (casts("extsi"), casts("extui")),
    "another high half": (high_half("mulsi_extended"), high_half("mului_extended")),
    "another carry": (
        CARRY,
        CARRY.replace("%s, %r", "%s, %d").replace(
            "return", "%r = arith.cmpi slt, %s, %a : i8\n  return"
        ),
    ),
    "an overflow flag": (
        function("arith.addi %a, %b : i8"),
        function("arith.addi %a, %b overflow<nsw> : i8"),
    ),
    "ctpop to cttz": (
        function("math.ctpop %a : i8"),
        function("math.cttz %a : i8"),
    ),
    "a constant beside ctlz": (
        CTLZ.replace("return %b", TWO),
        CTLZ.replace("return %b", TWO.replace("2 :", "7 :")),
    ),
    "a private function": (CALLED, CALLED.replace("remui", "remsi")),
    "a nested module": (NESTED, NESTED.replace("2 :", "7 :")),
    "a global": (GLOBAL, GLOBAL.replace("dense<2>", "dense<7>")),
}


def contexts() -> list[Any]:
    return ["xdsl", pytest.param("mlir", marks=pytest.mark.bindings)]


def check_both(library: str, before: str, after: str, check: same_results) -> None:
    """Let a check see one text, and then another one, in the IR of a library."""
    if library == "mlir":
        require_bindings("mlir")
    is_xdsl = library == "xdsl"
    context = XDSLContext(allow_unregistered=True) if is_xdsl else MLIRContext()
    for text in (before, after):
        check(context.parse(text, "text"), context)


@pytest.mark.parametrize("library", contexts())
@pytest.mark.parametrize("case", FOUND_IN_BOTH_IRS)
def test_a_wrong_pass_on_integers_is_found(case: str, library: str) -> None:
    before, after = FOUND_IN_BOTH_IRS[case]
    if before.isalnum():
        before, after = (
            function(f"arith.{name} %a, %b : i8") for name in (before, after)
        )

    with pytest.raises(AssertionError, match=r"f\(.*\) is .*, and was \(|@g\(.*"):
        check_both(library, before, after, same_results(unevaluated="allow"))


NOT_COMPARED = {
    "a missing operation": (
        DIVIDES,
        DIVIDES.replace("2.0", "7.0"),
        "@f was compared: not evaluated: 'arith.divf'",
    ),
    "a missing operation after the pass": (
        DIVIDES.replace("divf", "mulf"),
        DIVIDES,
        "@f was compared: not evaluated: 'arith.divf'",
    ),
    "an operation that xDSL does not register": (
        function('"arith.index_castui"(%a) : (i8) -> index', "i8", "index").replace(
            "index : index", "index"
        ),
        function("arith.index_cast %a : i8 to index", "i8", "index"),
        "@f was compared: not evaluated: 'arith.index_castui'",
    ),
    "a vector in the body": (
        function("arith.addi %v, %v : vector<4xi8>")
        .replace("%r =", "%v = arith.constant dense<1> : vector<4xi8>\n  %s =")
        .replace("return %r", "return %a"),
        function("arith.muli %v, %v : vector<4xi8>")
        .replace("%r =", "%v = arith.constant dense<1> : vector<4xi8>\n  %s =")
        .replace("return %r", "return %a"),
        "@f was compared: not evaluated: 'arith.",
    ),
    "a vector as argument": (
        function("arith.addi %a, %b : vector<4xi32>", "vector<4xi32>", "vector<4xi32>"),
        function("arith.subi %a, %b : vector<4xi32>", "vector<4xi32>", "vector<4xi32>"),
        "@f was compared: not evaluated: an argument of type 'vector<4xi32>'",
    ),
    "a store": (
        STORES,
        "\n".join(line for line in STORES.splitlines() if "store" not in line),
        "@f was compared: not evaluated: an argument of type 'memref<1xi8>'",
    ),
    "no results": (
        "func.func @f() {\n  return\n}",
        "func.func @f() {\n  %c = arith.constant 1 : i8\n  return\n}",
        "@f was compared: it returns nothing",
    ),
    "only undefined calls": (
        function("arith.divsi %a, %z : i8").replace(
            "%r =", "%z = arith.constant 0 : i8\n  %r ="
        ),
        function("arith.addi %a, %b : i8"),
        "@f was compared: undefined behaviour: 'arith.divsi'",
    ),
    "fast math": (
        function("arith.addf %a, %b fastmath<fast> : f32", "f32", "f32"),
        function("arith.subf %a, %b fastmath<fast> : f32", "f32", "f32"),
        "@f was compared: fast math: 'arith.addf'",
    ),
    "sums of floats that are rounded once": (
        CONVOLUTION,
        CONVOLUTION.replace("return %r", "return %a"),
        f"@f was compared: not evaluated: 'linalg.conv_2d_nchw_fchw' on '{IMAGE}'",
    ),
    "another type": (
        function("arith.addi %a, %b : i8"),
        function("arith.addi %a, %b : i16", "i16", "i16"),
        "@f was compared: its type has changed: '(i8, i8) -> i8' became '(i16, i16) ",
    ),
    "a removed function": (
        NESTED,
        "module {\n  module @inner {\n  }\n}",
        "@inner::@f was compared: it was removed",
    ),
    "a body that is removed": (
        CALLED.replace("private ", ""),
        "func.func private @g(i8) -> i8\n" + CALLED[CALLED.index("func.func @f") :],
        "@g was compared: it has no body",
    ),
    "a global that is loaded": (
        DIVIDES_BY_GLOBAL,
        DIVIDES_BY_GLOBAL.replace("dense<2.0>", "dense<7.0>"),
        "@f was compared: not evaluated: 'arith.divf'; what it refers to has changed",
    ),
    "the callee of a callee": (
        CALLED_BY_ANOTHER,
        CALLED_BY_ANOTHER.replace("remui", "remsi"),
        "@h was compared: not evaluated: 'arith.divf'; what it refers to has changed",
    ),
    "a function of another dialect": (
        LLVM_FUNCTION,
        LLVM_FUNCTION.replace("2 :", "7 :"),
        "@f was compared: not evaluated: 'llvm.func'",
    ),
}


@pytest.mark.parametrize("library", contexts())
@pytest.mark.parametrize("case", NOT_COMPARED)
def test_a_changed_function_without_a_call_to_compare_fails(
    case: str, library: str
) -> None:
    before, after, reason = NOT_COMPARED[case]

    with pytest.raises(AssertionError, match=re.escape(f"no call of {reason}")):
        check_both(library, before, after, same_results())
    allowing = same_results(unevaluated="allow")
    check_both(library, before, after, allowing)
    assert allowing.counts["changed functions not compared"]
    assert not allowing.counts["compared calls"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(STORES, STORES, id="an unchanged function"),
        pytest.param(STORES, f"\n\n{STORES}", id="other locations"),
        pytest.param(
            "func.func private @f(i8)",
            "func.func private @f(i8) attributes {x}",
            id="a declaration",
        ),
        pytest.param(
            CALLED,
            CALLED[: CALLED.index("func.func private")],
            id="no function is left",
        ),
        pytest.param("", STORES, id="a new function"),
        pytest.param(
            '"test.unknown"() {use = @f} : () -> ()\n' + STORES,
            '"test.unknown"() {use = @g} : () -> ()\n' + STORES,
            id="symbols in an operation that xDSL does not register",
        ),
    ],
)
def test_nothing_is_to_be_compared(before: str, after: str) -> None:
    if not after.strip():
        before = before[: before.index("func.func @f")]
    counts_of(before, after, same_results())


def test_private_functions_are_compared_by_their_callers_only() -> None:
    returned = "%r = arith.addi %a, %a : i8"
    folded = CALLED_WITH_3.replace(returned, "%r = arith.constant 6 : i8")
    wrong = CALLED_WITH_3.replace(returned, "%r = arith.constant 7 : i8")
    inlined = folded.replace("func.call @g(%c) : (i8) -> i8", "arith.constant 6 : i8")

    assert counts_of(CALLED_WITH_3, folded, same_results())["compared calls"] == 1
    assert counts_of(CALLED_WITH_3, inlined, same_results())["compared calls"] == 1
    with pytest.raises(AssertionError, match=re.escape("@f() is (7,), and was (6,)")):
        counts_of(CALLED_WITH_3, wrong, same_results())
    for is_compared in ("public", "not called"):
        before, after = (
            (
                text.replace("private ", "")
                if is_compared == "public"
                else text[: text.index("func.func @f")]
            )
            for text in (CALLED_WITH_3, folded)
        )
        with pytest.raises(AssertionError, match=re.escape("@g(")):
            counts_of(before, after, same_results())
    with pytest.raises(AssertionError, match=re.escape("@g(1,) is (6,)")):
        counts_of(CALLED_WITH_3, folded, same_results("g", [(1,)]))


def test_a_caller_is_accepted_if_only_a_declaration_has_changed() -> None:
    declaration = "func.func private @e(i8) -> i8\n"
    before = declaration + function("func.call @e(%a) : (i8) -> i8")

    after = before.replace("-> i8\n", "-> i8 attributes {x}\n", 1)
    counts_of(before, after, same_results())


@pytest.mark.bindings
def test_the_constants_that_mlir_propagates_into_callees_are_accepted() -> None:
    require_bindings("mlir")
    context, check = MLIRContext(), same_results()
    module = context.parse(CALLED_WITH_3, "input.mlir")
    check(module, context)
    manager = parse_pass_manager("any(sccp)", context, registry_of(context))
    manager.run(module)
    check(module, context)

    assert check.counts["compared calls"] == 1


def test_calls_count_as_compared_if_both_results_were_compared() -> None:
    before = function("arith.divsi %a, %b : i8")

    counts = counts_of(before, before.replace("%b : i8", "%b {x} : i8"), same_results())

    assert counts == {
        "functions": 1,
        "evaluated": 1,
        "undefined behaviour": 64 - counts["compared calls"],
        "compared calls": counts["compared calls"],
    }
    assert 48 < counts["compared calls"] < 64


def test_an_access_out_of_bounds_is_undefined() -> None:
    counts = counts_of(
        OUTSIDE,
        OUTSIDE.replace("memref.load %m[%i]", "memref.load %m[%i] {x}"),
        same_results(),
    )

    assert (counts["compared calls"], counts["undefined behaviour"]) == (2, 6)


@pytest.mark.parametrize("library", contexts())
@pytest.mark.parametrize(
    ("exact", "inverse"),
    [("divsi", "muli"), ("divui", "muli"), ("shrsi", "shli"), ("shrui", "shli")],
)
def test_what_exact_excludes_is_left_out(
    exact: str, inverse: str, library: str
) -> None:
    rounds = (
        f'%q = "arith.{exact}"(%a, %b) <{{isExact}}> : (i8, i8) -> i8\n'
        f"  %r = arith.{inverse} %q, %b : i8\n  return %r"
    )
    before = function("arith.addi %a, %b : i8")
    lines = before.splitlines()
    exactly = "\n".join((lines[0], rounds + " : i8", lines[-1]))
    check = same_results()

    check_both(library, exactly, exactly.replace("return %r", "return %a"), check)

    assert check.counts["poison"]
    assert check.counts["compared calls"]
    with pytest.raises(AssertionError, match="and was"):
        check_both(
            library, exactly, exactly.replace("return %r", "return %b"), same_results()
        )


def test_an_interpreter_that_fails_is_an_error() -> None:
    text = function("arith.addi %a, %b : i8")
    check = same_results(arguments=[(1,)], unevaluated="allow")

    failure = "xDSL's interpreter fails in @f(1,) at 'func.func': KeyError"
    with pytest.raises(AssertionError, match=re.escape(failure)):
        counts_of(text, text, check)


@pytest.mark.parametrize(
    ("implementation", "failure"),
    [
        (lambda _: ("x",), "TypeError: 'x' is no value of type 'i8'"),
        (lambda _: (1.5,), "TypeError: 1.5 is no value of type 'i8'"),
        (lambda _: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
        (lambda args: require_even(*args), "AssertionError: 1 is odd"),
    ],
)
def test_an_implementation_that_fails_is_an_error(
    implementation: Callable[[tuple[int]], Any],
    failure: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @register_impls
    class OwnFunctions(InterpreterFunctions):
        @impl(test.TestOp)
        def run(self, _: object, __: object, args: tuple[int]) -> Any:  # noqa: ANN401
            return implementation(tuple(map(number_of, args)))

    monkeypatch.setattr(function_values, "MemoryFunctions", OwnFunctions)
    text = function('"test.op"(%a) : (i8) -> i8')
    check = same_results(arguments=[(1, 2)], unevaluated="allow")

    message = f"xDSL's interpreter fails in @f(1, 2) at 'test.op': {failure}"
    with pytest.raises(AssertionError, match=re.escape(message)):
        counts_of(text, text, check)


def require_even(number: int) -> None:
    if number % 2:
        raise AssertionError(f"{number} is odd")


def test_a_body_may_leave_elements_without_a_value_unused() -> None:
    twice = function("arith.addi %a, %a : i8")

    assert counts_of(ELEMENTWISE, twice)["compared calls"] == 64
    with pytest.raises(AssertionError, match="and was"):
        counts_of(ELEMENTWISE, twice.replace("%a, %a", "%a, %b"))


def test_each_result_of_a_body_is_stored_in_its_output() -> None:
    second = ELEMENTWISE.replace("tensor.extract %x", "tensor.extract %y")

    counts = counts_of(second, second.replace("return %r", "return %a"))

    assert counts["compared calls"] == 64


def test_an_element_without_a_value_that_a_body_uses_is_poison() -> None:
    uses = ELEMENTWISE.replace("addi %in, %in", "addi %in, %first")

    assert counts_of(uses, uses.replace("return %r", "return %a"))["poison"]


LOOP = """
func.func @f(%a: index, %b: index) -> index {
  %r = affine.for %i = 0 to min affine_map<(d0)[s0] -> (d0, s0, 9)>(%a)[%b] step 2
      iter_args(%sum = %a) -> (index) {
    %next = arith.addi %sum, %i : index
    affine.yield %next : index
  }
  return %r : index
}
"""


def test_a_loop_of_affine_has_operands_of_bounds_and_results() -> None:
    wanted = function("arith.constant 16 : index", "index", "index")
    calls = [(4, 9)]  # 4 + 0 + 2

    twice = wanted.replace("16", "6")
    assert counts_of(LOOP, twice, same_results(arguments=calls))["compared calls"] == 1
    with pytest.raises(AssertionError, match=r"is \(16,\), and was \(6,\)"):
        counts_of(LOOP, wanted, same_results(arguments=calls))


def test_an_argument_of_the_wrong_kind_is_an_error() -> None:
    text = function("arith.addi %a, %b : i8")

    failure = "@f('x', 1) at 'func.func': TypeError: 'x' is no value of type 'i8'"
    with pytest.raises(AssertionError, match=re.escape(failure)):
        counts_of(text, text, same_results("f", [("x", 1)]))


def test_the_seed_draws_the_random_arguments() -> None:
    before, after = (function(f"arith.{name} %a, %b : i8") for name in ("addi", "ori"))

    with pytest.raises(AssertionError, match="the seed is 5"):
        counts_of(before, after, same_results(seed=5))


def test_assertions_take_it_for_all_functions() -> None:
    text = function("arith.addi %a, %b : i8")

    assert_unchanged("builtin.module(func.func(cse))", text, check=same_results())


@pytest.mark.bindings
def test_mlirs_passes_keep_results_of_mlirs_ir() -> None:
    require_bindings("mlir")
    context, check = MLIRContext(), same_results(unevaluated="allow")
    text = function("arith.addi %a, %a : i8") + function(
        "arith.subi %a, %b : i8"
    ).replace("@f", "@g")
    module = context.parse(text, "input.mlir")
    check(module, context)
    for pipeline in (
        "any(canonicalize,cse)",
        "any(convert-arith-to-llvm,convert-func-to-llvm)",
    ):
        manager = parse_pass_manager(pipeline, context, registry_of(context))
        manager.run(module)
        check(module, context)

    assert check.counts["evaluated"] == 2
    with pytest.raises(AssertionError, match="@g"):
        check(context.parse(text.replace("subi", "addi"), "wrong.mlir"), context)
