"""Everything that MLIR reports while it parses, verifies and runs its passes arrives.

The bindings keep errors for an exception. There is none if MLIR reports an error and
does not fail, as `finalize-memref-to-llvm` does about memory spaces.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from passgen_runtime import IRError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.native_passes import mlir_registry
from passgen_runtime.pass_registry import parse_pass_manager
from tests.llvm_tools import find_tool
from tests.requirements import missing

MEMORY_SPACE = """\
func.func @f(%m: memref<4xf32, "x">, %i: index) -> f32 {
  %0 = memref.load %m[%i] : memref<4xf32, "x">
  return %0 : f32
}
"""

SPACE_ERROR = (
    'conversion of memref memory space "x" to integer address space failed. '
    "Consider adding memory space conversions."
)

SEQUENCE = """\
module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op {transform.consumed}) {
    transform.yield
  }
}
"""

WARNING = (
    "in.mlir:2:3: warning: op argument #0 is not consumed in the body but is marked as"
    " consumed"
)


def listen(context: MLIRContext) -> list[str]:
    """Return the list of what `context` will report, by its first lines."""
    said: list[str] = []
    context.diagnostic_handler = lambda diagnostic: said.append(
        str(diagnostic).partition("\n")[0]
    )
    return said


def expected_of_mlir_opt(text: str, *flags: str) -> tuple[int, list[str]]:
    """Return the exit code of `mlir-opt`, and its diagnostics without notes."""
    tool = find_tool("mlir-opt")
    if tool is None:
        missing("no mlir-opt: make llvm-tools", "LLVM")
    done = subprocess.run(
        [tool, *flags], input=text, capture_output=True, text=True, check=False
    )
    lines = done.stderr.replace("<stdin>:", "in.mlir:").splitlines()
    return done.returncode, [
        line for line in lines if ": error: " in line or ": warning: " in line
    ]


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    "passes",
    [
        "finalize-memref-to-llvm",
        "finalize-memref-to-llvm,cse",
        "any(finalize-memref-to-llvm)",
    ],
)
def test_an_error_without_a_failure_is_reported(
    context: MLIRContext, passes: str, *, own: bool
) -> None:
    if not own:
        context.mlir.enable_multithreading(enable=False)
        context = MLIRContext(mlir=context.mlir)
    said = listen(context)
    module = context.parse(f"module {{ module {{ {MEMORY_SPACE} }} }}", "in.mlir")
    manager = parse_pass_manager(f"builtin.module({passes})", context, mlir_registry())
    manager.run(module)
    assert [line.partition("error: ")[2] for line in said] == [SPACE_ERROR]
    assert not context.mlir.emit_error_diagnostics


def test_mlir_opt_does_not_fail_there_either() -> None:
    code, lines = expected_of_mlir_opt(MEMORY_SPACE, "--finalize-memref-to-llvm")
    assert (code, [line.partition("error: ")[2] for line in lines]) == (
        0,
        [SPACE_ERROR],
    )


def test_such_an_error_comes_before_that_of_the_failure(context: MLIRContext) -> None:
    said = listen(context)
    module = context.parse(MEMORY_SPACE, "in.mlir")
    passes = "finalize-memref-to-llvm,convert-func-to-llvm,symbol-dce"
    manager = parse_pass_manager(f"builtin.module({passes})", context, mlir_registry())
    manager.run(module)
    _, lines = expected_of_mlir_opt(
        MEMORY_SPACE, f"--pass-pipeline=builtin.module({passes})"
    )
    assert [line.partition("error: ")[2] for line in said] == [
        line.partition("error: ")[2] for line in lines
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        '"func.func"() ({}) {sym_name = "g"} : () -> ()\n',
        'module {\n  "func.func"() ({}) {sym_name = "g"} : () -> ()\n}\n',
    ],
)
@pytest.mark.parametrize("is_file", [True, False])
def test_warnings_before_an_error_of_the_verifier_are_reported(
    context: MLIRContext,
    wrong: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_file: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    text = SEQUENCE + wrong
    if is_file:
        Path("in.mlir").write_text(text, encoding="utf-8")
    said = listen(context)
    with pytest.raises(IRError) as error:
        context.parse(text, "in.mlir")
    found = [*said, str(error.value).partition("\n")[0]]
    assert found[0] == WARNING
    assert (1, found) == expected_of_mlir_opt(text)


@pytest.mark.parametrize("count", [1, 2])
def test_warnings_are_as_many_as_of_mlir_opt_whatever_is_tried(
    context: MLIRContext, count: int
) -> None:
    said = listen(context)
    context.parse(SEQUENCE * count, "in.mlir")
    assert (0, said) == expected_of_mlir_opt(SEQUENCE * count)


def test_a_warning_is_reported_before_the_error_about_two_operations(
    context: MLIRContext,
) -> None:
    said = listen(context)
    with pytest.raises(IRError, match="must contain a single top-level operation"):
        context.parse(SEQUENCE * 2, "in.mlir", implicit_module=False)
    assert said[0] == WARNING


def test_a_warning_of_the_verifier_is_reported_with_and_without_an_error(
    context: MLIRContext,
) -> None:
    said = listen(context)
    module = context.parse(f"{SEQUENCE}func.func private @g()", "in.mlir")
    said.clear()
    context.verify(module)
    assert set(said) == {WARNING}
    said.clear()
    del context.children(module)[1].attributes["function_type"]
    with pytest.raises(IRError, match="requires attribute 'function_type'"):
        context.verify(module)
    assert set(said) == {WARNING}


def test_errors_are_found_where_the_context_asks_the_bindings_to_report_them(
    any_context: MLIRContext,
) -> None:
    any_context.mlir.emit_error_diagnostics = True
    context = MLIRContext(mlir=any_context.mlir)
    assert "func" in context.registered_dialects()
    context.mlir.enable_multithreading(enable=False)
    said = listen(context)
    with pytest.raises(IRError, match="expected non-function type"):
        context.parse("func.func @p( {", "in.mlir")
    assert (said, context.mlir.emit_error_diagnostics) == ([], True)
