"""A program may watch the runs of pass managers that others make."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context as Variables
from contextvars import copy_context

import pytest

from passgen_runtime import (
    OperationPass,
    PassFailure,
    PassInstrumentation,
    PassManager,
    PassOptions,
    SchedulingError,
)
from passgen_runtime.context import Operation
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass import Pass
from passgen_runtime.runners import Threads


class Named(OperationPass[PassOptions]):
    argument = "named"

    def run_on_operation(self) -> None:
        if self.operation.attributes:
            self.signal_pass_failure()


class Watcher(PassInstrumentation):
    def __init__(self) -> None:
        self.events: list[str] = []
        self.why_not: str | None = None

    @property
    def why_one_thread(self) -> str | None:
        return self.why_not

    @contextmanager
    def watch(self, manager: PassManager) -> Iterator[None]:
        self.events.append(f"begin {manager}")
        manager.add_instrumentation(self)
        assert manager.instrumentations == (self,)
        try:
            yield
        finally:
            manager.remove_instrumentation(self)
            self.events.append("end")

    def run_before_pass(self, pass_: Pass, _operation: Operation) -> None:
        self.events.append(pass_.argument)


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
def watched(watcher: Watcher) -> Variables:
    variables = copy_context()
    variables.run(PassManager.watch.set, watcher.watch)
    return variables


def run(ir: str = "", **settings: Threads) -> None:
    context = XDSLContext()
    manager = PassManager(context)
    manager.add_pass(Named())
    manager.run(context.parse(f"builtin.module {ir} {{}}", "ir"), **settings)


def test_a_watched_run_has_the_instrumentations_of_the_watcher(
    watched: Variables, watcher: Watcher
) -> None:
    watched.run(run)
    run()

    assert watcher.events == ["begin builtin.module(named)", "named", "end"]


def test_the_block_ends_also_if_the_run_fails(
    watched: Variables, watcher: Watcher
) -> None:
    with pytest.raises(PassFailure):
        watched.run(run, "attributes {a}")

    assert watcher.events[-1] == "end"


def test_an_instrumentation_of_a_watcher_may_refuse_threads(
    watched: Variables, watcher: Watcher
) -> None:
    watcher.why_not = "it watches one thread"

    with pytest.raises(SchedulingError, match="one thread"):
        watched.run(run, runner=Threads())
