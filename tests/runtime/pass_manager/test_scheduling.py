"""Which pass runs on which operation, and when."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from passgen_runtime import (
    OperationPass,
    OpPassManager,
    PassFailure,
    PassManager,
    PassOptions,
    SchedulingError,
)
from passgen_runtime.context import Operation, OperationInfo
from passgen_runtime.ir.xdsl import XDSLContext
from tests.recording import FUNCTIONS, NESTED, Session, add_all, step


def only_on(*names: str) -> dict[str, Any]:
    """Return a filter on operation names, written by hand."""

    def can_schedule_on(_: object, info: OperationInfo) -> bool:
        return info.name in names

    return {"can_schedule_on": can_schedule_on}


def test_a_manager_nested_in_an_implicit_one_is_implicit() -> None:
    nested = OpPassManager("builtin.module", nesting="implicit").nest("builtin.module")
    nested.add_pass(step("P", anchor="func.func", argument="p"))

    assert str(nested) == "builtin.module(func.func(p))"


@pytest.mark.parametrize(
    "attributes",
    [{"interface": "FunctionOpInterface"}, only_on("func.func")],
    ids=["interface", "filter"],
)
def test_a_filter_is_checked_when_a_pass_is_added(attributes: dict[str, Any]) -> None:
    manager = PassManager(XDSLContext())

    with pytest.raises(SchedulingError) as error:
        manager.add_pass(step("P", **attributes))

    assert str(error.value) == (
        "unable to schedule pass 'P' on a PassManager intended to run on "
        "'builtin.module'!"
    )


def test_a_filter_is_checked_before_the_run_where_no_context_is_known() -> None:
    session = Session(FUNCTIONS)
    nested = OpPassManager("builtin.module")
    nested.add_pass(session.step("P", interface="FunctionOpInterface"))
    session.manager.elements.append(nested)

    with pytest.raises(SchedulingError, match="unable to schedule pass 'P'"):
        session.run()


def test_a_manager_without_passes_asks_nothing_of_its_anchor() -> None:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").nest("func.return")

    assert session.run() == []


def test_a_pass_cannot_be_in_two_managers() -> None:
    session = Session(NESTED)
    shared = session.step("P", argument="p")
    session.manager.nest("func.func").add_pass(shared)
    session.manager.nest("builtin.module").add_pass(shared)

    with pytest.raises(SchedulingError) as error:
        session.run()

    assert str(error.value) == (
        "pass 'p' is in two pass managers at once: give one of them a clone() of it"
    )


def test_a_pass_may_be_in_one_manager_twice() -> None:
    session = Session(NESTED)
    shared = session.step("P")
    add_all(session.manager.nest("func.func"), [shared, shared])

    assert session.run() == ["P @a", "P @a"]


@pytest.mark.parametrize("num_functions", [1, 100])
def test_dispatch_asks_once_for_each_type(num_functions: int) -> None:
    calls: Counter[str] = Counter()

    class CountingContext(XDSLContext):
        def name(self, operation: Operation) -> str:
            calls["name"] += 1
            return super().name(operation)

    class Silent(OperationPass[PassOptions]):
        def can_schedule_on(self, info: OperationInfo) -> bool:
            calls[f"can_schedule_on {info.name}"] += 1
            return info.name == "func.func"

        def run_on_operation(self) -> None:
            pass

    context = CountingContext()
    text = "".join(f"func.func @f{i}() {{ return }}\n" for i in range(num_functions))
    module = context.parse(f"{text}module @m {{}}", "input.mlir")
    manager = PassManager(context)
    manager.verify_each = False
    manager.nest_any().add_pass(Silent())

    manager.run(module)

    assert calls == {
        "name": 3,  # of the root, and of the first operation of each type
        "can_schedule_on func.func": 1,
        "can_schedule_on builtin.module": 1,
    }


def test_pipelines_that_met_no_operation_are_known() -> None:
    session = Session(NESTED)
    session.manager.nest("func.func").add_pass(session.step("P", argument="p"))
    inner = session.manager.nest("builtin.module")
    inner.nest("builtin.module").add_pass(session.step("Q", argument="q"))
    gpu = session.manager.nest("gpu.module")
    gpu.nest("gpu.func").add_pass(session.step("R", argument="r"))

    session.run()

    assert session.manager.unmatched_pipelines() == [
        "builtin.module(q)",
        "gpu.module(gpu.func(r))",
    ]


def test_what_met_no_operation_is_that_of_the_last_run() -> None:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(session.step("P", argument="p"))
    session.run()
    assert session.manager.unmatched_pipelines() == []

    session.module = session.context.parse("", "empty.mlir")
    session.run()

    assert session.manager.unmatched_pipelines() == ["func.func(p)"]


def test_what_met_no_operation_is_known_with_threads_too() -> None:
    session = Session("module @m { func.func @a() { return } }\nmodule @n {}")
    inner = session.manager.nest("builtin.module")
    inner.nest("func.func").add_pass(session.step("P"))
    inner.nest("gpu.module").add_pass(session.step("Q", argument="q"))
    session.manager.enable_multithreading(max_workers=2)

    session.run()

    assert session.manager.unmatched_pipelines() == ["gpu.module(q)"]


def test_an_unknown_anchor_is_warned_of_when_nested() -> None:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").nest_any()

    session.manager.nest("func.fun")

    (warning,) = session.diagnostics
    assert warning.splitlines() == [
        "pass-pipeline: warning: 'func.fun' does not refer to a registered operation",
        "note: did you mean 'func.func'?",
    ]


def test_a_run_in_which_nothing_matched_says_so() -> None:
    session = Session(FUNCTIONS)
    for anchor in ("func.func", "builtin.module"):
        session.manager.nest("builtin.module").nest(anchor).add_pass(session.step("P"))

    assert session.run() == []

    (warning,) = session.diagnostics
    assert warning == (
        "pass-pipeline: warning: the nested pipeline builtin.module("
        "builtin.module(unknown<P>),func.func(unknown<P>)) matched no operation"
    )


def test_a_run_in_which_anything_matched_says_nothing() -> None:
    session = Session(FUNCTIONS)
    for anchor in ("func.func", "builtin.module"):
        session.manager.nest(anchor).add_pass(session.step("P"))

    session.run()

    assert session.diagnostics == []
    session.manager.warn_about_unmatched()
    assert len(session.diagnostics) == 1


SYMBOLS = """\
module @named { }
module { }
module @last { }
"""


@pytest.mark.parametrize("anchor", ["builtin.module", "any"])
@pytest.mark.parametrize("verify_each", [True, False])
@pytest.mark.parametrize("is_threaded", [True, False])
def test_a_pass_on_symbols_refuses_an_operation_without_a_name(
    anchor: str, *, verify_each: bool, is_threaded: bool
) -> None:
    """The type decides which operations a pipeline runs on: this one is no symbol."""
    session = Session(SYMBOLS, verify_each=verify_each)
    nested = session.manager.nest(anchor)
    nested.add_pass(session.step("P"))
    nested.add_pass(session.step("Q", interface="SymbolOpInterface"))
    nested.add_pass(session.step("R"))
    if is_threaded:
        session.manager.enable_multithreading(max_workers=1)

    with pytest.raises(PassFailure, match="pass 'Q' failed"):
        session.run()
    assert session.log.events == [
        *("P @named", "Q @named", "R @named"),
        "P builtin.module",
        *("P @last", "Q @last", "R @last"),
    ]
    assert session.diagnostics == [
        (
            "input.mlir:2:1: error: 'builtin.module' op trying to schedule pass 'Q' on "
            "an unsupported operation"
        )
    ]
