"""Passes that workers import, and that do everything whose order could be disturbed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import FunctionType, IntegerAttr, IntegerType, StringAttr
from xdsl.dialects.test import TestOp
from xdsl.traits import SymbolTable

from passgen_runtime import (
    STRING,
    UINT32,
    OperationPass,
    OpPassManager,
    PassOptions,
    option,
    statistic,
)
from passgen_runtime.remarks import Remarks

_MAX_FILES = 30


class Count(OperationPass[PassOptions]):
    argument = "test-count"
    num_runs = statistic("num-runs", "Runs.")

    def run_on_operation(self) -> None:
        self.num_runs += 1
        attribute = IntegerAttr.from_index_int_value(len(self.operation.sym_name.data))
        self.operation.attributes["counted"] = attribute


class Rename(OperationPass[PassOptions]):
    """Gives its operation another symbol."""

    argument = "test-rename"

    def run_on_operation(self) -> None:
        name = self.operation.sym_name.data
        self.operation.sym_name = StringAttr(f"renamed_{name}")
        self.emit_remark(f"was {name}")


class NameLength:
    """An analysis."""

    def __init__(self, operation: object) -> None:
        self.length = len(operation.sym_name.data)  # type: ignore[attr-defined]


class Work(Remarks, OperationPass[PassOptions]):
    argument = "test-work"
    num_seen = statistic("num-seen", "Operations seen.")
    longest = statistic("longest", "Letters of the longest name.", kind="maximum")

    def __init__(self) -> None:
        super().__init__()
        self.inner = OpPassManager()
        self.inner.add_pass(Count())

    def run_on_operation(self) -> None:
        name = self.operation.sym_name.data
        self.operation.attributes["seen"] = StringAttr(name)
        self.num_seen += len(name)
        self.longest.update_max(self.get_analysis(NameLength).length)
        self.emit_remark(f"on {name}")
        self.remarks.passed("on {name}", name=name, of=self.operation)
        self.context.print_debug(f"printed for {name}\n")
        assert self.run_pipeline(self.inner, self.operation)
        if name.endswith("7"):
            self.emit_error(f"no {name}")
            self.signal_pass_failure()


class MuteError(Exception):
    """Cannot say what it is."""

    def __str__(self) -> str:
        raise ValueError


@dataclass(kw_only=True)
class MischiefOptions(PassOptions):
    how: str = option("how", STRING, default="", description="What to do.")
    to: str = option("to", STRING, default="", description="The symbol to do it to.")


class Mischief(OperationPass[MischiefOptions]):
    """Does to one operation what no pass should do."""

    argument = "test-mischief"

    def run_on_operation(self) -> None:  # noqa: C901, PLR0912 - a case for each deed
        if self.operation.sym_name.data != self.options.to:
            return
        match self.options.how:
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "close":
                os.closerange(0, _MAX_FILES)
            case "write":
                for file in range(_MAX_FILES):
                    with suppress(OSError):
                        os.write(file, b"x")
            case "raise":
                raise ValueError(f"not {self.options.to}")
            case "exit":
                raise SystemExit(7)
            case "invalid":
                self.operation.function_type = FunctionType.from_lists([], [])
            case "recurse":
                if threading.current_thread() is not threading.main_thread():
                    raise RecursionError("too deep")
            case "interrupt":
                raise KeyboardInterrupt
            case "raise-mute":
                raise MuteError
            case "leak":
                outside = TestOp(result_types=[IntegerType(32)])
                block = self.operation.body.block
                block.insert_op_before(TestOp(outside.results), block.last_op)
            case "look-up":
                SymbolTable.lookup_symbol(self.operation, "f0")


class Fork(OperationPass[PassOptions]):
    """Renames what is named in an attribute, and forks on one operation."""

    argument = "test-fork"

    def run_on_operation(self) -> None:
        name = self.operation.attributes["test.name"]
        if name == StringAttr("m3"):
            os.fork()
        self.operation.attributes["test.seen"] = name


class Within(OperationPass[PassOptions]):
    """Kills its process in a dynamic pipeline, after another pass of it."""

    argument = "test-within"

    def run_on_operation(self) -> None:
        inner = OpPassManager()
        inner.add_pass(Count())
        inner.add_pass(Mischief(MischiefOptions(how="kill", to="f3")))
        assert self.run_pipeline(inner, self.operation)


@dataclass(kw_only=True)
class BusyOptions(PassOptions):
    us: int = option("us", UINT32, default=300, description="Microseconds to spend.")


class Busy(OperationPass[BusyOptions]):
    """Computes for some time on each operation, and changes it."""

    argument = "test-busy"

    def run_on_operation(self) -> None:
        self.compute()
        self.operation.attributes["busy"] = StringAttr("yes")

    def compute(self) -> None:
        """Use processor time."""
        end = time.thread_time_ns() + 1000 * self.options.us
        while time.thread_time_ns() < end:
            pass


class WithTable(OperationPass[PassOptions]):
    """Is made of more than its options."""

    argument = "test-with-table"

    def __init__(self, table: dict[str, int] | None = None) -> None:
        super().__init__()
        self.table = table or {}

    def run_on_operation(self) -> None:
        pass


class Holds(OperationPass[PassOptions]):
    """Holds what `make` makes of a number."""

    argument = "test-holds"
    make: ClassVar[Callable[[int], object]]

    def __init__(self, number: int = 0) -> None:
        super().__init__()
        self.held = type(self).make(number)

    def run_on_operation(self) -> None:
        pass


class Nameless(OperationPass[PassOptions]):
    def run_on_operation(self) -> None:
        pass
