"""Passes of a few lines on a module of MLIR's IR, for tests of their mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import pytest

from passgen_runtime import PassFailure, PassRegistry
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.native_passes import use_mlir_passes
from passgen_runtime.operation_pass.operation_pass import OperationPass
from passgen_runtime.pass_manager.pass_manager import PassManager
from passgen_runtime.pass_options.pass_options import PassOptions
from passgen_runtime.pass_registry.resolution import parse_pass_manager
from tests.mlir_bindings_needed import require_bindings

SOURCE = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
func.func @g(%a: i32) -> i32 {
  return %a : i32
}
func.func @h(%a: i32) -> i32 {
  return %a : i32
}
"""

Native: TypeAlias = Any
"""An operation of the bindings, or a pass that runs on one."""

Work = Callable[[Native], None]


class DoPass(OperationPass[PassOptions]):
    """Calls the first function that a trial is given."""

    argument = "do"
    work: ClassVar[list[Work]] = []
    index = 0

    def run_on_operation(self) -> None:
        self.work[self.index](self)


class DoNextPass(DoPass):
    """Calls the second one."""

    argument = "do-next"
    index = 1


def operations_in(operation: Native) -> list[Any]:
    return list(operation.regions[0].blocks[0].operations)


def first_function(pass_: Native) -> Any:  # noqa: ANN401 - of any bindings
    return operations_in(pass_.operation)[0].operation


class Trial:
    """A module in a context, and the pipelines that run on it."""

    def __init__(self, package: str) -> None:
        require_bindings(package)
        self.registry = PassRegistry()
        self.registry.register_pass(DoPass)
        self.registry.register_pass(DoNextPass)
        use_mlir_passes(self.registry, package)
        self.context = MLIRContext(package)
        self.said: list[str] = []
        self.context.diagnostic_handler = lambda said: self.said.append(
            str(said).partition("\n")[0]
        )
        self.module = self.context.parse(SOURCE, "in.mlir")

    def manager(self, pipeline: str) -> PassManager:
        return parse_pass_manager(pipeline, self.context, self.registry)

    def run(self, pipeline: str, *work: Work) -> None:
        DoPass.work[:] = work
        self.manager(pipeline).run(self.module)

    def failure(self, pipeline: str, *work: Work) -> list[str]:
        """Return the failure of `pipeline`, without its own text."""
        with pytest.raises(PassFailure) as failure:
            self.run(pipeline, *work)
        return str(failure.value).splitlines()[:-1]
