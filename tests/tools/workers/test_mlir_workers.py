"""Workers on MLIR's IR: what a run shows is what one thread shows."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor

import pytest

from passgen_runtime import Diagnostic, PassFailure, PassManager
from passgen_runtime.instrumentations.ir_printing import enable_ir_printing
from passgen_runtime.ir.mlir import MLIRContext
from tests.mlir_bindings_needed import require_bindings
from tests.tools.workers.mlir_passes_for_workers import EraseDead, FailOn
from tests.tools.workers.running import workers_of

pytestmark = pytest.mark.bindings

MODULE = "\n".join(f"""func.func @f{i}(%a: i32) -> i32 attributes {{dead = #map}} {{
  %b = arith.addi %a, %a : i32 loc("here":{i + 1}:2)
  %c = arith.muli %a, %a : i32 loc("there"("elsewhere":3:4))
  %d = func.call @f{(i + 1) % 6}(%c) : (i32) -> i32
  return %d : i32
}}""" for i in range(6))
TEXT = f"#map = affine_map<(d0) -> (d0 + 1)>\nmodule {{\n{MODULE}\n}}"


def shown(
    package: str, executor: Executor | None, capsys: pytest.CaptureFixture[str]
) -> dict[str, object]:
    context = MLIRContext(package)
    diagnostics: list[Diagnostic] = []
    context.diagnostic_handler = diagnostics.append
    module = context.parse(TEXT, "input.mlir")
    manager = PassManager(context)
    nested = manager.nest("func.func")
    nested.add_pass(EraseDead())
    nested.add_pass(FailOn())
    enable_ir_printing(manager)
    functions = context.children(module)
    with pytest.raises(PassFailure) as failure:
        manager.run(module, workers_of(executor))
    # Objects of Python for the operation itself stay valid.
    assert all("seen" in each.attributes for each in functions)
    return {
        "ir": module.get_asm(enable_debug_info=True),
        "is_valid": module.verify(),
        "statistics": manager.statistics_report(),
        "diagnostics": diagnostics,
        "printed": capsys.readouterr().err,
        "failure": str(failure.value),
    }


@pytest.mark.parametrize("package", ["mlir", "jaxlib.mlir"])
def test_workers_show_what_one_thread_shows(
    package: str, capsys: pytest.CaptureFixture[str]
) -> None:
    require_bindings(package)
    with ThreadPoolExecutor(1) as pool:
        found = shown(package, pool, capsys)
    assert found == shown(package, None, capsys)


@pytest.mark.parametrize("data", ["0x04000000AABBCCDD", "0x01000000AABBCCDD"])
@pytest.mark.parametrize("package", ["mlir", "jaxlib.mlir"])
def test_resources_keep_their_names(package: str, data: str) -> None:
    require_bindings(package)
    resources = f'{{-# dialect_resources: {{ builtin: {{ r: "{data}" }} }} #-}}'
    constant = "%c = arith.constant dense_resource<r> : tensor<1xi32>"
    functions = "\n".join(
        f"func.func @f{i}() {{ {constant} return }}" for i in range(3)
    )

    def printed(executor: Executor | None) -> str:
        context = MLIRContext(package)
        module = context.parse(f"module {{\n{functions}\n}}\n{resources}", "r.mlir")
        manager = PassManager(context)
        manager.nest("func.func").add_pass(EraseDead())
        manager.run(module, workers_of(executor))
        return context.print(module)

    alone = printed(None)
    assert alone.count("dense_resource<r>") == 3
    assert "seen" in alone
    with ThreadPoolExecutor(1) as pool:
        assert printed(pool) == alone
