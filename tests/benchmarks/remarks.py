"""What remarks cost.

    python -m tests.benchmarks.remarks [--rounds N]

Passes run in turn in one process, on copies of one module. Prints one line for each
figure, and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from passgen_runtime import OperationPass, PassManager, PassOptions
from passgen_runtime.context import Operation
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.remarks import Remarks, remark
from passgen_tools.record import record
from tests.benchmarks.paired import median_ratio, report, text_of

NUM_FUNCTIONS: Final = 10_000
NUM_REMARKS: Final = 100_000
SILENT_TARGET: Final = 1.05
RECORDED_TARGET: Final = 36.0
"""The time of recording to that of writing as many bare rows with SQLite."""


class Plain(OperationPass[PassOptions]):
    """Does nothing."""

    argument = "plain"

    def run_on_operation(self) -> None:
        pass


class Silent(Remarks, OperationPass[PassOptions]):
    """Could emit remarks, and does nothing."""

    argument = "silent"

    @remark("seen", "missed", "seen {count} times")
    def remark_seen(self, operation: Operation | None = None, /, *, count: int) -> None:
        """Never."""

    def run_on_operation(self) -> None:
        pass


class Speaking(Remarks, OperationPass[PassOptions]):
    """Emits so many remarks on each operation."""

    argument = "speaking"

    def __init__(self, num_remarks: int) -> None:
        super().__init__()
        self.num_remarks = num_remarks

    @remark("seen", "missed", "seen {count} times")
    def remark_seen(self, operation: Operation | None = None, /, *, count: int) -> None:
        """Always."""

    def run_on_operation(self) -> None:
        for count in range(self.num_remarks):
            self.remark_seen(count=count)


def cpu_time_s(
    context: XDSLContext, module: Operation, pass_: type, *args: int
) -> float:
    manager = PassManager(context)
    manager.verify_each = False
    functions = manager.nest("func.func")
    for _ in range(10):
        functions.add_pass(pass_(*args))
    begin_s = time.process_time()
    manager.run(module)
    return time.process_time() - begin_s


def recorded_s(context: XDSLContext, folder: Path, num_remarks: int) -> float:
    """Return the time of a recorded run with so many remarks on each of 100 functions."""
    module = context.parse(text_of(100), "functions.mlir")
    manager = PassManager(context)
    manager.nest("func.func").add_pass(Speaking(num_remarks))
    begin_s = time.process_time()
    with record(manager, folder / "run.db"):
        manager.run(module)
    return time.process_time() - begin_s


def bare_rows_s(folder: Path) -> float:
    """Return the time of writing as many rows of as many columns with SQLite."""
    begin_s = time.process_time()
    with closing(sqlite3.connect(folder / "bare.db")) as connection, connection:
        connection.execute("CREATE TABLE IF NOT EXISTS bare (a, b, c, d, e, f, g, h)")
        connection.executemany(
            "INSERT INTO bare VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (1, row, "missed", "speaking", "seen", "@f", "f.mlir:1:1", "{}")
                for row in range(NUM_REMARKS)
            ),
        )
    return time.process_time() - begin_s


def main() -> int:
    """Print the figures; return 1 if one misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    context = XDSLContext()
    text = "".join(f"func.func private @f{i}()\n" for i in range(NUM_FUNCTIONS))
    module = context.parse(text, "functions.mlir")
    silent = median_ratio(
        lambda: cpu_time_s(context, module, Silent),
        lambda: cpu_time_s(context, module, Plain),
        rounds,
    )
    unheard_s = statistics.median(
        cpu_time_s(context, module, Speaking, 10) - cpu_time_s(context, module, Plain)
        for _ in range(rounds)
    )
    with tempfile.TemporaryDirectory() as folder:
        each = NUM_REMARKS // 100
        heard = statistics.median(
            (
                recorded_s(context, Path(folder), each)
                - recorded_s(context, Path(folder), 0)
            )
            / bare_rows_s(Path(folder))
            for _ in range(rounds)
        )
    missed = [
        report(
            "a pass with remarks that emits none, to one without", silent, SILENT_TARGET
        ),
        report("an unheard remark, in us", unheard_s / NUM_FUNCTIONS / 100 * 1e6, None),
        report("a remark into a record, to a bare row", heard, RECORDED_TARGET),
    ]
    return int(any(missed))


if __name__ == "__main__":
    sys.exit(main())
