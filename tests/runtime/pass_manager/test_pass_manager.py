"""Pass managers: what they hold, copy and print, and runs one after the other."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from passgen_runtime import (
    UINT32,
    DialectError,
    OperationPass,
    OpPassManager,
    PassFailure,
    PassManager,
    PassOptions,
    SchedulingError,
    option,
    statistic,
)
from passgen_runtime.context import Context, Operation, OperationInfo
from passgen_runtime.pass_instrumentation import PassInstrumentation
from tests.recording import FUNCTIONS, Running, Session, add_all, step


@dataclass(kw_only=True)
class CountOptions(PassOptions):
    step: int = option("step", UINT32, default=1, description="What is added.")


class Count(OperationPass[CountOptions]):
    argument = "count"
    num_seen = statistic("num-seen", "Operations seen.")

    def run_on_operation(self) -> None:
        self.num_seen += self.options.step


# Holding passes.


def test_a_manager_holds_passes_and_managers_in_order() -> None:
    manager = OpPassManager("builtin.module")
    assert len(manager) == 0
    assert manager

    first, second = step("P"), step("Q")
    manager.add_pass(first)
    manager.nest("func.func").add_pass(second)

    assert len(manager) == 2
    assert list(manager.passes()) == [first, second]


def test_a_manager_is_any_unless_told() -> None:
    assert OpPassManager().is_op_agnostic
    assert not OpPassManager("func.func").is_op_agnostic


def test_the_printed_pipeline_is_what_was_built() -> None:
    manager = OpPassManager()
    manager.add_pass(Count(CountOptions(step=2)))
    manager.nest_any().add_pass(step("P"))
    manager.nest("func.func")

    assert str(manager) == "any(count{step=2},any(unknown<P>),func.func())"


def test_managers_are_equal_by_passes_and_options() -> None:
    def build(size: int, anchor: str = "any") -> OpPassManager:
        manager = OpPassManager()
        manager.nest(anchor).add_pass(Count(CountOptions(step=size)))
        return manager

    assert build(1) == build(1)
    assert build(1) != build(2)
    assert build(1) != build(1, "func.func")
    assert build(1) != "any(any(count))"


def test_a_manager_that_was_cleared_keeps_its_settings() -> None:
    session = Session(FUNCTIONS, verify_each=False)
    nested = session.manager.nest("func.func")
    nested.add_pass(session.step("P"))
    assert session.run() == ["P @a", "P @b"]

    session.manager.clear()
    nested.clear()
    assert (str(session.manager), str(nested)) == ("builtin.module()", "func.func()")
    assert session.run() == []
    assert session.manager.unmatched_pipelines() == []
    session.manager.add_pass(session.step("Q"))
    assert session.run() == ["Q builtin.module"]
    assert not session.manager.verify_each


def test_a_pipeline_can_be_added_to_a_manager_of_its_anchor() -> None:
    session = Session(FUNCTIONS)
    pipeline = OpPassManager("builtin.module")
    pipeline.nest("func.func").add_pass(session.step("P"))
    for _ in range(2):
        session.manager.add_pipeline(pipeline)

    assert session.run() == ["P @a", "P @a", "P @b", "P @b"]
    with pytest.raises(SchedulingError) as error:
        session.manager.add_pipeline(OpPassManager("func.func"))
    assert str(error.value) == (
        "can't add a pipeline anchored on 'func.func' to a pass manager anchored on "
        "'builtin.module'"
    )


# Copies.


def test_a_copy_of_a_pass_keeps_options_and_starts_counting_anew() -> None:
    original = Count(CountOptions(step=3))
    original.num_seen += 5

    duplicate = original.clone()
    duplicate.options.step = 4

    assert (original.options.step, int(original.num_seen)) == (3, 5)
    assert (duplicate.options.step, int(duplicate.num_seen)) == (4, 0)


def test_a_copy_of_a_pass_shares_objects_but_not_containers() -> None:
    original: Any = step("P")
    original.table = object()
    original.nested = {"list": [1, [2]], "set": {3}, "deque": deque([[4]])}
    original.pair = ([5], original)
    original.itself = original.nested["itself"] = original.nested
    original.pipeline = OpPassManager()
    original.pipeline.add_pass(Count())

    duplicate: Any = original.clone()
    duplicate.nested["list"][1].append(0)
    duplicate.nested["set"].add(0)
    duplicate.nested["deque"][0].append(0)
    duplicate.pair[0].append(0)

    assert duplicate.table is original.table
    assert duplicate.log is original.log
    assert original.nested["list"] == [1, [2]]
    assert original.nested["set"] == {3}
    assert original.nested["deque"] == deque([[4]])
    assert original.pair[0] == [5]
    assert duplicate.pair[1] is duplicate
    assert duplicate.nested["itself"] is duplicate.nested is duplicate.itself
    assert duplicate.pipeline == original.pipeline
    assert duplicate.pipeline.elements[0] is not original.pipeline.elements[0]


def test_a_copy_of_a_manager_runs_copies_of_its_passes() -> None:
    session = Session(FUNCTIONS, verify_each=False)
    session.manager.nest("func.func").add_pass(Count())
    duplicate = session.manager.copy()
    duplicate.run(session.module)

    assert duplicate == session.manager
    assert duplicate.verify_each is False
    assert duplicate.statistics_report("list").splitlines()[3:5] == [
        "  Count",
        "    (S) 2 num-seen - Operations seen.",
    ]
    assert session.manager.statistics_report("list").splitlines()[4] == (
        "    (S) 0 num-seen - Operations seen."
    )


# Runs.


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_manager_is_copied_in_one_way(
    duplicate: Callable[[PassManager], PassManager],
) -> None:
    """Two managers that share a list of passes, or a lock, would meet in them."""

    class OnModules(PassManager):
        def __init__(self, context: Context, title: str) -> None:
            super().__init__(context)
            self.title = title

    session = Session(FUNCTIONS)
    session.manager = OnModules(session.context, "mine")
    session.manager.nest("func.func").add_pass(session.step("P"))
    session.run()

    copied = duplicate(session.manager)
    copied.add_pass(session.step("Q"))
    session.log.events.clear()
    copied.run(session.module)

    assert session.log.events == ["P @a", "P @b", "Q builtin.module"]
    assert len(session.manager) == 1
    assert isinstance(copied, OnModules)
    assert (copied.title, copied.context) == ("mine", session.context)


@pytest.mark.parametrize("anchor", ["builtin.module", "any"])
def test_a_manager_runs_on_any_root_it_is_anchored_on(anchor: str) -> None:
    session = Session(FUNCTIONS, anchor=anchor)
    session.manager.add_pass(session.step("P"))
    assert session.run() == ["P builtin.module"]


def test_a_manager_runs_on_one_function() -> None:
    session = Session(FUNCTIONS, anchor="func.func")
    session.module = list(session.module.ops)[1]
    session.manager.add_pass(session.step("P"))
    assert session.run() == ["P @b"]


def test_an_operation_may_be_erased_while_its_siblings_wait() -> None:
    session = Session(FUNCTIONS, verify_each=False)
    session.manager.nest("func.func").add_pass(
        session.step("P", lambda pass_: pass_.operation.detach())
    )

    assert session.run() == ["P @a", "P @b"]
    assert list(session.module.ops) == []


changes: dict[str, Callable[[Session], object]] = {
    "a pass is added": lambda session: session.manager.nest("func.func").add_pass(
        session.step("new")
    ),
    "a pass is replaced": lambda session: session.manager.elements.__setitem__(
        0, session.step("new")
    ),
    "an element is removed": lambda session: session.manager.elements.pop(),
    "verification is switched off": lambda session: setattr(
        session.manager, "verify_each", False
    ),
    "threads are switched on": lambda session: session.manager.enable_multithreading(
        max_workers=2
    ),
    "nothing": lambda _: None,
}
expected = {
    "a pass is added": ["P module", "Q @a", "new @a", "Q @b", "new @b"],
    "a pass is replaced": ["new module", "Q @a", "Q @b"],
    "an element is removed": ["P module"],
}


@pytest.mark.parametrize("change", changes)
def test_each_run_runs_what_the_manager_holds_then(change: str) -> None:
    session = Session(f"module @module {{ {FUNCTIONS} }}")
    session.manager.add_pass(session.step("P"))
    session.manager.nest("func.func").add_pass(session.step("Q"))
    before = session.run()
    assert before == ["P @module", "Q @a", "Q @b"]

    changes[change](session)

    after = [event.replace("@module", "module") for event in session.run()]
    default = [event.replace("@module", "module") for event in before]
    if change == "threads are switched on":
        after.sort()
    assert after == expected.get(change, default)


def test_a_filter_may_answer_anew_in_each_run() -> None:
    accepted = {"func.func"}

    def can_schedule_on(_: object, info: OperationInfo) -> bool:
        return info.name in accepted

    session = Session(f"module @m {{}}\n{FUNCTIONS}")
    session.manager.nest_any().add_pass(
        session.step("P", can_schedule_on=can_schedule_on)
    )
    assert session.run() == ["P @a", "P @b"]

    accepted.add("builtin.module")

    assert session.run() == ["P @m", "P @a", "P @b"]


def test_two_managers_may_run_the_same_passes_in_turn() -> None:
    session = Session(FUNCTIONS)
    shared = session.step("P")
    other = PassManager(session.context)
    session.manager.nest("func.func").add_pass(shared)
    other.add_pass(shared)

    for _ in range(2):
        assert session.run() == ["P @a", "P @b"]
        session.log.events.clear()
        other.run(session.module)
        assert session.log.events == ["P builtin.module"]


@pytest.mark.parametrize("num_threads", [0, 2])
def test_a_pass_that_runs_cannot_run_in_another_manager(num_threads: int) -> None:
    session = Session(FUNCTIONS)
    shared = session.step("P", lambda _: other.run(session.module), argument="p")
    other = PassManager(session.context)
    other.add_pass(shared)
    session.manager.nest("func.func").add_pass(shared)
    if num_threads:
        session.manager.enable_multithreading(max_workers=num_threads)

    with pytest.raises(PassFailure) as failure:
        session.run()
    assert str(failure.value.__cause__) == (
        "pass 'p' runs in another pass manager now: give one of them a clone() of it"
    )
    assert sorted(session.log.events) == ["P @a", "P @b"]

    # It is free again, whatever happened.
    shared.do = None  # type: ignore[attr-defined] # of the recording passes
    other.run(session.module)


def test_a_pass_that_does_not_run_has_no_operation() -> None:
    session = Session()
    pass_ = session.step("P")
    session.manager.add_pass(pass_)
    session.run()

    for idle in (pass_, pass_.clone()):
        with pytest.raises(RuntimeError) as error:
            _ = idle.operation
        assert str(error.value) == "pass 'P' is not running: it has no operation"


def test_a_manager_cannot_run_inside_itself() -> None:
    session = Session()
    session.manager.add_pass(
        session.step("P", lambda _: session.manager.run(session.module), argument="p")
    )

    with pytest.raises(PassFailure) as failure:
        session.run()
    assert str(failure.value.__cause__) == (
        "the pipeline 'builtin.module(p)' is already running\n"
        "note: run a copy() of it in another thread"
    )


# Dialects.


def test_dependent_dialects_are_loaded_before_the_first_pass() -> None:
    session = Session(FUNCTIONS)
    loaded: list[bool] = []

    def do(pass_: Running) -> None:
        loaded.append(pass_.context.is_loaded("scf"))

    session.manager.add_pass(session.step("P", do))
    functions = session.manager.nest("func.func")
    functions.add_pass(session.step("Q", dependent_dialects=("scf", "arith")))
    assert not session.context.is_loaded("scf")
    session.run()

    assert loaded == [True]


def test_dialects_of_a_pipeline_that_a_pass_keeps_are_loaded_too() -> None:
    session = Session()
    inner = OpPassManager()
    inner.nest("func.func").add_pass(step("Q", dependent_dialects=("scf",)))
    for attribute in (inner, [inner], {"key": (inner,)}):
        outer: Any = session.step("P", dependent_dialects=("arith",))
        outer.kept = attribute
        assert list(outer.get_dependent_dialects()) == ["arith", "scf"]


def test_a_dialect_that_is_not_registered_is_an_error() -> None:
    session = Session()
    session.manager.add_pass(session.step("P", dependent_dialects=("aritth",)))

    with pytest.raises(DialectError) as error:
        session.run()
    assert str(error.value) == (
        "dialect 'aritth' is not registered\nnote: did you mean 'arith'?"
    )


loads: dict[str, Callable[[Any], object]] = {
    "through the context": lambda context: context.load_dialects(["scf"]),
    "through xDSL's context": lambda context: context.xdsl.get_op("scf.for"),
    "by name in xDSL's context": lambda context: context.xdsl.load_registered_dialect(
        "scf"
    ),
    "by a parsed type": lambda context: context.xdsl.get_type("scf.token"),
}


@pytest.mark.parametrize("how", loads)
@pytest.mark.parametrize("when", ["run_on_operation", "initialize"])
def test_loading_a_dialect_during_a_run_is_an_error(how: str, when: str) -> None:
    session = Session()

    def initialize(_: object, context: Context) -> None:
        if when == "initialize":
            loads[how](context)

    def do(pass_: Running) -> None:
        if when == "run_on_operation":
            loads[how](pass_.context)

    session.manager.add_pass(session.step("P", do, argument="p", initialize=initialize))

    with pytest.raises(PassFailure) as failure:
        session.run()

    subject = "its initialization"
    if when == "run_on_operation":
        subject = "'builtin.module' operation at input.mlir:0:0"
    assert str(failure.value) == (
        "dialect 'scf' is not loaded, and cannot be while a pipeline runs: declare it "
        "in the dependentDialects of the pass\n"
        f"note: pass 'p' failed on {subject}\n"
        "note: in the pipeline builtin.module(p)"
    )
    assert not session.context.is_loaded("scf")
    session.context.load_dialects(["scf"])
    assert session.context.is_loaded("scf")


# Instrumentation.


def test_an_instrumentation_may_be_added_between_runs() -> None:
    seen: list[str] = []

    class Watch(PassInstrumentation):
        def run_before_pass(self, pass_: Running, operation: Operation) -> None:
            del operation
            seen.append(pass_.name)

    session = Session(verify_each=False)
    add_all(session.manager, [session.step("P")])
    session.run()
    session.manager.add_instrumentation(Watch())
    session.run()

    assert seen == ["P"]
