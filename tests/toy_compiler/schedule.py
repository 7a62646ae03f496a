"""When operations start: an analysis that one pass makes and another one needs."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation, OpResult

from tests.toy_compiler.generated.toy_compiler_passes import (
    CheckSchedulePassBase,
    GenerateSchedulePassBase,
    MaterializeSchedulePassBase,
)


class Schedule:
    """The step in which each operation of a function starts, as early as it can."""

    num_made = 0
    """How many schedules were computed, for tests."""

    def __init__(self, function: Operation) -> None:
        """Schedule the operations in `function`; each takes one step."""
        Schedule.num_made += 1
        self.starts: dict[Operation, int] = {}
        for operation in function.walk():
            ready = [
                self.starts[operand.op] + 1
                for operand in operation.operands
                if isinstance(operand, OpResult)
            ]
            self.starts[operation] = max(ready, default=0)


class GenerateSchedule(GenerateSchedulePassBase):
    """Decide when operations start."""

    def run_on_operation(self) -> None:
        """Compute the schedule, which stays cached."""
        self.get_analysis(Schedule)


class CheckSchedule(CheckSchedulePassBase):
    """Check that no operation starts before its operands are there."""

    def run_on_operation(self) -> None:
        """Compare the start of each operation with those of its operands."""
        starts = self.get_analysis(Schedule).starts
        for operation, start in starts.items():
            for operand in operation.operands:
                if isinstance(operand, OpResult) and starts[operand.op] >= start:
                    self.emit_error("starts before its operands are there", operation)
                    self.signal_pass_failure()


class MaterializeSchedule(MaterializeSchedulePassBase):
    """Write down when operations start."""

    def run_on_operation(self) -> None:
        """Give each operation the attribute `start`."""
        for operation, start in self.get_analysis(Schedule).starts.items():
            operation.attributes["start"] = IntegerAttr(start, i32)
