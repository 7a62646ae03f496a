"""IR made small by a function that finds it interesting, on xDSL's and on MLIR's IR."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from passgen_runtime import Context, IRError
from passgen_runtime.context import Operation
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.ir_libraries import editor_of
from passgen_tools.reduce import NotInterestingError, reduce
from tests.mlir_bindings_needed import require_bindings


def mlir_context() -> Context:
    require_bindings("mlir")
    from passgen_runtime.ir.mlir import MLIRContext  # noqa: PLC0415 - may be missing

    return MLIRContext(allow_unregistered=True)


def xdsl_context() -> Context:
    return XDSLContext(allow_unregistered=True)


@pytest.fixture(
    params=[
        pytest.param(xdsl_context, id="xdsl"),
        pytest.param(mlir_context, id="mlir", marks=pytest.mark.bindings),
    ]
)
def context(request: pytest.FixtureRequest) -> Context:
    made: Context = request.param()
    return made


def operations(context: Context, root: Operation) -> list[Operation]:
    inner = [
        operation
        for child in context.children(root)
        for operation in operations(context, child)
    ]
    return [root, *inner]


def names(context: Context, root: Operation) -> list[str]:
    return [context.name(operation) for operation in operations(context, root)]


def reduced(
    context: Context,
    text: str,
    *needed: str,
    judge: Callable[[str], bool] | None = None,
) -> str:
    """Reduce IR that is interesting while it has operations."""

    def is_interesting(module: Operation) -> bool:
        context.verify(module)
        found = names(context, module)
        return all(name in found for name in needed) and (
            judge is None or judge(context.print(module, generic=True))
        )

    module = context.parse(text, "input.mlir")
    result = reduce(module, is_interesting, context=context)
    assert is_interesting(result)
    return context.print(result, generic=True)


def same(context: Context, text: str) -> str:
    module = context.parse(f"builtin.module {{{text}}}", "expected.mlir")
    return context.print(module, generic=True)


AT_END = "  func.return %r : i32\n"

FUNCTION = f"""
func.func @f(%x: i32, %c: i1) -> i32 {{{{
{{}}
{AT_END}}}}}
"""


def test_what_is_not_needed_is_removed_with_all_inside_it(context: Context) -> None:
    text = """
      func.func @f() { func.return }
      func.func @g() {
        "test.crash"() : () -> ()
        "test.other"() : () -> ()
        func.return
      }
    """
    expected = 'func.func @g() { "test.crash"() : () -> () func.return }'

    assert reduced(context, text, "test.crash", "func.func") == same(context, expected)


@pytest.mark.parametrize("operand", ["%x: i32", "%c: i1"])
def test_a_result_becomes_an_operand_or_an_argument(
    operand: str, context: Context
) -> None:
    name, _, type_ = operand.partition(": ")
    use = '%r = "test.crash"({}) : (i32) -> i32'
    body = f'%v = "test.make"({name}) : ({type_}) -> i32\n{use.format("%v")}'
    expected = FUNCTION.format(use.format("%x"))

    left = reduced(context, FUNCTION.format(body), "test.crash", "func.return")

    assert left == same(context, expected)


@pytest.mark.parametrize(
    ("type_", "constant"),
    [
        ("i64", "arith.constant 0 : i64"),
        ("index", "arith.constant 0 : index"),
        ("f32", "arith.constant 0.0 : f32"),
        ("vector<2xi8>", "arith.constant dense<0> : vector<2xi8>"),
        ("memref<2xi8>", "builtin.unrealized_conversion_cast to memref<2xi8>"),
        ("!llvm.ptr", "builtin.unrealized_conversion_cast to !llvm.ptr"),
    ],
)
def test_a_result_of_another_type_becomes_a_constant(
    type_: str, constant: str, context: Context
) -> None:
    text = f"""
      %c = arith.constant true
      %v = "test.make"(%c) : (i1) -> {type_}
      "test.crash"(%v) : ({type_}) -> ()
    """
    expected = f'%v = {constant}\n"test.crash"(%v) : ({type_}) -> ()'

    assert reduced(context, text, "test.crash") == same(context, expected)


def test_a_region_is_replaced_by_its_content(context: Context) -> None:
    body = """
      %zero = arith.constant 0 : index
      %r = scf.for %i = %zero to %zero step %zero iter_args(%a = %x) -> (i32) {
        %d = scf.if %c -> (i32) {
          %e = "test.crash"(%a, %i) : (i32, index) -> i32
          scf.yield %e : i32
        } else {
          scf.yield %a : i32
        }
        scf.yield %d : i32
      }
    """
    expected = """
      %zero = arith.constant 0 : index
      %e = "test.crash"(%x, %zero) : (i32, index) -> i32
      func.return %e : i32
    """
    left = reduced(context, FUNCTION.format(body), "test.crash", "func.return")

    assert left == same(context, FUNCTION.format(expected).replace(AT_END, ""))


BRANCHES = """
func.func @f(%x: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^left(%x : i32), ^right(%x, %x : i32, i32)
^left(%a: i32):
  %b = "test.crash"(%a) : (i32) -> i32
  cf.br ^right(%b, %a : i32, i32)
^right(%d: i32, %e: i32):
  cf.cond_br %c, ^right(%e, %d : i32, i32), ^end
^end:
  func.return %d : i32
}
"""


def test_blocks_are_merged_into_a_branch_or_left_early(context: Context) -> None:
    left = reduced(context, BRANCHES, "test.crash", "func.return")

    assert names(context, context.parse(left, "left.mlir")) == [
        "builtin.module",
        "func.func",
        "test.crash",
        "func.return",
    ]


def test_blocks_that_are_needed_stay(context: Context) -> None:
    left = reduced(context, BRANCHES, "cf.br", "func.return")

    assert len(names(context, context.parse(left, "left.mlir"))) <= 4


def test_operations_that_use_each_other_are_removed(context: Context) -> None:
    text = """
      %a = "test.a"(%b) : (i32) -> i32
      %b = "test.b"(%a) : (i32) -> i32
      %c = "test.crash"(%c) : (i32) -> i32
    """
    expected = '%c = "test.crash"(%c) : (i32) -> i32'

    assert reduced(context, text, "test.crash") == same(context, expected)


def test_blocks_of_unregistered_operations_are_reduced(context: Context) -> None:
    text = """
      "test.region"() ({
        "test.branch"()[^a, ^b] : () -> ()
      ^a:
        "test.crash"() : () -> ()
        "test.branch"()[^b] : () -> ()
      ^b:
        "test.end"() : () -> ()
      }) : () -> ()
    """
    expected = '"test.crash"() : () -> ()'

    assert reduced(context, text, "test.crash") == same(context, expected)


def test_a_symbol_that_is_used_stays_while_its_user_does(context: Context) -> None:
    text = """
      func.func private @callee(i32)
      func.func private @unused(i32)
      func.func @f(%x: i32) {
        func.call @callee(%x) : (i32) -> ()
        func.return
      }
    """
    left = reduced(context, text, "func.call")

    assert "@callee" in left
    assert "@unused" not in left


def test_an_empty_module_stays(context: Context) -> None:
    assert reduced(context, "") == same(context, "")


def test_hundreds_of_operations_become_the_needed_ones_in_few_checks(
    context: Context,
) -> None:
    lines = ["%v0 = arith.addi %x, %x : i32"]
    lines += [
        f"%v{n} = arith.muli %v{n - 1}, %v{max(0, n - 7)} : i32" for n in range(1, 300)
    ]
    lines.insert(150, '"test.crash"(%v120) : (i32) -> ()')
    lines.append("%r = arith.addi %v299, %x : i32")
    num_checks = 0

    def count(_: str) -> bool:
        nonlocal num_checks
        num_checks += 1
        return True

    text = FUNCTION.format("\n".join(lines))
    left = reduced(context, text, "test.crash", judge=count)

    assert names(context, context.parse(left, "left.mlir")) == [
        "builtin.module",
        "arith.constant",
        "test.crash",
    ]
    assert num_checks < 50


def test_a_judge_may_change_its_copy_and_not_the_module(context: Context) -> None:
    module = context.parse(BRANCHES, "input.mlir")

    def is_interesting(candidate: Operation) -> bool:
        before = context.print(candidate)
        for child in reversed(context.children(candidate)):
            editor_of(context).erase(child)
        return "test.crash" in before

    result = reduce(module, is_interesting, context=context)

    assert "test.crash" in context.print(result)
    assert context.print(module, generic=True) == same(context, BRANCHES)


def test_a_module_that_is_not_interesting_is_refused(context: Context) -> None:
    module = context.parse(BRANCHES, "input.mlir")

    with pytest.raises(NotInterestingError, match="the module itself is not"):
        reduce(module, lambda _: False, context=context)


def test_the_context_is_that_of_the_module() -> None:
    module = xdsl_context().parse("func.func @f() { func.return }", "input.mlir")

    assert str(reduce(module, lambda _: True)).split() == ["builtin.module", "{", "}"]


def test_a_module_that_does_not_verify_is_refused() -> None:
    context = xdsl_context()
    text = "func.func @f() -> i32 { func.return }"
    module = context.parse(text, "input.mlir")

    with pytest.raises(IRError, match=r"input\.mlir:1:25"):
        reduce(module, lambda _: True, context=context)


def test_an_error_of_the_judge_is_its_own(context: Context) -> None:
    module = context.parse(BRANCHES, "input.mlir")

    with pytest.raises(ZeroDivisionError):
        reduce(module, lambda _: bool(1 // 0), context=context)
