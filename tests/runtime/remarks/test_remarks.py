"""Remarks: what passes say, who gets it, and what a record has of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from passgen_runtime import OperationPass, PassFailure, PassOptions
from passgen_runtime.context import Context, Operation
from passgen_runtime.remarks import (
    Remark,
    RemarkFilter,
    Remarks,
    collecting_remarks,
    declared_remarks,
    remark,
)
from passgen_runtime.runners import Threads
from passgen_tools.record import RunRecord, record
from passgen_tools.workers import Workers
from tests.recording import FUNCTIONS, NESTED, Running, Session, every_level
from tests.tools.workers.passes_for_workers import Work
from tests.tools.workers.running import CALLING


class Unroll(Remarks, OperationPass[PassOptions]):
    """Calls a function while it runs."""

    argument = "unroll"

    def __init__(self, do: Callable[[Running], None]) -> None:
        super().__init__()
        self.do = do

    @remark(
        "unrolled",
        "passed",
        "unrolled by {factor}, as at {other}",
        advice="Nothing.",
        locations=("other",),
    )
    def remark_unrolled(
        self, operation: Operation = None, /, *, factor: int, other: Operation
    ) -> None:
        """Say that a loop was unrolled."""

    def run_on_operation(self) -> None:
        self.do(self)


def remarks_of(
    do: Callable[[Running], None],
    text: str = FUNCTIONS,
    wanted: RemarkFilter | None = None,
    anchor: str = "func.func",
) -> list[Remark]:
    session = Session(text)
    session.manager.nest(anchor).add_pass(Unroll(do))
    with collecting_remarks(session.manager, wanted or RemarkFilter(".*")) as found:
        session.run()
    return found


def test_a_remark_has_the_kind_the_place_and_the_values_that_the_pass_gives() -> None:
    def say(self: Running) -> None:
        remarks = self.remarks.named("too-many", advice="Fewer.")
        remarks.missed("{count} of {all}", count=3, all=2.5)

    assert remarks_of(say)[0] == Remark(
        kind="missed",
        category="unroll",
        name="too-many",
        message="3 of 2.5",
        location="input.mlir:1:1",
        function="a",
        fields={"count": 3, "all": 2.5},
        advice="Fewer.",
    )


def test_without_a_name_a_remark_is_called_as_its_message_without_values() -> None:
    found = remarks_of(lambda self: self.remarks.failed("at {place}", place="x"))
    assert [(said.kind, said.name) for said in found] == [("failed", "at {place}")] * 2


def test_a_message_without_fields_may_have_braces() -> None:
    found = remarks_of(lambda self: self.remarks.analysis("module {"))
    assert found[0].message == "module {"


def test_operations_in_fields_become_symbols_names_and_locations() -> None:
    def say(self: Running) -> None:
        inside = self.operation.body.block.first_op
        self.remarks.passed("ok", function=self.operation, inside=inside)
        self.remark_unrolled(inside, factor=4, other=self.operation)

    first, second = remarks_of(say)[:2]
    assert first.fields == {"function": "@a", "inside": "func.return"}
    assert second.message == "unrolled by 4, as at input.mlir:1:1"
    assert (second.location, second.function) == ("input.mlir:1:18", "a")


@pytest.mark.parametrize("fields", [{}, {"factor": 4}, {"factor": 4, "others": 3}])
def test_fields_that_are_not_those_of_the_declaration_are_an_error(
    fields: dict[str, int],
) -> None:
    found: list[str] = []

    def say(self: Running) -> None:
        with pytest.raises(TypeError, match=r"remark_unrolled\(\)") as error:
            self.remark_unrolled(**fields)
        found.append(str(error.value))

    assert not remarks_of(say)
    assert found


def test_a_remark_of_initialize_needs_an_operation() -> None:
    class Early(Remarks, OperationPass[PassOptions]):
        argument = "early"

        def initialize(self, context: Context) -> None:
            del context
            with pytest.raises(RuntimeError, match="not running: name an operation"):
                self.remarks.missed("too early")

        def run_on_operation(self) -> None:
            """Do nothing."""

    session = Session(FUNCTIONS)
    session.manager.add_pass(Early())
    with collecting_remarks(session.manager) as found:
        session.run()
    assert not found


def test_a_field_without_a_value_in_json_is_a_text(tmp_path: Path) -> None:
    def say(self: Running) -> None:
        self.remarks.analysis("", ratio=float("nan"), most=float("inf"))

    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(Unroll(say))
    with record(session.manager, tmp_path / "run.db"):
        session.run()
    rows = RunRecord(tmp_path / "run.db").remarks
    assert (rows[0].name, json.loads(rows[0].fields)) == (
        "analysis",
        {"ratio": "nan", "most": "inf"},
    )


def test_a_declared_remark_is_known_to_programs() -> None:
    (declared,) = declared_remarks(Unroll)
    assert (declared.name, declared.kind, declared.advice) == (
        "unrolled",
        "passed",
        "Nothing.",
    )


def test_a_remark_prints_as_mlir_prints_it() -> None:
    found = remarks_of(lambda self: self.remarks.missed("no x", yes=True, at=0.5))
    assert str(found[0]) == (
        '[Missed] no x | Category:unroll | Function=a | Remark="no x", '
        "at=5.000000e-01, yes=true"
    )


def test_what_nobody_listens_to_is_not_formatted() -> None:
    class Unprintable:
        def __str__(self) -> str:
            raise AssertionError

    def say(self: Running) -> None:
        self.remarks.missed("{value}", value=Unprintable())

    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(Unroll(say))
    session.run()
    assert remarks_of(say, wanted=RemarkFilter(passed=".*", all="other")) == []
    with pytest.raises(PassFailure):
        remarks_of(say)


@pytest.mark.parametrize(
    ("wanted", "messages"),
    [
        (RemarkFilter("unroll"), ["done", "not done"]),
        (RemarkFilter("unr"), []),
        (RemarkFilter("unr.*"), ["done", "not done"]),
        (RemarkFilter(missed="unroll"), ["not done"]),
        (RemarkFilter("other", passed="unroll|x"), ["done"]),
    ],
)
def test_a_filter_matches_whole_categories_as_mlir_does(
    wanted: RemarkFilter, messages: list[str]
) -> None:
    def say(self: Running) -> None:
        self.remarks.passed("done")
        self.remarks.missed("not done")

    found = remarks_of(say, "func.func @a() { return }", wanted)
    assert [said.message for said in found] == messages


def test_remarks_of_threads_and_workers_come_in_the_order_of_one_thread() -> None:
    found: list[list[Remark]] = []
    for way in ("one thread", "threads", "workers"):
        session = Session(CALLING)
        session.manager.nest("func.func").add_pass(Work())
        if way == "threads":
            session.manager.runner = Threads(max_workers=4, policy=every_level)
        with (
            ThreadPoolExecutor(2) as pool,
            collecting_remarks(session.manager) as remarks,
            suppress(PassFailure),  # of a function
        ):
            runner = Workers(pool, sends_always=True) if way == "workers" else None
            session.manager.run(session.module, runner)
        found.append(remarks)
    assert len(found[0]) > 1
    assert found[0] == found[1] == found[2]


def test_a_record_has_remarks_with_the_pass_and_the_path(tmp_path: Path) -> None:
    def say(self: Running) -> None:
        for operation in self.operation.walk():
            remarks = self.remarks.named("why", advice="Do.")
            remarks.missed("{size}", operation, size=2)

    session = Session(NESTED)
    session.manager.nest("builtin.module").add_pass(Unroll(say))
    with record(session.manager, tmp_path / "run.db"):
        session.run()
    run = RunRecord(tmp_path / "run.db")
    rows = run.remarks
    paths = {execution.id: execution.path for execution in run.executions}
    assert [(row.operation, row.location) for row in rows] == [
        ("@inner", "input.mlir:2:1"),
        ("@inner/@b", "input.mlir:3:3"),
        ("@inner/@b", "input.mlir:3:20"),
    ]
    first = rows[0]
    path = paths[first.execution_id or 0]
    assert (path, first.kind, first.category, first.name) == (
        "builtin.module/builtin.module[0]/unroll[0]",
        "missed",
        "unroll",
        "why",
    )
    assert first.message == "2"
    assert json.loads(first.fields) == {"size": 2, "advice": "Do."}
