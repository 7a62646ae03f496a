"""Passes that do what can be seen from outside at once."""

from __future__ import annotations

from tests.passgen_test_opt.generated import test_passes as declared


class TestModulePass(declared.TestModulePassBase):
    def run_on_operation(self) -> None:
        """Do nothing."""


class TestFunctionPass(declared.TestFunctionPassBase):
    def run_on_operation(self) -> None:
        """Do nothing."""


class TestInterfacePass(declared.TestInterfacePassBase):
    def run_on_operation(self) -> None:
        self.emit_remark("Executing interface pass on operation")


class TestOptionsPass(declared.TestOptionsPassBase):
    def run_on_operation(self) -> None:
        """Do nothing: the pass is about its options."""


class TestOptionsSuperPass(declared.TestOptionsSuperPassBase):
    def run_on_operation(self) -> None:
        """Do nothing: the pass is about its options."""


class TestOptionsPassA(declared.TestOptionsPassAPassBase):
    def run_on_operation(self) -> None:
        """Do nothing."""


class TestOptionsPassB(declared.TestOptionsPassBPassBase):
    def run_on_operation(self) -> None:
        """Do nothing."""


class TestStatisticPass(declared.TestStatisticPassBase):
    def run_on_operation(self) -> None:
        for _ in self.operation.walk():
            self.op_count += 1
            self.op_count2 += 1
