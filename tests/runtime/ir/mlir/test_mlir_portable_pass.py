"""A pass that asks nobody but the context runs on every IR."""

from __future__ import annotations

import pytest

from passgen_runtime import PassRegistry
from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry.pipelines.resolution import parse_pass_manager
from tests.mlir_bindings_needed import require_bindings
from tests.passgen_test_opt.generated.test_passes import registerTestPasses

SOURCE = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %0, %a : i32
  func.return %1 : i32
}
func.func private @g()
"""
REPORT = """\
===-------------------------------------------------------------------------===
                         ... Pass statistics report ...
===-------------------------------------------------------------------------===
TestOperationStatisticsPass
  (S) 2 num-matching   - Number of them whose name begins with the prefix
  (S) 5 num-operations - Number of operations inside

"""


@pytest.mark.parametrize("library", ["xdsl", "mlir", "jaxlib.mlir"])
def test_it_counts_the_same_operations(library: str) -> None:
    require_bindings(library)
    context: Context = XDSLContext() if library == "xdsl" else MLIRContext(library)
    registry = PassRegistry()
    registerTestPasses(registry)
    pipeline = "builtin.module(test-operation-statistics{prefix=arith.})"
    manager = parse_pass_manager(pipeline, context, registry)
    manager.run(context.parse(SOURCE, "in.mlir"))
    assert manager.statistics_report() == REPORT
