"""What a failing pass stops, and what is said about it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from passgen_runtime import PassFailure
from passgen_runtime.context import Operation
from passgen_runtime.instrumentations.crash_reproducer import (
    enable_crash_reproducer_generation,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation
from tests.recording import FUNCTIONS, Running, Session, add_all

FAIL_ON_MODULE = "pass 'p' failed on 'builtin.module' operation at input.mlir:0:0"


def fail(pass_: Running) -> None:
    pass_.signal_pass_failure()


def fail_on(symbol: str) -> Callable[[Running], None]:
    def do(pass_: Running) -> None:
        if pass_.operation.sym_name.data == symbol:
            pass_.emit_error(f"no {symbol}")
            pass_.signal_pass_failure()

    return do


def raising(_: Running) -> None:
    message = "of the pass itself"
    raise ZeroDivisionError(message)


both_ways = pytest.mark.parametrize("verify_each", [False, True])


@both_ways
def test_an_exception_of_a_pass_is_chained(*, verify_each: bool) -> None:
    session = Session(verify_each=verify_each)
    session.manager.add_pass(session.step("P", raising, argument="p"))

    with pytest.raises(PassFailure) as failure:
        session.run()

    assert str(failure.value) == (
        f"{FAIL_ON_MODULE}\n"
        "note: it raised ZeroDivisionError: of the pass itself\n"
        "note: in the pipeline builtin.module(p)"
    )
    assert isinstance(failure.value.__cause__, ZeroDivisionError)


def test_after_a_nested_manager_only_what_is_around_it_is_verified() -> None:
    calls: list[str] = []
    session = Session(FUNCTIONS)
    context = session.context
    verify = context.verify

    def noting(operation: Operation, *, recursive: bool = True) -> None:
        symbol = context.symbol_name(operation) or "module"
        calls.append(f"{symbol}{' and inside' if recursive else ''}")
        verify(operation, recursive=recursive)

    context.verify = noting  # type: ignore[method-assign] # watched, then done
    session.manager.nest("func.func").add_pass(session.step("P"))
    session.manager.add_pass(session.step("Q"))
    session.run()

    assert calls == ["a and inside", "b and inside", "module", "module and inside"]


def test_an_exception_without_a_text_is_named() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    session = Session(FUNCTIONS)

    def do(_: Running) -> None:
        raise MuteError

    session.manager.add_pass(session.step("P", do, argument="p"))
    with pytest.raises(PassFailure) as failure:
        session.run()

    assert str(failure.value).splitlines()[1] == (
        "note: it raised MuteError: <exception str() failed>"
    )


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        (
            {"get_dependent_dialects": raising},
            "pass 'p' failed on its dependent dialects\nnote: it raised ZeroDivisionError: of the pass itself\nnote: in the pipeline builtin.module(any(p))",
        ),
        (
            {"can_schedule_on": lambda *_: raising(None)},
            "pass 'p' cannot say whether it runs on 'func.func': ZeroDivisionError: of the pass itself\nnote: the pipeline failed on 'builtin.module' operation at input.mlir:0:0\nnote: in the pipeline builtin.module(any(p))",
        ),
    ],
    ids=["dialects", "operations"],
)
def test_a_pass_that_cannot_say_what_it_needs_is_named(
    attributes: dict[str, object], said: str
) -> None:
    session = Session(FUNCTIONS)
    session.manager.nest_any().add_pass(
        session.step("P", None, argument="p", **attributes)
    )

    with pytest.raises(PassFailure) as failure:
        session.run()

    assert str(failure.value) == said
    assert session.log.events == []


@pytest.mark.parametrize("when", ["initialize", "run_on_operation"])
def test_what_ends_the_program_has_the_failure_as_its_cause(when: str) -> None:
    session = Session(FUNCTIONS)

    def leave(*_: object) -> None:
        raise SystemExit(3)

    functions = session.manager.nest("func.func")
    functions.add_pass(session.step("P", argument="p", **{when: leave}))

    with pytest.raises(SystemExit) as left:
        session.run()
    subject = {
        "initialize": "its initialization",
        "run_on_operation": "'func.func' operation: @a at input.mlir:1:1",
    }
    assert left.value.code == 3
    assert isinstance(left.value.__cause__, PassFailure)
    assert str(left.value.__cause__) == (
        f"pass 'p' failed on {subject[when]}\n"
        "note: in the pipeline builtin.module(func.func(p))"
    )


def test_a_manager_runs_again_after_a_failure() -> None:
    session = Session(FUNCTIONS)
    failing = [fail]

    def do(pass_: Running) -> None:
        if failing:
            failing.pop()(pass_)

    functions = session.manager.nest("func.func")
    add_all(functions, [session.step("P", do), session.step("Q")])
    with pytest.raises(PassFailure):
        session.run()

    assert session.run() == ["P @a", "Q @a", "P @b", "Q @b"]


def test_an_interrupt_is_nobodys_failure() -> None:
    session = Session(FUNCTIONS)
    interrupts = [KeyboardInterrupt()]

    def do(_: Running) -> None:
        if interrupts:
            raise interrupts.pop()

    session.manager.nest("func.func").add_pass(session.step("P", do))
    with pytest.raises(KeyboardInterrupt):
        session.run()

    assert not session.context.is_running
    assert session.run() == ["P @a", "P @b"]


class Failing(PassInstrumentation):
    """Fails a pass right before or after it has run."""

    def __init__(self, name: str, when: str = "after") -> None:
        self.name = name
        self.when = when

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        self._fail("before", pass_, operation)

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        self._fail("after", pass_, operation)

    def _fail(self, when: str, pass_: Pass, operation: Operation) -> None:
        if (self.name, self.when) == (pass_.name, when):
            pass_.emit_error("refused", operation)
            pass_.signal_pass_failure()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("max_workers", [0, 2])
@both_ways
def test_an_instrumentation_may_fail_a_pass(
    when: str, max_workers: int, *, verify_each: bool
) -> None:
    session = Session(FUNCTIONS, verify_each=verify_each)
    functions = session.manager.nest("func.func")
    add_all(functions, map(session.step, ("P", "Q")))
    session.manager.add_pass(session.step("R"))
    session.manager.add_instrumentation(Failing("P", when))
    if max_workers:
        session.manager.enable_multithreading(max_workers=max_workers)

    with pytest.raises(PassFailure, match=r"pass 'P' failed on .* @a"):
        session.run()
    assert sorted(session.log.events) == ["P @a", "P @b"]
    assert session.diagnostics == [
        "input.mlir:1:1: error: refused",
        "input.mlir:2:1: error: refused",
    ]


def test_a_pass_that_an_instrumentation_fails_has_a_reproducer(tmp_path: Path) -> None:
    path = tmp_path / "reproducer.mlir"
    session = Session(FUNCTIONS)
    session.manager.add_pass(session.step("P", argument="p"))
    enable_crash_reproducer_generation(session.manager, path)
    session.manager.add_instrumentation(Failing("P"))

    with pytest.raises(PassFailure):
        session.run()
    assert 'pipeline: "builtin.module(p)"' in path.read_text(encoding="utf-8")
    assert "reproducer generated" in session.diagnostics[-1]


def test_after_hooks_follow_a_failure() -> None:
    events: list[str] = []

    class Watch(PassInstrumentation):
        def run_before_pass(self, pass_: Running, operation: Operation) -> None:
            del operation
            events.append(f"before {pass_.name}")

        def run_after_pass(self, pass_: Running, operation: Operation) -> None:
            del operation
            events.append(f"after {pass_.name}")

        def run_after_pass_failed(self, pass_: Running, operation: Operation) -> None:
            del operation
            events.append(f"failed {pass_.name}")

        def run_before_pipeline(self, anchor: str, parent: object) -> None:
            del parent
            events.append(f"before {anchor}")

        def run_after_pipeline(self, anchor: str, parent: object) -> None:
            del parent
            events.append(f"after {anchor}")

    session = Session("func.func @a() { return }\nmodule @m {}")
    session.manager.add_instrumentation(Watch())
    session.manager.add_pass(session.step("P"))
    add_all(
        session.manager.nest("func.func"),
        [session.step("Q", raising), session.step("R")],
    )
    with pytest.raises(PassFailure):
        session.run()

    assert events == [
        "before builtin.module",
        *("before P", "after P"),
        *("before func.func", "before Q", "failed Q", "after func.func"),
        "after builtin.module",
    ]


def report(pass_: Running) -> None:
    pass_.emit_remark(f"seen {pass_.operation.sym_name.data}")
    fail_on("b")(pass_)


@pytest.mark.parametrize("threads", [False, True])
def test_a_failure_carries_the_diagnostics_of_its_run(*, threads: bool) -> None:
    session = Session(FUNCTIONS)
    if threads:
        session.manager.enable_multithreading(max_workers=2)
    session.manager.nest("func.func").add_pass(session.step("P", report, argument="p"))
    for _ in range(2):
        session.diagnostics.clear()

        with pytest.raises(PassFailure) as failure:
            session.run()

    found = failure.value.diagnostics
    assert [(each.severity, each.location) for each in found] == [
        ("remark", "input.mlir:1:1"),
        ("remark", "input.mlir:2:1"),
        ("error", "input.mlir:2:1"),
    ]
    assert [str(each) for each in found] == session.diagnostics
    assert str(failure.value).splitlines()[2:] == [
        "input.mlir:2:1: error: no b",
        "input.mlir:1:1: remark: seen a",
        "input.mlir:2:1: remark: seen b",
    ]
    received = pickle.loads(pickle.dumps(failure.value))  # noqa: S301 - made here
    assert (str(received), received.argument) == (str(failure.value), "p")
    assert received.diagnostics == found


def test_notes_are_a_part_of_the_diagnostics() -> None:
    session = Session("func.func @a() { return }")
    session.context.prints_operation_on_diagnostic = True
    session.manager.nest("func.func").add_pass(session.step("P", fail_on("a")))

    with pytest.raises(PassFailure, match="note: see current operation: ") as failure:
        session.run()

    assert [note.severity for note in failure.value.diagnostics[0].notes] == ["note"]


def test_the_handler_decides_whether_diagnostics_are_printed_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(session.step("P", fail_on("a")))
    session.context.diagnostic_handler = lambda _: None

    with pytest.raises(PassFailure, match="error: no a"):
        session.run()

    assert capsys.readouterr().err == ""


def test_a_run_inside_a_pass_has_diagnostics_of_its_own() -> None:
    session, inner = Session(FUNCTIONS), Session(FUNCTIONS)
    inner.manager.nest("func.func").add_pass(inner.step("P", fail_on("a")))
    failures: list[PassFailure] = []

    def run_inner(pass_: Running) -> None:
        pass_.emit_error("before")
        try:
            inner.run()
        except PassFailure as failure:
            failures.append(failure)
        pass_.emit_error("after")
        pass_.signal_pass_failure()

    session.manager.add_pass(session.step("M", run_inner))
    with pytest.raises(PassFailure) as failure:
        session.run()

    assert [each.message for each in failures[0].diagnostics] == ["no a"]
    messages = [each.message for each in failure.value.diagnostics]
    assert messages == ["before", "no a", "after"]


def test_of_many_diagnostics_the_text_has_the_first() -> None:
    session = Session()

    def report_often(pass_: Running) -> None:
        for number in range(30):
            pass_.emit_remark(f"number {number}")
        pass_.emit_error("the reason")
        pass_.signal_pass_failure()

    session.manager.add_pass(session.step("P", report_often))
    with pytest.raises(PassFailure) as failure:
        session.run()

    lines = str(failure.value).splitlines()[2:]
    assert lines[0] == "input.mlir:0:0: error: the reason"
    assert lines[-2:] == [
        "input.mlir:0:0: remark: number 18",
        "note: and 11 more diagnostics",
    ]
    assert len(failure.value.diagnostics) == 31


@both_ways
def test_a_failing_pass_ends_the_pipeline(*, verify_each: bool) -> None:
    session = Session(verify_each=verify_each)
    steps = [session.step("P", fail, argument="p"), session.step("Q", argument="q")]
    add_all(session.manager, steps)

    with pytest.raises(PassFailure) as failure:
        session.run()

    assert str(failure.value) == (
        f"{FAIL_ON_MODULE}\nnote: in the pipeline builtin.module(p,q)"
    )
    assert session.log.events == ["P builtin.module"]
    assert failure.value.__cause__ is None
