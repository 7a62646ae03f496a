"""Passes that fail, each in its own way."""

from __future__ import annotations

import os

from xdsl.builder import Builder
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint

from tests.passgen_test_opt.generated import test_passes as declared
from tests.passgen_test_opt.test_dialect import AnyAttrOfI32StrOp, CallOp


class TestCrashRecoveryPass(declared.TestCrashRecoveryPassBase):
    def run_on_operation(self) -> None:
        os.abort()


class TestFailurePass(declared.TestFailurePassBase):
    def run_on_operation(self) -> None:
        self.signal_pass_failure()
        if self.options.gen_diagnostics:
            self.context.emit(
                "error", "illegal operation", self.operation, shows_operation=False
            )


class TestInvalidIRPass(declared.TestInvalidIRPassBase):
    def run_on_operation(self) -> None:
        if self.options.signal_failure:
            self.signal_pass_failure()
        if self.options.emit_invalid_ir:
            _insert_first(self.operation, AnyAttrOfI32StrOp())


class TestInvalidParentPass(declared.TestInvalidParentPassBase):
    def run_on_operation(self) -> None:
        callee = SymbolRefAttr("some_unknown_func")
        call = CallOp.build(properties={"callee": callee})
        call.location = self.operation.location
        _insert_first(self.operation, call)


def _insert_first(function: Operation, operation: Operation) -> None:
    block = function.regions[0].blocks.first
    if block is not None:
        Builder(InsertPoint.at_start(block)).insert(operation)
