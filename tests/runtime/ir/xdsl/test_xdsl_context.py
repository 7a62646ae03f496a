"""`XDSLContext`: what the pass infrastructure needs of xDSL's IR."""

from __future__ import annotations

import pytest
from xdsl.context import Context as XDSLIRContext
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.ir import Operation

from passgen_runtime import DialectError, IRError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.dialect_loading import installed_dialects_context

DENSE_RESOURCE = """\
"test.op"() {a = dense_resource<passgen> : tensor<2xi32>} : () -> ()
{-# dialect_resources: { builtin: { passgen: "0x040000000100000002000000"} } #-}
"""


def parse(
    text: str, *, allow_unregistered: bool = False, implicit_module: bool = True
) -> Operation:
    context = XDSLContext(allow_unregistered=allow_unregistered)
    operation: Operation = context.parse(
        text, "input.mlir", implicit_module=implicit_module
    )
    return operation


def error_of(text: str, *, implicit_module: bool = True) -> str:
    with pytest.raises(IRError) as error:
        parse(text, implicit_module=implicit_module)
    return str(error.value)


@pytest.mark.parametrize("text", ["", "\n", "// nothing but a comment", "\ufeff"])
def test_an_input_without_operations_is_an_empty_module(text: str) -> None:
    module = parse(text)
    assert isinstance(module, ModuleOp)
    assert list(module.ops) == []


def test_operations_have_the_position_of_their_name() -> None:
    context = XDSLContext()
    text = 'module {\n  %0 = "test.op"() ({\n    "test.termop"() : () -> ()\n  }) : () -> i32\n}'
    module = context.parse(text, "dir/input.mlir")

    assert [context.location(op) for op in module.walk()] == [
        "dir/input.mlir:1:1",
        "dir/input.mlir:2:8",
        "dir/input.mlir:3:5",
    ]


def test_a_location_in_the_text_wins() -> None:
    context = XDSLContext()
    module = context.parse(
        '"test.op"() : () -> () loc("other.py":5:6)\n"test.op"() : () -> ()',
        "input.mlir",
    )
    assert [context.location(op) for op in context.children(module)] == [
        "other.py:5:6",
        "input.mlir:2:1",
    ]


def test_the_implicit_module_has_line_zero() -> None:
    context = XDSLContext()
    text = '"test.op"() : () -> ()'
    assert context.location(context.parse(text, "input.mlir")) == "input.mlir:0:0"


def test_without_an_implicit_module_any_one_operation_is_the_top_level() -> None:
    function = parse("func.func @f() { return }", implicit_module=False)
    assert function.name == "func.func"
    assert function.parent is None


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("module {}\nmodule {}", 2)], ids=["none", "two"]
)
def test_without_an_implicit_module_there_must_be_one_operation(
    text: str, count: int
) -> None:
    assert error_of(text, implicit_module=False) == (
        "input.mlir:0:0: error: source must contain a single top-level operation, "
        f"found: {count}"
    )


def test_dialect_resources_are_printed_with_the_ir() -> None:
    context = XDSLContext()
    module = context.parse(DENSE_RESOURCE, "input.mlir")

    assert context.print(module).splitlines()[3:] == [
        "",
        "{-#",
        "  dialect_resources: {",
        "    builtin: {",
        '      passgen: "0x040000000100000002000000"',
        "    }",
        "  }",
        "#-}",
    ]


UNREGISTERED = (
    "with --allow-unregistered-dialect, operations of other dialects are accepted in "
    "the generic form"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module {", "input.mlir:1:9: error: "),
        (
            "func.func @f() {\n  %0 = nope\n}",
            (
                "input.mlir:2:8: error: Operation nope is not registered\n"
                f"input.mlir:2:8: note: {UNREGISTERED}"
            ),
        ),
        (
            "func.func @f() {\n  %0 = arith.constnt 1 : i32\n}",
            (
                "input.mlir:2:8: error: Operation arith.constnt is not registered\n"
                "input.mlir:2:8: note: did you mean 'arith.constant'?"
            ),
        ),
        (
            '"test.op"(%a) : (i32) -> ()',
            "input.mlir:1:28: error: use of undeclared SSA value name: %a",
        ),
        ("}", "input.mlir:1:1: error: expected operation name in quotes"),
        (";", "input.mlir:1:1: error: Unexpected character: ;"),
        (
            '"unheard.of"() : () -> ()',
            (
                "input.mlir:1:1: error: Operation unheard.of is not registered\n"
                f"input.mlir:1:1: note: {UNREGISTERED}"
            ),
        ),
        ("{-# external_resources: { a: { b: 3 } } #-}", "input.mlir:1:35: error: "),
        (
            "{-# more: {} #-}",
            "input.mlir:1:11: error: got an unexpected key in file metadata: more",
        ),
    ],
)
def test_errors_of_the_parser_have_a_place(text: str, message: str) -> None:
    assert error_of(text).startswith(message)


@pytest.mark.parametrize("end", ["", "\\q", "\v", "\f", "\n"])
@pytest.mark.parametrize(
    "begin", ['module @"', '"test.op"() {a = "', 'module {} loc("']
)
def test_a_string_without_its_end_is_refused_at_once(begin: str, end: str) -> None:
    message = "error: End of file reached before closing string literal."
    assert error_of(begin + 100_000 * "a" + end).endswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '"test.op"() {a = 1 : i99999999999} : () -> ()',
            "input.mlir:1:22: error: integer bitwidth is limited to 16777215 bits",
        ),
        (
            '"test.op"() {a = dense<1> : tensor<100000x100000xi64>} : () -> ()',
            (
                "input.mlir:1:29: error: found 10000000000 elements, expected at most "
                "268435456"
            ),
        ),
    ],
)
def test_values_that_need_too_much_memory_are_refused(text: str, message: str) -> None:
    assert error_of(text) == message


def test_ir_that_is_nested_too_deeply_is_an_error() -> None:
    depth = 20_000
    text = f"module attributes {{a = {'[' * depth}{']' * depth}}} {{}}"
    assert error_of(text).endswith("error: the IR is nested too deeply here")


def test_errors_of_the_verifier_have_the_place_of_what_does_not_verify() -> None:
    context = XDSLContext()
    text = "func.func @f() {\n  return\n}\nfunc.func @g() -> i32 {\n  return\n}"
    module = context.parse(text, "input.mlir")

    with pytest.raises(IRError) as error:
        context.verify(module)

    lines = str(error.value).splitlines()
    assert lines[0].startswith("input.mlir:5:3: error: 'func.return' op ")
    assert lines[1] == (
        'input.mlir:5:3: note: see current operation: "func.return"() : () -> ()'
    )


def test_verification_may_leave_out_nested_operations() -> None:
    context = XDSLContext()
    text = "func.func @g() -> i32 { return }\nmodule {}"
    context.verify(context.parse(text, "input.mlir"), recursive=False)


@pytest.mark.parametrize(
    ("operation", "is_function"),
    [("func.func", True), ("llvm.func", True), ("builtin.module", False)],
)
def test_functions_are_symbols_with_a_function_type_and_one_region(
    operation: str, *, is_function: bool
) -> None:
    info = XDSLContext().lookup(operation)
    assert info is not None
    assert info.has_interface("FunctionOpInterface") is is_function


def test_traits_are_known_by_the_names_of_mlir_and_xdsl() -> None:
    info = XDSLContext().lookup("func.func")
    assert info is not None
    assert info.name == "func.func"
    assert info.is_isolated_from_above
    for name in ("Symbol", "SymbolOpInterface", "IsolatedFromAbove"):
        assert info.has_trait(name)
        assert info.has_interface(name)
    assert not info.has_trait("Terminator")


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("scf", "%c = arith.constant true\nscf.if %c {}"),
        ("llvm", '"test.op"() : () -> !llvm.ptr'),
    ],
    ids=["operation", "type"],
)
def test_a_registered_dialect_is_loaded_when_the_parser_meets_it(
    dialect: str, text: str
) -> None:
    context = XDSLContext()
    assert dialect in context.registered_dialects()
    assert not context.is_loaded(dialect)

    context.parse(text, "input.mlir")

    assert context.is_loaded(dialect)
    assert not context.is_loaded("affine")


def test_an_operation_of_an_unregistered_dialect_has_its_name_and_no_info() -> None:
    context = XDSLContext(allow_unregistered=True)
    module = context.parse('"x.y"() : () -> ()\n"x.z"() : () -> ()', "input.mlir")
    first, second = context.children(module)

    assert context.allow_unregistered
    assert context.name(first) == "x.y"
    assert context.info(first) is None
    assert context.lookup("x.y") is None
    assert context.lookup("no-dot") is None
    assert context.type_key(first) != context.type_key(second)


def test_a_context_of_the_user_is_used() -> None:
    xdsl = XDSLIRContext()
    xdsl.load_dialect(Builtin)
    xdsl.register_dialect("func", lambda: Func)
    context = XDSLContext(xdsl)

    assert context.xdsl is xdsl
    assert not context.allow_unregistered
    assert list(context.registered_dialects()) == ["builtin", "func"]
    context.load_dialects(["func"])
    assert context.is_loaded("func")
    with pytest.raises(IRError, match=r"arith\.constant is not registered"):
        context.parse("%0 = arith.constant 1 : i32", "input.mlir")


def test_one_context_of_xdsl_may_be_wrapped_any_number_of_times() -> None:
    xdsl = installed_dialects_context()
    for _ in range(2000):
        context = XDSLContext(xdsl)
    context.load_dialects(["arith"])
    other = XDSLContext(xdsl)

    with other.running(), pytest.raises(DialectError):
        xdsl.load_registered_dialect("scf")
    xdsl.load_registered_dialect("scf")

    assert context.is_loaded("arith")
    assert context.is_loaded("scf")


def test_a_fingerprint_tells_locations_and_attributes_apart() -> None:
    context = XDSLContext()
    texts = [
        '"test.op"() : () -> ()',
        ' "test.op"() : () -> ()',
        '"test.op"() {a} : () -> ()',
    ]
    prints = [context.fingerprint(context.parse(text, "i")) for text in texts]

    assert len(set(prints)) == 3
    assert prints[0] == context.fingerprint(context.parse(texts[0], "i"))


def test_a_clone_has_no_parent() -> None:
    context = XDSLContext()
    module = context.parse("func.func @f() { return }", "input.mlir")
    function = context.children(module)[0]
    clone = context.clone(function)

    assert context.parent(clone) is None
    assert context.symbol_name(clone) == "f"
    assert clone is not function
