"""When passes are initialized: as often as in MLIR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from passgen_runtime import (
    INT32,
    Pass,
    PassFailure,
    PassManager,
    PassOptions,
    option,
)
from passgen_runtime.ir.xdsl import XDSLContext
from tests.recording import FUNCTIONS, Running, Session, add_all


@dataclass(kw_only=True)
class Number(PassOptions):
    n: int = option("n", INT32, default=1)


def initialized(session: Session, name: str, **attributes: object) -> Pass:
    """Return a pass with an option that logs its initialization."""

    def initialize(_: object, context: object) -> None:
        del context
        session.log.add(f"initialize {name}")

    attributes |= {"initialize": initialize, "options_class": Number}
    return session.step(name, None, **attributes)


@pytest.mark.parametrize("verify_each", [False, True])
def test_initialization_runs_before_the_first_run(*, verify_each: bool) -> None:
    session = Session(FUNCTIONS, verify_each=verify_each)
    session.manager.nest("func.func").add_pass(initialized(session, "P"))

    assert session.run() == ["initialize P", "P @a", "P @b"]
    assert session.run() == ["P @a", "P @b"]


def _append(session: Session) -> None:
    session.manager.add_pass(session.step("New"))


def _remove(session: Session) -> None:
    session.manager.elements.pop()


def _load(session: Session) -> None:
    session.context.load_dialects(["scf"])


def _set_option(session: Session) -> None:
    pass_: Running = session.manager.elements[0]
    pass_.options.n = 2


def _run_elsewhere(session: Session) -> None:
    other = PassManager(XDSLContext())
    other.add_pass(next(session.manager.passes()))
    other.run(other.context.parse("", "other.mlir"))


@pytest.mark.parametrize(
    "change", [_append, _remove, _load, _set_option, _run_elsewhere]
)
def test_initialization_runs_again_after_a_change(
    change: Callable[[Session], None],
) -> None:
    """As in MLIR, all passes are initialized again; there, options cannot change."""
    session = Session()
    add_all(session.manager, [initialized(session, name) for name in "PQR"])
    session.run()

    change(session)
    events = session.run()
    assert [event for event in events if event.startswith("init")] == [
        *("initialize P", "initialize Q"),
        *(() if change is _remove else ("initialize R",)),
    ]
    assert not any(event.startswith("init") for event in session.run())


def test_a_copy_of_a_manager_initializes_its_passes() -> None:
    session = Session()
    session.manager.add_pass(initialized(session, "P"))
    session.run()

    session.manager = session.manager.copy()
    assert session.run() == ["initialize P", "P builtin.module"]


def test_initialization_runs_again_after_it_failed() -> None:
    session = Session()
    is_broken = True

    def initialize(_: object, context: object) -> None:
        if is_broken:
            raise ValueError(context)
        session.log.add("initialize Q")

    session.manager.add_pass(initialized(session, "P"))
    session.manager.add_pass(session.step("Q", initialize=initialize))
    with pytest.raises(PassFailure):
        session.run()

    is_broken = False
    assert session.run()[:2] == ["initialize P", "initialize Q"]


def test_initialization_is_repeated_neither_for_threads_nor_for_filters() -> None:
    """Passes that answer anew in each run are initialized no more often for that."""
    session = Session(FUNCTIONS)
    answers = {"can_schedule_on": lambda _pass, info: info.name == "func.func"}
    session.manager.enable_multithreading(max_workers=1)
    session.manager.nest("func.func").add_pass(initialized(session, "P", **answers))

    assert session.run().count("initialize P") == 1
    assert session.run() == ["P @a", "P @b"]
