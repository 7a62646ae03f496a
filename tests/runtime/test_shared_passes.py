"""Managers that share passes, run by several threads: no count is lost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from passgen_runtime import OperationPass, PassManager, PassOptions, statistic
from passgen_runtime.ir.xdsl import XDSLContext

NUM_RUNS = 400


class Counting(OperationPass[PassOptions]):
    num_runs = statistic("num-runs", "Runs.")

    def run_on_operation(self) -> None:
        self.num_runs += 1


@pytest.fixture(autouse=True)
def threads_take_turns_often() -> Iterator[None]:
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval_s)


def test_each_run_is_counted_once_in_the_shared_passes() -> None:
    context = XDSLContext()
    first, second = Counting(), Counting()
    managers = []
    for passes in ((first, second), (second, first), (first,)):
        manager = PassManager(context)
        for pass_ in passes:
            manager.add_pass(pass_)
        managers.append(manager)

    def work(number: int) -> None:
        module = context.parse("builtin.module {}", "m.mlir")
        for _ in range(NUM_RUNS):
            managers[number % 3].run(module)

    with ThreadPoolExecutor(6) as executor:
        list(executor.map(work, range(6)))

    assert first.num_runs == 6 * NUM_RUNS
    assert second.num_runs == 4 * NUM_RUNS
