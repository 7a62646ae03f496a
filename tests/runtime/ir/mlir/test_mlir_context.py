"""`MLIRContext`: what the pass infrastructure learns of MLIR's IR."""

from __future__ import annotations

import subprocess

import pytest

from passgen_runtime import (
    Diagnostic,
    IRError,
    PassFailure,
    PassManager,
    parse_pass_manager,
)
from passgen_runtime.errors import DialectError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.bindings import BindingsError
from passgen_runtime.ir.mlir.native_passes import mlir_registry
from tests.mlir_bindings_needed import require_bindings
from tests.recording import Log, step

TWO_FUNCTIONS = """\
func.func private @f()
func.func @g(%a: i32) -> i32 {
  return %a : i32
}
"""


def test_operations_are_put_into_an_implicit_module_and_keep_their_file(
    any_context: MLIRContext,
) -> None:
    context = any_context
    module = context.parse(TWO_FUNCTIONS, "in.mlir")
    children = context.children(module)
    assert context.name(module) == "builtin.module"
    assert [context.symbol_name(each) for each in children] == ["f", "g"]
    assert [context.location(each) for each in children] == [
        "in.mlir:1:1",
        "in.mlir:2:1",
    ]
    assert context.parent(children[0]) == module
    assert context.parent(module) is None


def test_one_operation_of_any_kind_may_be_the_top_level(
    any_context: MLIRContext,
) -> None:
    function = any_context.parse(
        "func.func private @f()", "in.mlir", implicit_module=False
    )
    assert any_context.name(function) == "func.func"
    with pytest.raises(IRError) as error:
        any_context.parse(TWO_FUNCTIONS, "in.mlir", implicit_module=False)
    assert str(error.value) == (
        "in.mlir:0:0: error: source must contain a single top-level operation, found: 2"
    )


@pytest.mark.parametrize("text", ["", "// nothing\n"])
def test_an_input_without_operations_is_an_empty_module(
    context: MLIRContext, text: str
) -> None:
    assert context.print(context.parse(text, "in.mlir")) == "module {\n}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "module { func.func }",
            "in.mlir:1:20: error: custom op 'func.func' expected valid '@'-identifier for symbol name",
        ),
        (
            "func.func private @f()\nfunc.func private @g(",
            "in.mlir:2:21: error: expected non-function type",
        ),
        (
            "func.func private @f()\nfunc.func private @f()",
            "in.mlir:2:1: error: redefinition of symbol named 'f'",
        ),
    ],
)
def test_errors_of_the_parser_have_a_place(
    context: MLIRContext, text: str, expected: str
) -> None:
    with pytest.raises(IRError) as error:
        context.parse(text, "in.mlir")
    assert str(error.value).splitlines()[0] == expected


def test_operations_that_are_isolated_from_above_are_found(
    any_context: MLIRContext,
) -> None:
    isolated = {}
    for name in ("builtin.module", "func.func", "gpu.func", "scf.for", "arith.addi"):
        info = any_context.lookup(name)
        assert info is not None
        isolated[name] = info.is_isolated_from_above
    assert isolated == {
        "builtin.module": True,
        "func.func": True,
        "gpu.func": True,
        "scf.for": False,
        "arith.addi": False,
    }
    assert any_context.lookup("no.operation") is None


@pytest.mark.parametrize(
    ("package", "dialects", "others"),
    [
        (
            "mlir",
            ("func", "llvm", "gpu", "async", "wasmssa", "pdl_interp", "shape"),
            ("builtin.module", "gpu.module", "scf.for", "memref.global"),
        ),
        # No native pass tells: functions are operations with a function type.
        ("jaxlib.mlir", ("func", "llvm"), ("builtin.module", "scf.for")),
    ],
)
def test_functions_are_told_from_other_operations(
    package: str, dialects: tuple[str, ...], others: tuple[str, ...]
) -> None:
    require_bindings(package)
    context = MLIRContext(package)
    functions = [f"{dialect}.func" for dialect in dialects]
    found = [
        name
        for name in (*functions, *others)
        if (info := context.lookup(name)) and info.has_interface("FunctionOpInterface")
    ]
    assert found == functions


@pytest.mark.parametrize("anchor", ["builtin.module", "any"])
def test_a_pass_on_symbols_refuses_an_operation_without_a_name(
    any_context: MLIRContext, anchor: str
) -> None:
    context = any_context
    diagnostics: list[Diagnostic] = []
    context.diagnostic_handler = diagnostics.append
    module = context.parse("module @named {}\nmodule {}\nmodule @last {}", "in.mlir")
    log = Log()
    manager = PassManager(context)
    manager.nest(anchor).add_pass(step("P", log, interface="SymbolOpInterface"))
    with pytest.raises(PassFailure):
        manager.run(module)
    assert log.events == ["P @named", "P @last"]
    assert [(each.location, each.message) for each in diagnostics] == [
        (
            "in.mlir:2:1",
            (
                "'builtin.module' op trying to schedule pass 'P' on an unsupported "
                "operation"
            ),
        )
    ]


def test_dialects_are_listed_and_a_mistyped_one_is_named(
    any_context: MLIRContext,
) -> None:
    dialects = set(any_context.registered_dialects())
    assert {"arith", "builtin", "func", "gpu", "scf", "vector"} <= dialects
    any_context.load_dialects(["arith", "scf"])
    with pytest.raises(DialectError) as error:
        any_context.load_dialects(["arit"])
    assert str(error.value) == (
        "dialect 'arit' is not registered\nnote: did you mean 'arith'?"
    )


def test_ir_that_does_not_verify_is_an_error_at_its_place(context: MLIRContext) -> None:
    module = context.parse(TWO_FUNCTIONS, "in.mlir")
    function = context.children(module)[1]
    del function.attributes["function_type"]
    with pytest.raises(IRError) as error:
        context.verify(module)
    assert str(error.value).splitlines()[0] == (
        "in.mlir:2:1: error: 'func.func' op requires attribute 'function_type'"
    )


def test_fingerprints_tell_ir_apart(context: MLIRContext) -> None:
    module = context.parse(TWO_FUNCTIONS, "in.mlir")
    copy = context.clone(module)
    moved = context.parse(TWO_FUNCTIONS, "other.mlir")
    one, _ = context.children(module)
    assert context.fingerprint(module) == context.fingerprint(copy)
    assert context.fingerprint(module) != context.fingerprint(moved)
    assert context.fingerprint(module, with_locations=False) == context.fingerprint(
        moved, with_locations=False
    )
    before = context.fingerprint(module)
    one.attributes["sym_name"] = type(one.attributes["sym_name"]).get("h", context.mlir)
    assert context.fingerprint(module) != before


def test_unregistered_operations_are_refused_unless_allowed(
    context: MLIRContext,
) -> None:
    text = '"a.b"() : () -> ()'
    with pytest.raises(IRError):
        context.parse(text, "in.mlir")
    lenient = MLIRContext(allow_unregistered=True)
    module = lenient.parse(text, "in.mlir")
    assert [lenient.name(each) for each in lenient.children(module)] == ["a.b"]
    assert lenient.info(lenient.children(module)[0]) is None


@pytest.mark.parametrize(
    "operation",
    ["stablehlo.sine", "chlo.sinh", "mhlo.erf"],
)
def test_a_context_of_jax_has_the_dialects_that_jax_lowers_to(operation: str) -> None:
    require_bindings("jaxlib.mlir")
    text = f"""\
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = "{operation}"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""
    context = MLIRContext("jaxlib.mlir")
    module = context.parse(text, "in.mlir")

    (function,) = context.children(module)
    assert [context.name(each) for each in context.children(function)] == [
        operation,
        "func.return",
    ]


def test_passes_of_stablehlo_run_by_their_names() -> None:
    require_bindings("jaxlib.mlir")
    context = MLIRContext("jaxlib.mlir")
    module = context.parse("func.func @f() { return }", "in.mlir")
    pipeline = "builtin.module(stablehlo-legalize-to-vhlo)"

    parse_pass_manager(pipeline, context, mlir_registry("jaxlib.mlir")).run(module)

    assert "vhlo.func_v1" in context.print(module)


def test_a_package_without_bindings_is_an_error() -> None:
    require_bindings("jaxlib.mlir")
    with pytest.raises(BindingsError) as error:
        MLIRContext("json")
    assert str(error.value).startswith(
        "no bindings of MLIR in the package 'json': No module named 'json.ir'\n"
        "note: installed are those in "
    )
    assert "'jaxlib.mlir'" in str(error.value)


def test_views_are_operations_and_modules_of_the_bindings_are_not(
    any_context: MLIRContext,
) -> None:
    module = any_context.bindings.ir.Module.parse(TWO_FUNCTIONS, any_context.mlir)
    view = module.body.operations[0]
    assert any_context.name(view) == "func.func"
    assert any_context.describe(view) == "'func.func' operation: @f at -:1:1"
    with pytest.raises(BindingsError) as error:
        any_context.name(module)
    assert str(error.value) == (
        "found a Module, expected an operation: use its attribute `operation`"
    )


def test_a_context_of_other_bindings_is_an_error(any_context: MLIRContext) -> None:
    package = any_context.bindings.package
    with pytest.raises(BindingsError, match=f"is not a context of .* '{package}'"):
        MLIRContext(package, mlir=object())
    own = MLIRContext(package, mlir=any_context.mlir)
    assert own.mlir is any_context.mlir


def test_mlir_reports_to_the_handler_and_its_context_keeps_its_settings(
    context: MLIRContext,
) -> None:
    said: list[str] = []
    context.diagnostic_handler = lambda diagnostic: said.append(str(diagnostic))
    module = context.parse(TWO_FUNCTIONS, "in.mlir")
    with context.running():
        context.children(module)[0].location.emit_error("hello")
    assert said == ["in.mlir:1:1: error: hello"]
    assert context.mlir.emit_error_diagnostics is False


def test_callers_are_listed_innermost_first(any_context: MLIRContext) -> None:
    module = any_context.parse(
        'func.func private @f() loc(callsite("a":1:2 at callsite('
        'fused<"x at (y)">["b":3:4] at "c":5:6)))',
        "in.mlir",
    )
    (function,) = any_context.children(module)
    assert any_context.location(function) == "a:1:2"
    assert any_context.callers(function) == ("b:3:4", "c:5:6")
    assert any_context.callers(module) == ()


@pytest.mark.parametrize("module", ["", "module ", "module @m "])
def test_resources_of_a_text_keep_their_keys(module: str, context: MLIRContext) -> None:
    function = (
        "func.func private @f() attributes {k = dense_resource<w> : tensor<1xi8>}"
    )
    text = f"""{module}{"{" * bool(module)} {function} {"}" * bool(module)}
      {{-# dialect_resources: {{builtin: {{w: "0x0100000007"}}}} #-}}"""

    printed = context.print(context.parse(text, "in.mlir"))

    assert "dense_resource<w>" in printed
    assert 'w: "0x0100000007"' in printed


OWN_VALUES = """
from mlir import ir
from passgen_runtime.ir.mlir import MLIRContext

@ir.register_value_caster(ir.IntegerType.static_typeid)
class OwnValue(ir.Value):
    pass

text = "func.func @f(%a: i32) { return }\\nfunc.func @g() { return }"
module = MLIRContext("mlir").parse(text, "two.mlir")
(argument,) = module.regions[0].blocks[0].operations[0].regions[0].blocks[0].arguments
print(type(argument).__name__, argument.location)
"""


@pytest.mark.process
def test_arguments_may_be_values_of_a_class_of_the_bindings() -> None:
    """Such as those of CUTLASS; registered in a process of its own."""
    require_bindings("mlir")
    done = subprocess.run(
        ["python", "-c", OWN_VALUES], capture_output=True, text=True, check=True
    )

    assert done.stdout == 'OwnValue loc("two.mlir":1:14)\n'
