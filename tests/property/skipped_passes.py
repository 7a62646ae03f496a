"""Passes and edits whose results are wrong if one of them is skipped by mistake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i64

from passgen_runtime import (
    INT64,
    OperationPass,
    OpPassManager,
    PassOptions,
    option,
)


@dataclass(kw_only=True)
class StampOptions(PassOptions):
    factor: int = option("factor", INT64, default=1)


class Stamp(OperationPass[StampOptions]):
    """Writes the number of operations and attributes inside, times a factor."""

    argument = "test-stamp"
    idempotent = True

    def run_on_operation(self) -> None:
        name, operation = f"stamp{self.options.factor}", self.operation
        count = sum(
            1 + sum(not key.startswith("stamp") for key in inner.attributes)
            for inner in operation.walk()
        )
        stamp = IntegerAttr(self.options.factor * count, i64)
        if operation.attributes.get(name) == stamp:
            self.mark_unchanged()
        operation.attributes[name] = stamp


class Climb(OperationPass[PassOptions]):
    """Needs three runs until it has no effect, and says so."""

    argument = "test-climb"
    idempotent = True

    def run_on_operation(self) -> None:
        names = [name for name in ("one", "two", "three") if not self.has(name)]
        if not names:
            self.mark_unchanged()
            return
        self.operation.attributes[names[0]] = UnitAttr()
        if names[1:]:
            self.mark_unfinished()

    def has(self, name: str) -> bool:
        return name in self.operation.attributes


def first_inside(operation: Any) -> Any:  # noqa: ANN401 - an operation of xDSL
    return operation.regions[0].blocks[0].first_op


class Grow(OperationPass[PassOptions]):
    """Adds an operation that others erase."""

    argument = "test-grow"

    def run_on_operation(self) -> None:
        block = self.operation.regions[0].blocks[0]
        block.insert_op_before(ConstantOp(IntegerAttr(1, i64)), block.first_op)


class Toggle(OperationPass[PassOptions]):
    """Adds an attribute to the first operation inside, or removes it."""

    argument = "test-toggle"

    def run_on_operation(self) -> None:
        attributes = first_inside(self.operation).attributes
        if attributes.pop("odd", None) is None:
            attributes["odd"] = UnitAttr()


class ToggleAndKeepAnalyses(Toggle):
    """Says that analyses are valid, which says nothing about changes."""

    argument = "test-toggle-and-keep-analyses"

    def run_on_operation(self) -> None:
        super().run_on_operation()
        self.mark_all_analyses_preserved()


class Nothing(OperationPass[PassOptions]):
    argument = "test-nothing"

    def run_on_operation(self) -> None:
        self.mark_unchanged()


class RunsInside(OperationPass[PassOptions]):
    """Changes the operation between runs of a pipeline on it."""

    argument = "test-runs-inside"

    def __init__(self) -> None:
        super().__init__()
        self.inner = OpPassManager()
        for pass_ in (Stamp(), Nothing(), Stamp(), Climb(), Climb(), Climb()):
            self.inner.add_pass(pass_)

    def run_on_operation(self) -> None:
        for _ in range(2):
            assert self.run_pipeline(self.inner, self.operation)
            first_inside(self.operation).attributes["seen"] = UnitAttr()


class FailsOnOdd(OperationPass[PassOptions]):
    """Fails on an operation that `Toggle` has left with an attribute."""

    argument = "test-fails-on-odd"

    def run_on_operation(self) -> None:
        if "odd" in first_inside(self.operation).attributes:
            self.signal_pass_failure()
        else:
            self.mark_unchanged()
