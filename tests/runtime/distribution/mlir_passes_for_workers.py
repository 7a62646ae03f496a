"""Passes on MLIR's IR that workers import."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from passgen_runtime import UINT32, OperationPass, PassOptions, option, statistic


def operations_in(operation: Any) -> list[Any]:  # noqa: ANN401 - of any bindings
    """Return the operations directly inside `operation`."""
    return [
        inner.operation
        for region in operation.regions
        for block in region.blocks
        for inner in block.operations
    ]


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
        attributes = self.operation.attributes
        with self.operation.context:
            attributes["seen"] = type(attributes["sym_name"]).get("yes")
        if "dead" in attributes:
            del attributes["dead"]


class FailOn(OperationPass[PassOptions]):
    """Fails on one operation."""

    argument = "test-fail-on"

    def run_on_operation(self) -> None:
        if self.context.symbol_name(self.operation) == "f3":
            # An error shows its operation in the generic form, in which MLIR numbers
            # values through the whole module.
            self.emit_warning("not this one")
            self.signal_pass_failure()


@dataclass(kw_only=True)
class BusyOptions(PassOptions):
    us: int = option("us", UINT32, default=300, description="Microseconds to spend.")


class Busy(OperationPass[BusyOptions]):
    """Computes for some time on each operation."""

    argument = "test-busy"

    def run_on_operation(self) -> None:
        end = time.thread_time_ns() + 1000 * self.options.us
        while time.thread_time_ns() < end:
            pass
