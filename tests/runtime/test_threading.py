"""Threads: what they do is what one thread does, in the same order for the reader."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

import pytest
from xdsl.dialects.builtin import IntegerAttr, StringAttr

from passgen_runtime import (
    OperationPass,
    OpPassManager,
    PassFailure,
    PassOptions,
    statistic,
)
from passgen_runtime.pass_threading import (
    Threading,
    ThreadingPolicy,
    every_level,
    outermost_level,
)
from tests.recording import Running, Session, add_all

P = ParamSpec("P")
T = TypeVar("T")

NUM_FUNCTIONS = 200
MODULE = "\n".join(f"func.func @f{i}() {{ return }}" for i in range(NUM_FUNCTIONS))
TREE = "\n".join(
    f"module @m{i} {{ func.func @f{i}() {{ return }} func.func @g{i}() {{ return }} }}"
    for i in range(8)
)


class Work(OperationPass[PassOptions]):
    """Does everything at once whose order threads could disturb."""

    argument = "work"
    num_seen = statistic("num-seen", "Operations seen.")
    longest = statistic("longest", "Letters of the longest name.")

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
    """Return all that a run of `Work` on each function shows."""
    session = Session(text)
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


def several(
    max_workers: int,
    *,
    policy: ThreadingPolicy = outermost_level,
    executor: Executor | None = None,
) -> Callable[[Session], object]:
    return lambda session: session.manager.enable_multithreading(
        executor, max_workers=max_workers, policy=policy
    )


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

    def configure_one(session: Session) -> None:
        session.manager.verify_each = verify_each

    alone = everything(configure_one, capsys)
    assert everything(configure, capsys) == alone


@pytest.mark.parametrize("policy", [outermost_level, every_level])
def test_levels_may_fan_out_inside_one_another(
    policy: ThreadingPolicy, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = everything(lambda _: None, capsys, TREE)
    assert everything(several(3, policy=policy), capsys, TREE) == alone


def test_repeated_threaded_runs_are_alike(capsys: pytest.CaptureFixture[str]) -> None:
    """More of them: `python tests/benchmarks/threaded_runs.py`."""
    first = everything(several(4), capsys)
    for _ in range(8):
        assert everything(several(4), capsys) == first


def threads_seen(text: str, policy: ThreadingPolicy) -> list[tuple[int, bool, int]]:
    """Return what the policy was asked."""
    asked: list[tuple[int, bool, int]] = []

    def watching(*, depth: int, fans_out_above: bool, num_targets: int) -> bool:
        asked.append((depth, fans_out_above, num_targets))
        return bool(
            policy(depth=depth, fans_out_above=fans_out_above, num_targets=num_targets)
        )

    session = Session(text)
    inner = session.manager.nest("builtin.module")
    inner.nest("func.func").add_pass(session.step("P"))
    session.manager.enable_multithreading(max_workers=2, policy=watching)
    session.run()
    return sorted(asked)


def test_the_outermost_level_with_several_targets_fans_out() -> None:
    two = "func.func @a() { return } func.func @b() { return }"
    one_module = f"module @m {{ {two} }}\nfunc.func @c() {{ return }}"

    # A level with one target asks nobody.
    assert threads_seen(one_module, outermost_level) == [(2, False, 2)]
    assert threads_seen(TREE, outermost_level) == [(1, False, 8), *[(2, True, 2)] * 8]


def test_a_policy_may_choose_levels() -> None:
    def innermost(*, depth: int, fans_out_above: bool, num_targets: int) -> bool:
        del fans_out_above, num_targets
        return depth == 2

    assert threads_seen(TREE, innermost) == [(1, False, 8), *[(2, False, 2)] * 8]


def test_operations_run_at_the_same_time() -> None:
    session = Session("func.func @a() { return }\nfunc.func @b() { return }")
    meeting = threading.Barrier(2, timeout=10)

    def meet(_: Running) -> None:
        meeting.wait()

    session.manager.nest("func.func").add_pass(session.step("P", meet))
    session.manager.enable_multithreading(max_workers=2)

    assert sorted(session.run()) == ["P @a", "P @b"]


def test_each_thread_works_with_its_own_copy_and_analyses() -> None:
    session = Session(MODULE)
    used: set[tuple[int, int]] = set()
    lock = threading.Lock()

    def do(pass_: Running) -> None:
        assert pass_.get_cached_analysis(object) is None
        with lock:
            used.add((threading.get_ident(), id(pass_)))

    pass_ = session.step("P", do)
    session.manager.nest("func.func").add_pass(pass_)
    session.manager.enable_multithreading(max_workers=4)
    session.run()

    assert id(pass_) not in {copy for _, copy in used}


def test_nothing_fans_out_after_it_was_disabled() -> None:
    session = Session(MODULE)
    threads: set[int] = set()
    session.manager.nest("func.func").add_pass(
        session.step("P", lambda _: threads.add(threading.get_ident()))
    )
    session.manager.enable_multithreading(max_workers=4)
    session.manager.disable_multithreading()
    session.run()

    assert threads == {threading.get_ident()}


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


def test_another_executor_may_run_the_threads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    executor = CountingExecutor()
    alone = everything(lambda _: None, capsys)
    other = everything(several(4, executor=executor), capsys)

    assert other == alone
    assert executor.num_submitted == 3


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


def test_an_executor_that_is_busy_stops_nobody(pool: ThreadPoolExecutor) -> None:
    release = threading.Event()
    busy = pool.submit(release.wait)
    session = Session(MODULE)
    session.manager.nest("func.func").add_pass(session.step("P"))
    session.manager.enable_multithreading(pool, max_workers=4)

    assert len(session.run()) == NUM_FUNCTIONS
    release.set()
    assert busy.result()


def test_an_interrupt_leaves_no_thread_at_work() -> None:
    session = Session(MODULE)
    at_work: list[int] = []

    def do(_: Running) -> None:
        at_work.append(1)
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        at_work.pop()

    session.manager.nest("func.func").add_pass(session.step("P", do))
    session.manager.enable_multithreading(max_workers=2)
    with pytest.raises(KeyboardInterrupt):
        session.run()

    assert at_work == [1]
    assert not session.context.is_running


def test_what_a_worker_raises_is_raised() -> None:
    def do(number: int) -> None:
        if number == 3:
            raise ValueError(number)

    with ThreadPoolExecutor(2) as executor, pytest.raises(ValueError, match="3"):
        Threading(executor, 2, outermost_level).map(do, range(100))


def test_the_order_of_dynamic_pipelines_in_a_report_is_fixed() -> None:
    def do(pass_: Running) -> None:
        pipeline = OpPassManager("func.func")
        for _ in pass_.operation.sym_name.data:
            pipeline.add_pass(Count())
        pass_.run_pipeline(pipeline, pass_.operation)

    reports = set()
    for max_workers in (1, 2, 4):
        session = Session(MODULE)
        add_all(session.manager.nest("func.func"), [session.step("P", do)])
        session.manager.enable_multithreading(max_workers=max_workers)
        session.run()
        reports.add(session.manager.statistics_report())
    assert len(reports) == 1
