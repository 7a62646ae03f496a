"""What is refused before anything is sent, what workers refuse, and what stays here."""

from __future__ import annotations

import json
import math
import threading
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from operator import itemgetter
from typing import Any

import pytest
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute

from passgen_runtime import (
    Diagnostic,
    IRError,
    OperationPass,
    OpPassManager,
    Pass,
    PassExecution,
    PassFailure,
    PassInstrumentation,
    PassOptions,
    SchedulingError,
)
from passgen_runtime.context import Operation
from passgen_runtime.instrumentations.pass_timing import PassTiming
from passgen_runtime.instrumentations.timing_manager import TimingManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry import parse_pass_pipeline
from passgen_runtime.passes import shipped_registry
from passgen_tools.adaptors.xdsl import XDSLTransport, attribute_tables
from passgen_tools.workers import (
    ProcessPool,
    Workers,
    check_is_sendable,
    run_operations,
)
from passgen_tools.workers.messages import WorkerReply
from tests.recording import Session
from tests.tools.workers.passes_for_workers import (
    Count,
    Holds,
    Mischief,
    MischiefOptions,
    NameLength,
    Nameless,
    WithTable,
    Work,
)
from tests.tools.workers.running import (
    CALLING,
    NUM_FUNCTIONS,
    shown,
    workers_of,
)


class Sent(Executor):
    """Keeps what is sent, and answers nothing."""

    num_workers = 1

    def submit(self, *args: Any, **_: Any) -> Any:  # noqa: ANN401 - see above
        raise AssertionError(f"sent: {args}")


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def session_with(*passes: Pass) -> Session:
    session = Session(CALLING)
    nested = session.manager.nest("func.func")
    for pass_ in passes:
        nested.add_pass(pass_)
    return session


def refusal(pass_: Pass) -> str:
    session = session_with(Count(), pass_)
    with pytest.raises(SchedulingError) as error:
        session.manager.run(session.module, workers_of(Sent()))
    assert "counted" not in session.context.print(session.module)
    return str(error.value)


def test_a_pass_of_the_main_program_is_refused_by_name() -> None:
    here = {"__module__": "__main__", "argument": "my-pass"}
    cls = type("MyPass", (Count,), here)
    assert refusal(cls()) == (
        "pass 'my-pass' cannot be sent to a worker: its class MyPass is in the main "
        "program or a notebook\nnote: define it at the top of a module that workers "
        "can import, or run without an executor"
    )


def test_a_pass_defined_in_a_function_is_refused_by_name() -> None:
    class Inner(OperationPass[PassOptions]):
        argument = "inner"

        def run_on_operation(self) -> None:
            """Do nothing."""

    assert "Inner is defined inside a function" in refusal(Inner())


def test_a_pass_that_holds_more_than_its_options_is_refused() -> None:
    assert refusal(WithTable({"a": 1})) == (
        "pass 'test-with-table' cannot be sent to a worker: its attribute 'table' "
        "differs in a new pass with its options\nnote: workers make it from its class "
        "and its options: add an option"
    )


class Slotted:
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Uncomparable:
    __hash__ = None  # type: ignore[assignment] # compared by value

    def __eq__(self, other: object) -> bool:
        raise ValueError


@dataclass
class Level:
    number: int


@dataclass
class Hidden:
    number: int = field(compare=False)


def closure(number: int) -> Callable[[], int]:
    return lambda: number


def with_default(number: int) -> Callable[[int], int]:
    def returns(given: int = number) -> int:
        return given

    return returns


def owned(number: int) -> OpPassManager:
    """Return a pipeline of one text, with a pass of one of two classes."""
    manager = OpPassManager()
    manager.add_pass((Count, Recount)[number]())
    return manager


class Recount(Count):
    """Another pass with the same argument."""


@pytest.mark.parametrize(
    "make",
    [
        Slotted,
        closure,
        with_default,
        owned,
        itemgetter,
        lambda number: partial(int, number),
        lambda number: iter([number]),
        lambda number: (number, True)[number],
        lambda number: [-0.0] if number else [0.0],
        lambda number: {True} if number else {1},
        lambda number: {True: 0} if number else {1: 0},
        lambda number: deque([1], maxlen=5 if number else 1),
        lambda number: defaultdict(list if number else set),
        lambda number: Level(True if number else 1),
        Hidden,
        lambda number: array("d" if number else "i", [1]),
        lambda number: Decimal("1.00" if number else "1.0"),
        lambda _: Uncomparable(),
        lambda number: (each for each in range(number)),
    ],
)
def test_a_pass_with_other_attributes_than_a_new_one_is_refused(
    make: Callable[[int], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Holds, "make", staticmethod(make), raising=False)
    with pytest.raises(SchedulingError, match="its attribute 'held' differs in a new"):
        check_is_sendable(Holds(1), XDSLContext())


@pytest.mark.parametrize(
    "make",
    [
        Slotted,
        closure,
        with_default,
        owned,
        itemgetter,
        lambda number: partial(int, number),
        lambda _: threading.Lock(),
        lambda _: threading.local(),
        lambda _: {
            "a": [1.5, {2}, bytearray(b"c")],
            "b": defaultdict(list, c=[float("nan")]),
        },
    ],
)
def test_a_pass_with_equal_attributes_is_accepted(
    make: Callable[[int], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Holds, "make", staticmethod(make), raising=False)
    check_is_sendable(Holds(), XDSLContext())


def test_a_pass_without_argument_is_refused() -> None:
    assert "pass 'Nameless' cannot be sent to a worker: it has no argument" in (
        refusal(Nameless())
    )


def test_what_is_no_executor_is_refused() -> None:
    with pytest.raises(TypeError, match=r"expected a concurrent\.futures\.Executor"):
        Workers(4)  # type: ignore[arg-type]


def header_of_a_run() -> dict[str, Any]:
    found: list[bytes] = []

    class Kept(Sent):
        def submit(self, *args: Any, **_: Any) -> Any:  # noqa: ANN401 - as above
            found.append(args[2])
            raise RuntimeError("full")

    session = session_with(Work())
    with pytest.raises(PassFailure, match="takes no work: full"):
        session.manager.run(session.module, workers_of(Kept()))
    header: dict[str, Any] = json.loads(found[0])
    return header


def answer(header: dict[str, Any]) -> str:
    reply = run_operations(json.dumps(header).encode(), b"")
    return WorkerReply.decode(reply).refusal


def test_the_header_is_plain_data_that_names_classes_and_versions() -> None:
    header = header_of_a_run()
    assert header["pipelines"] == ["func.func(test-work)"]
    assert header["passes"] == [f"{Work.__module__}:Work", f"{Work.__module__}:Count"]
    assert header["versions"].keys() == {"Python", "mlir-passgen-runtime", "xdsl"}


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("versions", {"xdsl": "0.0.1"}, "and 0.0.1 in the process that sends it work"),
        ("versions", {"no-such": "1"}, "no-such is not installed on the worker"),
        ("passes", ["no_such:Work"], "the worker has no pass 'no_such:Work': "),
        (
            "transport",
            "no_such:Transport",
            "the worker has no transport 'no_such:Transport'",
        ),
        ("format", 0, "the worker reads tasks of format 2, and gets 0"),
    ],
)
def test_a_worker_that_differs_refuses_and_says_how(
    key: str, value: object, expected: str
) -> None:
    assert expected in answer(header_of_a_run() | {key: value})


@pytest.mark.parametrize("limit_s", [0.0, -1.0, math.nan, math.inf])
def test_error_a_limit_that_is_none(limit_s: float) -> None:
    with pytest.raises(ValueError, match="job_timeout_s must be above 0, and is"):
        Workers(partial(ProcessPool, 1), job_timeout_s=limit_s)


def test_error_a_callable_that_makes_no_executor() -> None:
    session = session_with(Count())
    workers = workers_of(lambda: None)  # type: ignore[arg-type, return-value] # on purpose
    with pytest.raises(PassFailure, match="callable: expected a concurrent"):
        session.manager.run(session.module, workers)


def test_an_instrumentation_without_a_part_in_workers_keeps_the_run_here() -> None:
    class Watch(PassInstrumentation):
        """A user's own."""

    session = session_with(Count())
    session.manager.add_instrumentation(Watch())
    workers = Workers(Sent(), sends_always=True)
    session.manager.run(session.module, workers)
    assert "Watch cannot observe passes in workers" in workers.report[0]
    assert "counted" in session.context.print(session.module)


def test_a_subclass_does_not_inherit_the_part_of_its_base() -> None:
    class PrintingMore(PassTiming):
        """Might print more than a worker would send."""

    session = session_with(Count())
    session.manager.add_instrumentation(PrintingMore(TimingManager()))
    workers = Workers(Sent(), sends_always=True)
    session.manager.run(session.module, workers)
    assert "PrintingMore cannot observe passes in workers" in workers.report[0]


def test_an_action_handler_without_a_part_in_workers_keeps_the_run_here() -> None:
    def skip(_: PassExecution, __: Callable[[], bool]) -> None:
        """Skip each pass."""

    session = session_with(Count())
    session.manager.add_action_handler(skip)
    workers = Workers(Sent(), sends_always=True)
    session.manager.run(session.module, workers)
    assert "skip cannot observe passes in workers" in workers.report[0]
    assert "counted" not in session.context.print(session.module)


def test_analyses_of_the_operation_around_keep_the_run_here() -> None:
    class Analyse(OperationPass[PassOptions]):
        def run_on_operation(self) -> None:
            self.get_child_analysis(NameLength, self.operation.body.block.first_op)
            self.mark_all_analyses_preserved()

    session = Session(CALLING)
    session.manager.add_pass(Analyse())
    session.manager.nest("func.func").add_pass(Count())
    workers = Workers(Sent(), sends_always=True)
    session.manager.run(session.module, workers)
    assert "analyses" in workers.report[0]


def test_work_that_is_done_sooner_than_sent_stays_here() -> None:
    session = session_with(Count())
    workers = Workers(Sent)
    session.manager.run(session.module, workers)
    assert "kept in the parent process" in workers.report[0]


def test_symbols_outside_of_the_operation_are_missing(
    threads: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    options = MischiefOptions(how="look-up", to="f3")
    found = shown(capsys, threads, lambda: [Mischief(options)])
    assert "has no SymbolTable ancestor" in str(found["failure"])
    assert "must not look up others" in str(found["failure"])


def test_what_recurses_too_deeply_in_a_worker_runs_here(
    threads: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    options = MischiefOptions(how="recurse", to="f3")  # fails outside the main thread
    found = shown(capsys, threads, lambda: [Count(), Mischief(options)])
    assert not found["failure"]
    assert str(found["ir"]).count("counted") == NUM_FUNCTIONS


def test_operations_that_workers_cannot_read_run_here(
    threads: Executor,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    alone = shown(capsys, None, lambda: [Work()])
    damaged = IRError(Diagnostic("error", "damaged", "here"))

    def refuse(_: XDSLTransport, data: bytes) -> Iterator[Operation]:
        assert data
        yield from ()
        raise damaged

    monkeypatch.setattr(XDSLTransport, "decode_isolated", refuse)
    assert shown(capsys, threads, lambda: [Work()]) == alone


def test_pipelines_in_options_travel(
    threads: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    def passes() -> list[Pass]:
        text = "any(composite-fixed-point-pass{pipeline=cse,canonicalize})"
        return [*parse_pass_pipeline(text, shipped_registry()).passes()]

    assert shown(capsys, threads, passes) == shown(capsys, None, passes)


def test_operations_that_are_too_large_together_run_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attribute_tables, "_MAX_SIZE", 16_000)
    session = Session("\n".join(f"func.func @f{i}() {{ return }}" for i in range(16)))
    session.manager.nest("func.func").add_pass(Count())
    functions = list(session.module.body.block.ops)
    for number, each in enumerate(functions):
        attribute: Attribute = StringAttr(f"of {number}")
        for _ in range(12):
            attribute = ArrayAttr([attribute, attribute])
        each.attributes["large"] = attribute

    with ThreadPoolExecutor(1) as one:
        workers = Workers(one, sends_always=True)
        session.manager.run(session.module, workers)

    assert all("counted" in each.attributes for each in functions)
    assert len(workers.report) == 1  # no worker had one
