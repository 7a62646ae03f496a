"""Passes that do what can be seen from outside at once."""

from __future__ import annotations

from passgen_runtime.remarks import Remarks
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


class TestRemark(Remarks, declared.TestRemarkPassBase):
    """The remarks of the pass of this name in MLIR."""

    def run_on_operation(self) -> None:
        for operation in self.operation.walk():
            if operation is not self.operation:
                self.say(operation)

    def say(self, operation: object) -> None:
        why = {"Reason": "because we are testing the remark pipeline"}
        advice = "try using the remark pipeline feature"

        def emit(kind: str, category: str, message: str, **fields: str) -> None:
            name, given = "test-remark", advice if fields else ""
            remarks = self.remarks.named(name, category=category, advice=given)
            getattr(remarks, kind)(f"This is a test {message}", operation, **fields)

        emit("missed", "a-category-1-missed", "missed remark", **why)
        dropped = "passed remark (should be dropped)"
        emit("passed", "category-1-passed", dropped, **why)
        emit("passed", "category-1-passed", "passed remark", **why)
        emit("failed", "category-2-failed", "failed remark", **why)
        emit("analysis", "category-2-analysis", "analysis remark")
