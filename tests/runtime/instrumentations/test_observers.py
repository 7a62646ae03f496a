"""Observers in a `with` block: one form, with the result as data and as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from passgen_runtime import (
    OperationPass,
    PassFailure,
    PassInstrumentation,
    PassOptions,
    SchedulingError,
    statistic,
)
from passgen_runtime.context import Operation
from passgen_runtime.extensions.record import record
from passgen_runtime.instrumentations.ir_printing import IRPrintingConfig, every_pass
from passgen_runtime.instrumentations.observers import (
    ir_printing,
    observing,
    statistics,
    timing,
)
from passgen_runtime.instrumentations.pass_timing import enable_timing
from passgen_runtime.operation_pass import Pass
from tests.recording import FUNCTIONS, Running, Session


class Rename(OperationPass[PassOptions]):
    argument = "rename"
    num_renamed = statistic("num-renamed", "Functions that were renamed.")

    def run_on_operation(self) -> None:
        name = self.operation.sym_name
        self.operation.sym_name = type(name)(f"{name.data}x")
        self.num_renamed += 1


def fail(pass_: Running) -> None:
    pass_.signal_pass_failure()


def renaming() -> Session:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(Rename())
    return session


def test_times_are_data_and_a_report() -> None:
    session = renaming()

    with timing(session.manager) as times:
        session.run()

    assert set(times.by_name()) == {"'func.func' Pipeline", "Rename"} | (
        times.by_name().keys() & {"Pipeline Collection : ['func.func']"}
    )
    assert times.by_name()["Rename"].wall_s >= 0
    report = times.report()
    assert "... Execution time report ..." in report
    assert report == times.report()


def test_the_statistics_are_data_and_a_report() -> None:
    session = renaming()

    with statistics(session.manager) as counts:
        session.run()
    session.run()

    assert counts.by_name() == {"Rename": {"num-renamed": 2}}
    assert "(S) 2 num-renamed - Functions that were renamed." in counts.report()
    assert counts.report("list").splitlines()[3] == "  Rename"


def test_the_ir_is_data_and_the_text_that_drivers_print() -> None:
    session = renaming()

    with ir_printing(session.manager) as printed:
        session.run()

    assert [(dump.label, dump.ir.splitlines()[0]) for dump in printed.dumps] == [
        ("rename", "func.func @ax() {"),
        ("rename", "func.func @bx() {"),
    ]
    assert printed.report().startswith(
        "// -----// IR Dump After Rename (rename) //----- //\nfunc.func @ax() {"
    )


def test_the_dumps_are_those_that_the_configuration_chooses() -> None:
    session = renaming()
    config = IRPrintingConfig(before=every_pass)

    with ir_printing(session.manager, config) as printed:
        session.run()

    assert [dump.ir.splitlines()[0] for dump in printed.dumps] == [
        "func.func @a() {",
        "func.func @b() {",
    ]


def test_no_whole_module_is_collected_while_threads_change_it() -> None:
    session = renaming()
    session.manager.enable_multithreading()

    with (
        pytest.raises(SchedulingError, match="IR print for module scope"),
        ir_printing(session.manager, IRPrintingConfig(module_scope=True)),
    ):
        pass


class Count(PassInstrumentation):
    num_passes = 0

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        del pass_, operation
        self.num_passes += 1


def test_any_instrumentation_observes_no_longer_than_its_block() -> None:
    session = renaming()
    outer, inner = Count(), Count()

    with observing(session.manager, outer) as same:
        with observing(session.manager, inner):
            session.run()
        session.run()
    session.run()

    assert same is outer
    assert (outer.num_passes, inner.num_passes) == (4, 2)
    with pytest.raises(ValueError, match="the pass manager has no instrumentation"):
        session.manager.remove_instrumentation(outer)


def test_observers_nest(tmp_path: Path) -> None:
    session = renaming()

    with timing(session.manager) as times, record(session.manager, tmp_path / "run"):
        session.run()

    assert "Rename" in times.by_name()
    assert (tmp_path / "run").exists()


def test_enable_timing_prints_the_report_after_a_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = renaming()
    enable_timing(session.manager)

    session.run()

    report = capsys.readouterr().err
    assert "... Execution time report ..." in report
    assert report.count("Rename") == 1


def test_the_report_is_printed_after_a_run_that_failed_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = Session()
    session.manager.add_pass(session.step("P", fail))
    enable_timing(session.manager)

    with pytest.raises(PassFailure):
        session.run()

    assert "... Execution time report ..." in capsys.readouterr().err
