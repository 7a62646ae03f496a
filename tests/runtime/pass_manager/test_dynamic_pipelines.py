"""Pipelines that a pass runs on its operation or inside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from passgen_runtime import (
    OperationPass,
    OpPassManager,
    Pass,
    PassFailure,
    PassOptions,
    SchedulingError,
    statistic,
)
from passgen_runtime.context import Operation
from passgen_runtime.ir.xdsl import XDSLContext
from tests.recording import FUNCTIONS, NESTED, Running, Session, add_all, step

both_ways = pytest.mark.parametrize("verify_each", [False, True])


class Size:
    def __init__(self, operation: Operation) -> None:
        self.value = sum(1 for _ in operation.walk())


def pipeline_of(*passes: Pass, anchor: str = "any") -> OpPassManager:
    manager = OpPassManager(anchor)
    add_all(manager, passes)
    return manager


def running(
    pipeline: OpPassManager, on: Callable[[Any], Any] | None = None
) -> Callable[[Running], None]:
    """Return what runs `pipeline` where `on` says, and notes whether it succeeded."""

    def do(pass_: Running) -> None:
        operation = pass_.operation if on is None else on(pass_.operation)
        succeeded = pass_.run_pipeline(pipeline, operation)
        pass_.log.add(f"{pass_.name} {'succeeded' if succeeded else 'failed'}")

    return do


def first_function(module: Operation) -> Operation:
    return next(iter(module.ops))


def test_a_pipeline_that_was_changed_runs_as_it_is() -> None:
    session = Session(FUNCTIONS)
    inner = pipeline_of(session.step("Q"))

    def do(pass_: Running) -> None:
        pass_.run_pipeline(inner, pass_.operation)
        inner.add_pass(session.step("R"))

    session.manager.nest("func.func").add_pass(session.step("P", do))

    assert session.run() == ["P @a", "Q @a", "P @b", "Q @b", "R @b"]


def test_passes_in_several_places_may_run_one_pipeline() -> None:
    session = Session(NESTED)
    inner = pipeline_of(session.step("Q"))
    session.manager.nest("func.func").add_pass(session.step("F", running(inner)))
    session.manager.nest("builtin.module").add_pass(session.step("M", running(inner)))

    for _ in range(2):
        assert session.run() == [
            *("F @a", "Q @a", "F succeeded"),
            *("M @inner", "Q @inner", "M succeeded"),
        ]


def test_a_pipeline_may_run_itself_further_inside() -> None:
    session = Session(f"module @m {{ module @n {{ {FUNCTIONS} }} }}")
    inner = OpPassManager()

    def do(pass_: Running) -> None:
        for child in pass_.context.children(pass_.operation):
            if pass_.context.name(child) != "func.return":
                assert pass_.run_pipeline(inner, child)

    inner.add_pass(session.step("P", do))
    session.manager.add_pass(session.step("O", do))

    assert session.run() == session.run() == ["O @m", "P @n", "P @a", "P @b"]


class Tally(OperationPass[PassOptions]):
    """A pass that is put into several managers, and says what it sees."""

    argument = "tally"
    num_seen = statistic("num-seen", "Operations seen.")

    def run_on_operation(self) -> None:
        self.num_seen += 1
        self.emit_remark(f"tallied @{self.operation.sym_name.data}")
        if self.operation.sym_name.data == "b":
            self.signal_pass_failure()


def shared_by_a_static_and_a_dynamic_manager(session: Session, shared: Pass) -> None:
    inner = pipeline_of(shared)
    functions = session.manager.nest("func.func")
    add_all(functions, [session.step("P", running(inner), argument="p"), shared])


def shared_by_two_dynamic_managers(session: Session, shared: Pass) -> None:
    inner, other = pipeline_of(shared), pipeline_of(shared)

    def do(pass_: Running) -> None:
        running(inner)(pass_)
        if not pass_.run_pipeline(other, pass_.operation):
            pass_.signal_pass_failure()

    session.manager.nest("func.func").add_pass(session.step("P", do, argument="p"))


def shared_by_managers_made_for_each_operation(session: Session, shared: Pass) -> None:
    def do(pass_: Running) -> None:
        if not pass_.run_pipeline(pipeline_of(shared), pass_.operation):
            pass_.signal_pass_failure()

    session.manager.nest("func.func").add_pass(session.step("P", do, argument="p"))


def shared_with_what_runs_it(session: Session, shared: Pass) -> None:
    def do(pass_: Running) -> None:
        nested = next(iter(pass_.operation.body.ops), None)
        if nested is not None and pass_.context.name(nested) == "func.func":
            pass_.run_pipeline(pipeline_of(outer, shared), nested)
        pass_.emit_remark(f"ran on @{pass_.operation.sym_name.data}")

    outer = session.step("P", do, argument="p")
    add_all(session.manager.nest_any(), [outer, shared])


@both_ways
@pytest.mark.parametrize(
    "share",
    [
        shared_by_a_static_and_a_dynamic_manager,
        shared_by_two_dynamic_managers,
        shared_by_managers_made_for_each_operation,
        shared_with_what_runs_it,
    ],
)
def test_a_pass_may_be_in_several_dynamic_managers_and_a_static_one(
    share: Callable[[Session, Pass], None],
    verify_each: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """Copies run: each place sees its own operations and counts for itself."""
    text = FUNCTIONS
    if share is shared_with_what_runs_it:
        text = "\n".join(
            f"module @m{name} {{ func.func @{name}() {{ return }} }}" for name in "abc"
        )
    shown: list[tuple[object, object]] = []
    for num_threads in (0, 2):
        session = Session(text)
        session.manager.verify_each = verify_each
        if num_threads:
            session.manager.enable_multithreading(max_workers=num_threads)
        share(session, Tally())
        for _ in range(2):
            failure = None
            try:
                session.run()
            except PassFailure as error:
                failure = str(error)
            shown.append((failure, session.manager.statistics_report()))
        shown.append((sorted(session.log.events), session.diagnostics))

    assert shown[3:] == shown[:3]
    if share is not shared_with_what_runs_it:
        assert "pass 'tally' failed on 'func.func' operation: @b" in str(shown[0][0])
    else:
        assert shown[0][0] is None
        assert "remark: ran on @mc" in session.diagnostics[-2]


def test_a_pipeline_runs_as_it_is_when_it_is_run() -> None:
    class Say(OperationPass[PassOptions]):
        word = ""

        def run_on_operation(self) -> None:
            self.emit_remark(self.word)

    session = Session(FUNCTIONS)
    say = Say()
    inner = pipeline_of(say)

    def do(pass_: Running) -> None:
        say.word = f"this is {pass_.operation.sym_name.data}"
        pass_.run_pipeline(inner, pass_.operation)

    session.manager.nest("func.func").add_pass(session.step("P", do))
    session.run()

    assert [each.partition("remark: ")[2] for each in session.diagnostics] == [
        "this is a",
        "this is b",
    ]


# What is shared with the run.


def test_analyses_of_the_run_are_seen_inside_and_ended_from_inside() -> None:
    session = Session(FUNCTIONS)
    inner = pipeline_of(
        session.step("Q", lambda pass_: look(pass_, keep=True)),
        session.step("R", lambda pass_: look(pass_, keep=False)),
        session.step("S", lambda pass_: look(pass_, keep=True)),
    )

    def look(pass_: Running, *, keep: bool) -> None:
        if pass_.get_cached_analysis(Size):
            pass_.log.add(f"{pass_.name} has Size")
        if keep:
            pass_.mark_all_analyses_preserved()

    def do(pass_: Running) -> None:
        pass_.get_analysis(Size)
        pass_.run_pipeline(inner, pass_.operation)
        look(pass_, keep=True)

    session.manager.add_pass(session.step("P", do))

    assert [event for event in session.run() if "has" in event] == [
        "Q has Size",
        "R has Size",
    ]


@both_ways
def test_analyses_survive_a_dynamic_pipeline_that_preserves_them(
    *, verify_each: bool
) -> None:
    session = Session(verify_each=verify_each)
    inner = pipeline_of(
        session.step("Q", lambda pass_: pass_.mark_all_analyses_preserved())
    )

    def do(pass_: Running) -> None:
        before = pass_.get_analysis(Size)
        pass_.run_pipeline(inner, pass_.operation)
        assert pass_.get_cached_analysis(Size) is before

    session.manager.add_pass(session.step("P", do))
    session.run()


def raise_now(_: Running) -> None:
    raise ValueError


@both_ways
def test_no_analysis_survives_a_dynamic_pipeline_that_failed(
    *, verify_each: bool
) -> None:
    session = Session(verify_each=verify_each)
    inner = pipeline_of(session.step("Q", raise_now))

    def do(pass_: Running) -> None:
        pass_.get_analysis(Size)
        pass_.run_pipeline(inner, pass_.operation)
        assert pass_.get_cached_analysis(Size) is None

    session.manager.add_pass(session.step("P", do))
    session.run()


@both_ways
def test_a_pass_inside_ends_analyses_it_never_asked_for(*, verify_each: bool) -> None:
    session = Session(FUNCTIONS, verify_each=verify_each)
    inner = pipeline_of(session.step("Q"))

    def do(pass_: Running) -> None:
        function = first_function(pass_.operation)
        pass_.get_analysis(Size)
        pass_.get_child_analysis(Size, function)
        pass_.run_pipeline(inner, function)
        assert pass_.get_cached_child_analysis(Size, function) is None
        assert pass_.get_cached_analysis(Size) is not None
        pass_.run_pipeline(inner, pass_.operation)
        assert pass_.get_cached_analysis(Size) is None

    session.manager.add_pass(session.step("P", do))
    session.run()


# Dialects.


def test_a_pass_that_keeps_its_pipeline_declares_its_dialects() -> None:
    class Keeping(OperationPass[PassOptions]):
        def __init__(self) -> None:
            super().__init__()
            self.pipeline = pipeline_of(step("Q", dependent_dialects=("scf",)))

        def run_on_operation(self) -> None:
            assert isinstance(self.context, XDSLContext)
            assert self.context.is_loaded("scf")
            assert self.run_pipeline(self.pipeline, self.operation)

    session = Session()
    session.manager.add_pass(Keeping())
    session.run()


class Keeping(OperationPass[PassOptions]):
    argument = "keeping"

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[object] = [OpPassManager()]
        self.kept.append(self.kept)

    def run_on_operation(self) -> None:
        """Do nothing."""


def test_a_pass_that_keeps_itself_is_refused() -> None:
    """Directly, or in what a pass inside keeps: there would be no end to copies."""
    for kept_inside in (1, 2):
        session = Session()
        around = Keeping()
        innermost = around
        for _ in range(1, kept_inside):
            innermost = Keeping()
            pipeline = around.kept[0]
            assert isinstance(pipeline, OpPassManager)
            pipeline.add_pass(innermost)
        innermost.kept.append(pipeline_of(around))
        session.manager.add_pass(around)
        for fails in (session.run, around.clone, session.manager.copy):
            with pytest.raises(SchedulingError) as raised:
                fails()
            assert str(raised.value) == (
                "pass 'keeping' keeps a pass manager that holds the pass itself: give "
                "the manager another pass, or make the manager when the pass runs"
            )


def test_a_list_that_holds_itself_is_no_pipeline() -> None:
    session = Session()
    session.manager.add_pass(Keeping())
    session.run()

    clone = Keeping().clone()
    assert clone.kept[1] is clone.kept


def test_a_pass_may_run_a_copy_of_a_pipeline() -> None:
    session = Session(FUNCTIONS)
    inner = pipeline_of(session.step("Q"))

    def do(pass_: Running) -> None:
        pass_.run_pipeline(inner.copy(), pass_.operation)

    session.manager.nest("func.func").add_pass(session.step("P", do))

    assert session.run() == ["P @a", "Q @a", "P @b", "Q @b"]


def test_a_program_may_be_ended_from_a_dynamic_pipeline() -> None:
    session = Session(FUNCTIONS)

    def leave(_: Running) -> None:
        raise SystemExit(3)

    inner = pipeline_of(session.step("Q", leave))
    session.manager.nest("func.func").add_pass(session.step("P", running(inner)))

    with pytest.raises(SystemExit) as left:
        session.run()
    assert left.value.code == 3
    assert session.log.events == ["P @a", "Q @a", "P @b", "Q @b"]
