"""Threads: what they do is what one thread does, in the same order for the reader."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import ParamSpec, Self, TypeVar

import pytest
from xdsl.dialects.builtin import IntegerAttr, StringAttr

from passgen_runtime import (
    Diagnostic,
    OperationPass,
    OpPassManager,
    PassFailure,
    PassOptions,
    SchedulingError,
    statistic,
)
from passgen_runtime.instrumentations.ir_printing import enable_ir_printing
from passgen_runtime.pass_manager.threads import (
    ThreadingPolicy,
    Threads,
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
    assert str(alone["printed"]).count("IR Dump Before Work") == 16
    for _ in range(4):  # more: `python tests/benchmarks/threaded_runs.py`
        assert everything(several(3, policy=policy), capsys, TREE) == alone


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


LETTERS = "\n".join(f"func.func @{letter}() {{ return }}" for letter in "abcdefgh")


def shown_when_raised(
    num_threads: int,
    do: Callable[[Running], None],
    configure: Callable[[Session], object] = lambda _: None,
) -> tuple[object, ...]:
    """Return what is seen of a run in which a pass or a handler raises."""
    session = Session(LETTERS)
    configure(session)
    functions = session.manager.nest("func.func")
    add_all(functions, [session.step("P", do, argument="p"), Count()])
    session.manager.add_pass(session.step("Q"))
    if num_threads:
        session.manager.enable_multithreading(max_workers=num_threads)
    with pytest.raises(BaseException) as raised:  # noqa: PT011 - compared below
        session.run()
    assert not session.context.is_running
    return (
        type(raised.value),
        str(raised.value),
        session.diagnostics,
        session.context.print(session.module),
        session.manager.statistics_report(),
        sorted(session.log.events),
    )


def name_of(pass_: Running) -> str:
    return str(pass_.operation.sym_name.data)


def test_what_ends_the_program_is_raised_as_it_is_after_the_siblings() -> None:
    def do(pass_: Running) -> None:
        pass_.emit_remark(f"at {name_of(pass_)}")
        if name_of(pass_) in "cf":
            raise SystemExit(name_of(pass_))
        if name_of(pass_) == "b":
            pass_.signal_pass_failure()

    alone = shown_when_raised(0, do)
    assert alone[:2] == (SystemExit, "c")
    assert len(alone[2]) == 8  # type: ignore[arg-type] # the diagnostics
    for _ in range(20):
        assert shown_when_raised(4, do) == alone


def test_an_interrupt_shows_what_came_before_it() -> None:
    def do(pass_: Running) -> None:
        pass_.emit_remark(f"at {name_of(pass_)}")
        if name_of(pass_) in "cf":
            raise KeyboardInterrupt(name_of(pass_))

    alone = shown_when_raised(0, do)
    assert alone[:2] == (KeyboardInterrupt, "c")
    assert len(alone[2]) == 3  # type: ignore[arg-type] # the diagnostics
    for _ in range(20):
        # What operations after it have become is left open.
        assert shown_when_raised(4, do)[:3] == alone[:3]


def test_what_a_diagnostic_handler_raises_is_raised_after_the_run() -> None:
    def configure(session: Session) -> None:
        keep = session.context.diagnostic_handler

        def handle(diagnostic: Diagnostic) -> None:
            keep(diagnostic)
            if diagnostic.message in {"at c", "at f"}:
                raise LookupError(diagnostic.message)

        session.context.diagnostic_handler = handle

    def do(pass_: Running) -> None:
        pass_.emit_remark(f"at {name_of(pass_)}")
        if name_of(pass_) == "b":
            pass_.signal_pass_failure()

    alone = shown_when_raised(0, do, configure)
    assert alone[0] is LookupError
    assert alone[1] == "at c"
    assert len(alone[2]) == 8  # type: ignore[arg-type] # the diagnostics
    for _ in range(20):
        assert shown_when_raised(4, do, configure) == alone


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
    alone = everything(lambda _: None, capsys)
    logging.disable()  # of a pool's own words about an error
    try:
        with EXECUTORS[kind](pool) as executor:
            assert everything(several(4, executor=executor), capsys) == alone
    finally:
        logging.disable(logging.NOTSET)
    if isinstance(executor, CountingExecutor):
        assert executor.num_submitted == 3


FOR_ALL: ContextVar[str] = ContextVar("for_all", default="nothing")


def test_threads_have_the_context_variables_of_the_caller() -> None:
    session = Session(MODULE)
    seen: set[str] = set()
    pass_ = session.step("P", lambda _: seen.add(FOR_ALL.get()))
    session.manager.nest("func.func").add_pass(pass_)
    session.manager.enable_multithreading(max_workers=4)
    token = FOR_ALL.set("something")
    session.run()
    FOR_ALL.reset(token)

    assert seen == {"something"}


def test_threads_of_a_pass_may_speak_for_its_operation() -> None:
    def do(pass_: Running) -> None:
        name = name_of(pass_)
        thread = threading.Thread(
            target=copy_context().run, args=(pass_.emit_remark, f"about {name}")
        )
        thread.start()
        thread.join()

    session = Session(LETTERS)
    session.manager.nest("func.func").add_pass(session.step("P", do))
    session.manager.enable_multithreading(max_workers=4)
    session.run()

    assert [each[-7:] for each in session.diagnostics] == [
        f"about {c}" for c in "abcdefgh"
    ]


def test_what_a_worker_raises_is_raised() -> None:
    def do(number: int) -> None:
        if number == 3:
            raise ValueError(number)

    with ThreadPoolExecutor(2) as executor, pytest.raises(ValueError, match="3"):
        Threads(executor, 2, outermost_level).map(do, range(100))


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


@pytest.mark.parametrize("verify_each", [False, True])
def test_a_pass_that_cannot_be_copied_for_a_thread_is_named(
    *, verify_each: bool
) -> None:
    class Single(OperationPass[PassOptions]):
        argument = "single"

        def clone(self) -> Self:
            message = "there is one of me"
            raise TypeError(message)

        def run_on_operation(self) -> None:
            pass

    session = Session(LETTERS)
    session.manager.nest("func.func").add_pass(Single())
    session.manager.verify_each = verify_each
    session.manager.enable_multithreading(max_workers=4)
    with pytest.raises(PassFailure) as raised:
        session.run()

    assert str(raised.value) == (
        "pass 'single' failed on its copying for a thread\n"
        "note: it raised TypeError: there is one of me\n"
        "note: in the pipeline builtin.module(func.func(single))"
    )


def test_a_pass_whose_copy_is_no_copy_is_named() -> None:
    session = Session(LETTERS)
    same = session.step("P", argument="p", clone=lambda pass_: pass_)
    session.manager.nest("func.func").add_pass(same)
    session.manager.enable_multithreading(max_workers=4)
    with pytest.raises(PassFailure) as raised:
        session.run()

    assert str(raised.value).splitlines()[1] == (
        "note: it raised TypeError: result of clone(): expected a new P, found "
        "an object of abc.P"
    )


class Waiting(OperationPass[PassOptions]):
    """Counts its runs, and waits in each until it is told to go on."""

    argument = "waiting"
    num_runs = statistic("num-runs", "Runs.")

    def __init__(self, begun: threading.Event, may_end: threading.Event) -> None:
        super().__init__()
        self.begun = begun
        self.may_end = may_end

    def run_on_operation(self) -> None:
        self.num_runs += 1
        self.begun.set()
        assert self.may_end.wait(10)


@contextmanager
def running_in_a_thread(session: Session) -> Iterator[Waiting]:
    """Run a pass that waits in another thread during the block."""
    waiting = Waiting(threading.Event(), threading.Event())
    session.manager.add_pass(waiting)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(session.run)
        assert waiting.begun.wait(10)
        try:
            yield waiting
        finally:
            waiting.may_end.set()
            run.result()


def test_a_manager_that_another_thread_runs_says_so_and_a_copy_runs() -> None:
    session = Session(LETTERS)
    with running_in_a_thread(session) as waiting:
        with pytest.raises(SchedulingError) as raised:
            session.run()
        waiting.may_end.set()
        copy = session.manager.copy()
        copy.run(session.context.parse("", "input.mlir"))

    assert str(raised.value) == (
        "the pipeline 'builtin.module(waiting)' is already running\n"
        "note: run a copy() of it in another thread"
    )
    assert int(waiting.num_runs) == 1
    assert "(S) 1 num-runs" in copy.statistics_report()
    session.run()
    assert int(waiting.num_runs) == 2


def test_a_pass_that_another_thread_runs_is_named_and_a_clone_runs() -> None:
    session, other = Session(LETTERS), Session(LETTERS)
    with running_in_a_thread(session) as waiting:
        other.manager.add_pass(waiting)
        with pytest.raises(SchedulingError) as raised:
            other.run()
        waiting.may_end.set()
        other.manager.elements[:] = [waiting.clone()]
        other.run()

    assert str(raised.value) == (
        "pass 'waiting' runs in another pass manager now: give one of them a clone() "
        "of it"
    )
    assert int(waiting.num_runs) == 1
