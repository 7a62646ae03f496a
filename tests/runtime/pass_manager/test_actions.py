"""Action handlers stand around the execution of each pass on each operation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from passgen_runtime import (
    ActionHandler,
    OpPassManager,
    PassExecution,
    PassFailure,
)
from passgen_runtime.passes.generated.transforms_passes import SymbolPrivatizeOptions
from passgen_runtime.passes.symbol_privatize import SymbolPrivatize
from tests.recording import Running, Session, step

FUNCTIONS = "func.func @a() { return } func.func @b() { return }"
Run = Callable[[], bool]


def named(log: list[str], name: str) -> ActionHandler:
    """Return a handler that notes when it begins and ends."""

    def handle(action: PassExecution, run: Run) -> None:
        log.append(f"{name} begins {action.path}")
        has_succeeded = run()
        log.append(f"{name} ends {has_succeeded}")

    return handle


def test_an_action_says_which_pass_runs_where_and_how_deep() -> None:
    session = Session(FUNCTIONS)
    session.manager.add_pass(step("First", argument="first"))
    session.manager.nest("func.func").add_pass(step("Inner", argument="inner"))
    actions: list[tuple[str, str, str, str, int]] = []

    def keep(action: PassExecution, run: Run) -> None:
        name = session.context.symbol_name(action.operation) or "module"
        actions.append((action.tag, action.path, action.options, name, action.depth))
        run()

    session.manager.add_action_handler(keep)
    session.run()

    inner = "builtin.module/func.func[1]/inner[0]"
    assert actions == [
        ("pass-execution", "builtin.module/first[0]", "", "module", 0),
        ("pass-execution", inner, "", "a", 1),
        ("pass-execution", inner, "", "b", 1),
    ]


def test_several_handlers_stand_inside_one_another() -> None:
    session = Session()
    session.manager.add_pass(session.step("P", argument="p"))
    for name in ("outer", "inner"):
        session.manager.add_action_handler(named(session.log.events, name))
    session.run()

    assert session.log.events == [
        "outer begins builtin.module/p[0]",
        "inner begins builtin.module/p[0]",
        "P builtin.module",
        "inner ends True",
        "outer ends True",
    ]


def test_a_handler_may_skip_a_pass_and_put_ir_in_place() -> None:
    session = Session(FUNCTIONS)
    functions = session.manager.nest("func.func")
    functions.add_pass(session.step("P", argument="p"))

    def rename(action: PassExecution, run: Run) -> None:
        if session.context.symbol_name(action.operation) == "b":
            run()
        else:
            action.operation.properties["sym_name"] = type(
                action.operation.properties["sym_name"]
            )("kept")

    session.manager.add_action_handler(rename)
    session.run()

    assert session.log.events == ["P @b"]
    assert "@kept" in session.context.print(session.module)


@pytest.mark.parametrize("swallows", [False, True])
def test_a_pass_that_fails_fails_whatever_the_handler_does(*, swallows: bool) -> None:
    session = Session()

    def fail(_: Running) -> None:
        message = "broken"
        raise ValueError(message)

    session.manager.add_pass(session.step("P", fail, argument="p"))
    outcomes: list[bool] = []

    def handle(_: PassExecution, run: Run) -> None:
        outcomes.append(run())
        if not swallows:
            raise RuntimeError

    session.manager.add_action_handler(handle)
    with pytest.raises(PassFailure, match="pass 'p' failed") as raised:
        session.run()
    assert outcomes == [False]
    assert isinstance(raised.value.__cause__, ValueError)


def test_an_error_of_a_handler_fails_the_pass() -> None:
    session = Session()
    session.manager.add_pass(session.step("P", argument="p"))

    def handle(_: PassExecution, run: Run) -> None:
        run()
        message = "of the handler"
        raise ValueError(message)

    session.manager.add_action_handler(handle)
    with pytest.raises(PassFailure, match="pass 'p' failed") as raised:
        session.run()
    assert str(raised.value.__cause__) == "of the handler"


def test_passes_of_dynamic_pipelines_are_actions_below_the_pass_that_runs_them() -> (
    None
):
    session = Session(FUNCTIONS)
    paths: list[str] = []

    def keep(action: PassExecution, run: Run) -> None:
        paths.append(f"{action.depth} {action.path}")
        run()

    def run_inner(pass_: Running) -> None:
        pipeline = OpPassManager("builtin.module")
        pipeline.add_pass(step("Q", argument="q"))
        pass_.run_pipeline(pipeline, pass_.operation)

    session.manager.add_pass(session.step("P", run_inner, argument="p"))
    session.manager.add_action_handler(keep)
    session.run()

    assert paths == [
        "0 builtin.module/p[0]",
        "1 builtin.module/p[0]/builtin.module/q[0]",
    ]


def test_threads_execute_inside_the_handlers_too() -> None:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(step("P", argument="p"))
    paths: list[str] = []

    def keep(action: PassExecution, run: Run) -> None:
        paths.append(action.path)
        run()

    session.manager.add_action_handler(keep)
    session.manager.enable_multithreading(max_workers=2)
    session.run()

    assert paths == ["builtin.module/func.func[0]/p[0]"] * 2


def test_a_handler_that_is_removed_is_not_called() -> None:
    session = Session()
    session.manager.add_pass(session.step("P", argument="p"))
    handler = named(session.log.events, "outer")
    session.manager.add_action_handler(handler)
    session.manager.remove_action_handler(handler)
    session.run()

    assert session.log.events == ["P builtin.module"]
    with pytest.raises(ValueError, match="not in list"):
        session.manager.remove_action_handler(handler)


def test_options_are_as_the_pipeline_spells_them() -> None:
    pass_ = SymbolPrivatize(SymbolPrivatizeOptions(exclude=["f"]))
    assert PassExecution(pass_, None, "", 0).options == "exclude={f}"
