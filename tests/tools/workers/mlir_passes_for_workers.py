"""Passes on MLIR's IR that workers import."""

from __future__ import annotations

from typing import Any

from passgen_runtime import OperationPass, PassOptions, statistic
from tests.tools.workers import passes_for_workers


def operations_in(operation: Any) -> list[Any]:  # noqa: ANN401 - of any bindings
    """Return the operations directly inside `operation`."""
    return [
        inner.operation
        for region in operation.regions
        for block in region.blocks
        for inner in block.operations
    ]


def _mark(operation: Any, name: str) -> None:  # noqa: ANN401 - of any bindings
    attributes = operation.attributes
    with operation.context:
        attributes[name] = type(attributes["sym_name"]).get("yes")


class EraseDead(OperationPass[PassOptions]):
    """Erases additions without uses, and reports each."""

    argument = "test-erase-dead"
    num_erased = statistic("num-erased", "Operations erased.")

    def run_on_operation(self) -> None:
        for each in reversed(operations_in(self.operation)):
            is_dead = not any(list(result.uses) for result in each.results)
            if each.name == "arith.addi" and is_dead:
                self.emit_remark("erased", each)
                self.num_erased += 1
                each.erase()
        _mark(self.operation, "seen")
        if "dead" in self.operation.attributes:
            del self.operation.attributes["dead"]


class FailOn(OperationPass[PassOptions]):
    """Fails on one operation."""

    argument = "test-fail-on"

    def run_on_operation(self) -> None:
        if self.context.symbol_name(self.operation) == "f3":
            # An error shows its operation in the generic form, in which MLIR numbers
            # values through the whole module.
            self.emit_warning("not this one")
            self.signal_pass_failure()


class Busy(passes_for_workers.Busy):
    """Does the same to MLIR's IR."""

    def run_on_operation(self) -> None:
        self.compute()
        _mark(self.operation, "busy")
