"""Timing: what is timed below what, and how times add up over threads."""

from __future__ import annotations

import threading
from itertools import count

import pytest

from passgen_runtime import AnalysisManager, OperationPass, PassFailure, PassOptions
from passgen_runtime.context import Operation
from passgen_runtime.instrumentations.pass_timing import PassTiming, enable_timing
from passgen_runtime.instrumentations.timing_manager import TimingManager
from passgen_runtime.pass_instrumentation import (
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager.threads import every_level
from tests.recording import FUNCTIONS, Running, Session, step

RULE = f"===-{'-' * 71}-==="


class Outer:
    """An analysis that needs another one."""

    def __init__(self, operation: Operation, manager: AnalysisManager) -> None:
        del operation
        manager.get_analysis(Inner)


class Inner:
    def __init__(self, operation: Operation) -> None:
        del operation


def names(report: str) -> list[str]:
    """Return the last column of a text report."""
    _, _, rows = report.partition("----Name----\n")
    return [row.rpartition(")  ")[2] for row in rows.splitlines()]


def ticking(step_s: float = 1.0) -> TimingManager:
    """Return a manager whose clock goes on by `step_s` each time it is read."""
    ticks = count()
    return TimingManager(lambda: next(ticks) * step_s)


def test_report_of_a_ticking_clock() -> None:
    timing = ticking()
    with timing.nest("Parser"):
        pass
    with timing.nest("Output"):
        pass

    assert timing.report() == f"""\
{RULE}
                         ... Execution time report ...
{RULE}
  Total Execution Time: 5.0000 seconds

  ----Wall Time----  ----Name----
    1.0000 ( 20.0%)  Parser
    1.0000 ( 20.0%)  Output
    3.0000 ( 60.0%)  Rest
    5.0000 (100.0%)  Total
"""


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_run_after_one_that_was_interrupted_is_timed_by_itself(
    *, interrupted: bool
) -> None:
    session = Session()
    timing = enable_timing(session.manager)
    interrupts = [KeyboardInterrupt()] * interrupted

    def do(_: Running) -> None:
        if interrupts:
            raise interrupts.pop()

    for name in ("P", "Q"):
        session.manager.add_pass(session.step(name, do))
    if interrupted:
        with pytest.raises(KeyboardInterrupt):
            session.run()
    session.run()

    assert names(timing.report()) == ["P", "Q", "Rest", "Total"]


def test_json_of_a_ticking_clock() -> None:
    timing = ticking()
    with timing.nest('a "b" \\ \n'):
        pass

    assert timing.report("list", "json") == """\
[
{"wall": {"duration":   3.0000, "percentage": 100.0}, "name": "root"},
{"wall": {"duration":   1.0000, "percentage":  33.3}, "name": "a \\"b\\" \\\\ \\n"},
{"wall": {"duration":   2.0000, "percentage":  66.7}, "name": "Rest"},
{"wall": {"duration":   3.0000, "percentage": 100.0}, "name": "Total"}
]
"""


def test_tree_of_pipelines_passes_and_analyses() -> None:
    session = Session(FUNCTIONS)

    def analyse(running: Running) -> None:
        running.get_analysis(Outer)
        running.mark_all_analyses_preserved()

    for nested in (session.manager.nest("func.func"), session.manager.nest_any()):
        nested.add_pass(step("First", do=analyse))
        nested.add_pass(step("First", do=analyse))
    session.manager.add_pass(step("Last"))
    timing = enable_timing(session.manager)
    session.run()

    assert names(timing.report()) == [
        "'func.func' Pipeline",
        "  First",
        "    (A) Outer",
        "      (A) Inner",
        "  First",
        "'any' Pipeline",
        "  First",
        "    (A) Outer",
        "      (A) Inner",
        "  First",
        "Last",
        "Rest",
        "Total",
    ]


def test_dynamic_pipeline_is_timed_below_its_pass() -> None:
    session = Session(FUNCTIONS)
    inner = type(session.manager)(session.context)
    inner.nest("func.func").add_pass(step("Inner"))

    def run(running: Running) -> None:
        assert running.run_pipeline(inner, running.operation)

    session.manager.add_pass(step("Outer", do=run))
    timing = enable_timing(session.manager)
    session.run()

    assert names(timing.report()) == [
        "Outer",
        "  'builtin.module' Pipeline",
        "    'func.func' Pipeline",
        "      Inner",
        "Rest",
        "Total",
    ]


def test_runs_add_up() -> None:
    session = Session(FUNCTIONS)
    session.manager.add_pass(step("Again"))
    timing = enable_timing(session.manager, ticking())
    session.run()
    once = timing.report("list")
    session.run()

    assert (
        names(timing.report("list"))
        == names(once)
        == ["root", "Again", "Rest", "Total"]
    )
    assert "    1.0000 " in once
    assert "    2.0000 " in timing.report("list")


def test_pass_and_analysis_that_raise_leave_the_tree_intact() -> None:
    session = Session(FUNCTIONS)

    class Broken:
        def __init__(self, operation: Operation) -> None:
            del operation
            raise ValueError

    def analyse(running: Running) -> None:
        running.get_analysis(Broken)

    session.manager.nest("func.func").add_pass(step("Fails", do=analyse))
    timing = enable_timing(session.manager)
    for _ in range(2):
        with pytest.raises(PassFailure):
            session.run()

    assert names(timing.report()) == [
        "'func.func' Pipeline",
        "  Fails",
        "    (A) Broken",
        "Rest",
        "Total",
    ]


class Wait(OperationPass[PassOptions]):
    """Waits for the other functions: each runs in a thread of its own."""

    barrier = threading.Barrier(2)

    def run_on_operation(self) -> None:
        self.barrier.wait(timeout=60)


def test_threads_add_a_column_of_user_time() -> None:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(Wait())
    session.manager.enable_multithreading(max_workers=2, policy=every_level)
    timing = enable_timing(session.manager)
    session.run()
    report = timing.report()
    rows = [
        [float(cell) for cell in line.replace("%", "").replace("(", "").split()[:3:2]]
        for line in report.splitlines()
        if "Wait" in line
    ]

    assert "  ----User Time----  ----Wall Time----  ----Name----" in report
    assert names(report) == ["'func.func' Pipeline", "  Wait", "Rest", "Total"]
    assert len(rows) == 1


def test_user_time_is_the_sum_and_wall_time_the_longest() -> None:
    """Hooks called by hand, from two threads, with a clock that says what it is told."""
    now = [0.0]
    timing = TimingManager(lambda: now[0])
    watch = PassTiming(timing)
    collection = PipelineCollection(("func.func",))
    pass_ = step("Work")
    parent = PipelineParentInfo(threading.get_ident(), None, collection)

    def work(seconds: float) -> None:
        start = now[0]
        watch.run_before_pipeline("func.func", parent)
        watch.run_before_pass(pass_, None)
        now[0] = start + seconds
        watch.run_after_pass(pass_, None)
        watch.run_after_pipeline("func.func", parent)
        now[0] = start

    watch.run_before_pipeline(
        "builtin.module", PipelineParentInfo(threading.get_ident(), None)
    )
    watch.run_before_collection(collection, None)
    work(3.0)
    other = threading.Thread(target=work, args=(2.0,))
    other.start()
    other.join()
    now[0] = 4.0
    watch.run_after_collection(collection, None)

    assert [
        line.split("  ", 1)[1] for line in timing.report("tree").splitlines()[5:]
    ] == [
        "----User Time----  ----Wall Time----  ----Name----",
        "  5.0000 ( 83.3%)    3.0000 ( 75.0%)  'func.func' Pipeline",
        "  5.0000 ( 83.3%)    3.0000 ( 75.0%)    Work",
        "  1.0000 ( 16.7%)    1.0000 ( 25.0%)  Rest",
        "  6.0000 (100.0%)    4.0000 (100.0%)  Total",
    ]
