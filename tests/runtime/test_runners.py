"""Threads: what they do is what one thread does, in the same order for the reader."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

import pytest
from hypothesis import settings
from xdsl.dialects.builtin import IntegerAttr, StringAttr

from passgen_runtime import (
    OperationPass,
    OpPassManager,
    PassFailure,
    PassOptions,
    statistic,
)
from passgen_runtime.instrumentations.ir_printing import enable_ir_printing
from passgen_runtime.runners import ThreadingPolicy, Threads, outermost_level
from tests.recording import Session, every_level

P = ParamSpec("P")
T = TypeVar("T")

NUM_FUNCTIONS = min(4 * settings().max_examples, 200)  # 200 in `make explore`
MODULE = "\n".join(f"func.func @f{i}() {{ return }}" for i in range(NUM_FUNCTIONS))
TREE = "\n".join(
    f"module @m{i} {{ func.func @f{i}() {{ return }} func.func @g{i}() {{ return }} }}"
    for i in range(8)
)


class Work(OperationPass[PassOptions]):
    """Does everything at once whose order threads could disturb."""

    argument = "work"
    num_seen = statistic("num-seen", "Operations seen.")
    longest = statistic("longest", "Letters of the longest name.", kind="maximum")

    def __init__(self) -> None:
        super().__init__()
        self.scratch: list[str] = []
        self.inner = OpPassManager()
        self.inner.add_pass(Count())

    def run_on_operation(self) -> None:
        self.scratch.clear()
        name = self.operation.sym_name.data
        self.scratch.append(name)
        self.operation.attributes["seen"] = StringAttr(" ".join(self.scratch))
        self.num_seen += len(name)
        self.longest.update_max(len(name))
        self.emit_remark(f"on {name}")
        self.context.print_debug(f"printed for {name}\n")
        assert self.run_pipeline(self.inner, self.operation)
        if name.endswith("7"):
            self.emit_error(f"no {name}")
            self.signal_pass_failure()


class Count(OperationPass[PassOptions]):
    argument = "count"
    num_runs = statistic("num-runs", "Runs.")

    def run_on_operation(self) -> None:
        self.num_runs += 1
        attribute = IntegerAttr.from_index_int_value(len(self.operation.sym_name.data))
        self.operation.attributes["counted"] = attribute


def everything(
    configure: Callable[[Session], object],
    capsys: pytest.CaptureFixture[str],
    text: str = MODULE,
) -> dict[str, object]:
    """Return all that a run of `Work` on each function shows, its IR before it too."""
    session = Session(text)
    enable_ir_printing(session.manager)
    around: OpPassManager = session.manager
    if text is TREE:
        around = around.nest("builtin.module")
    around.nest("func.func").add_pass(Work())
    configure(session)
    with pytest.raises(PassFailure) as failure:
        session.manager.run(session.module)
    return {
        "ir": session.context.print(session.module),
        "statistics": session.manager.statistics_report(),
        "diagnostics": session.diagnostics,
        "printed": capsys.readouterr().err,
        "failure": str(failure.value),
    }


def alone(
    capsys: pytest.CaptureFixture[str], *, verify_each: bool = True
) -> dict[str, object]:
    """Return what a run in one thread shows, which is run once."""

    def configure(session: Session) -> None:
        session.manager.verify_each = verify_each

    if verify_each not in _ALONE:
        _ALONE[verify_each] = everything(configure, capsys)
    return _ALONE[verify_each]


_ALONE: dict[bool, dict[str, object]] = {}
"""What a run in one thread shows, with and without verification after each pass."""


def several(
    max_workers: int,
    *,
    policy: ThreadingPolicy = outermost_level,
    executor: Executor | None = None,
) -> Callable[[Session], object]:
    def configure(session: Session) -> None:
        session.manager.runner = Threads(executor, max_workers, policy)

    return configure


@pytest.mark.parametrize("max_workers", [1, 2, 3, 16])
@pytest.mark.parametrize("verify_each", [False, True])
def test_a_threaded_run_shows_what_one_thread_shows(
    max_workers: int,
    verify_each: bool,  # noqa: FBT001 - a parameter of the test
    capsys: pytest.CaptureFixture[str],
) -> None:
    def configure(session: Session) -> None:
        session.manager.verify_each = verify_each
        several(max_workers)(session)

    assert everything(configure, capsys) == alone(capsys, verify_each=verify_each)


@pytest.mark.parametrize("policy", [outermost_level, every_level])
def test_levels_may_fan_out_inside_one_another(
    policy: ThreadingPolicy, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = everything(lambda _: None, capsys, TREE)
    assert str(expected["printed"]).count("IR Dump Before Work") == 16
    for _ in range(4):  # more: `python -m tests.benchmarks.threaded_runs`
        assert everything(several(3, policy=policy), capsys, TREE) == expected


class CountingExecutor(Executor):
    """Runs what is submitted when asked for the result, in the calling thread."""

    def __init__(self) -> None:
        self.num_submitted = 0

    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        self.num_submitted += 1
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


class RefusingExecutor(Executor):
    """Takes a number of tasks and then no more."""

    def __init__(self, executor: Executor, num_taken: int) -> None:
        self._executor = executor
        self._num_taken = num_taken

    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        if self._num_taken == 0:
            message = "cannot schedule new futures after shutdown"
            raise RuntimeError(message)
        self._num_taken -= 1
        return self._executor.submit(fn, *args, **kwargs)


def broken() -> None:
    raise OSError


def shut_down(executor: Executor) -> Executor:
    executor.shutdown()
    return executor


EXECUTORS: dict[str, Callable[[Executor], Executor]] = {
    "another": lambda _: CountingExecutor(),
    "refuses all": lambda pool: RefusingExecutor(pool, 0),
    "refuses the second": lambda pool: RefusingExecutor(pool, 1),
    "refuses the third": lambda pool: RefusingExecutor(pool, 2),
    "broken": lambda _: ThreadPoolExecutor(2, initializer=broken),
    "shut down": lambda _: shut_down(ThreadPoolExecutor(2)),
}


@pytest.mark.parametrize("kind", EXECUTORS)
def test_the_caller_does_what_an_executor_leaves(
    kind: str, pool: ThreadPoolExecutor, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = alone(capsys)
    logging.disable()  # of a pool's own words about an error
    try:
        with EXECUTORS[kind](pool) as executor:
            assert everything(several(4, executor=executor), capsys) == expected
    finally:
        logging.disable(logging.NOTSET)
    if isinstance(executor, CountingExecutor):
        assert executor.num_submitted == 3
