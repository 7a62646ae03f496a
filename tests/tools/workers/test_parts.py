"""Instrumentations and action handlers of a user take part in what workers do."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from passgen_runtime import Pass, PassExecution, PassInstrumentation
from passgen_runtime.context import Context, Operation
from passgen_tools.worker_parts import (
    PlainData,
    Send,
    WorkerPart,
    register_part,
)
from passgen_tools.workers import Workers
from tests.recording import Session
from tests.tools.workers.passes_for_workers import Count
from tests.tools.workers.running import CALLING, NUM_FUNCTIONS


class Names(PassInstrumentation):
    """Keeps the name of each operation that a pass has run on, and by whom."""

    def __init__(self) -> None:
        self.names: list[tuple[str, str]] = []

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        del pass_
        self.names.append((operation.sym_name.data, "here"))


class NamesInWorker(PassInstrumentation):
    """Sends the name of each operation."""

    def __init__(self, context: Context, settings: str, send: Send) -> None:
        del context
        self._prefix = settings
        self._send = send

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        del pass_
        self._send(f"{self._prefix}{operation.sym_name.data}")


class NamesPart(WorkerPart):
    """The part of `Names`."""

    factory = f"{__name__}:NamesInWorker"
    settings = "@"

    def __init__(self, instrumentation: Names) -> None:
        self._names = instrumentation.names

    def take(self, data: PlainData, worker: str, operation: Operation) -> None:
        del worker
        self._names.append((data, operation.sym_name.data))


class Skip:
    """An action handler that skips passes on one function."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, action: PassExecution, run: Callable[[], bool]) -> None:
        if action.operation.sym_name.data != self.name:
            run()


class SkipPart(WorkerPart):
    """The part of `Skip`: the handler itself, made again in a worker."""

    factory = f"{__name__}:skip_in_worker"

    def __init__(self, handler: Skip) -> None:
        self.settings = handler.name


def skip_in_worker(_context: Context, settings: str, _send: Send) -> Skip:
    return Skip(settings)


register_part(Names, NamesPart)
register_part(Skip, SkipPart)


def test_what_a_part_sends_comes_in_the_order_of_the_operations() -> None:
    session = Session(CALLING)
    session.manager.nest("func.func").add_pass(Count())
    names = Names()
    session.manager.add_instrumentation(names)
    with ThreadPoolExecutor(1) as pool:
        session.manager.run(session.module, Workers(pool, sends_always=True))

    expected = [(f"@f{number}", f"f{number}") for number in range(NUM_FUNCTIONS)]
    assert names.names == expected


def test_an_action_handler_with_a_part_acts_in_workers() -> None:
    session = Session(CALLING)
    session.manager.nest("func.func").add_pass(Count())
    session.manager.add_action_handler(Skip("f3"))
    with ThreadPoolExecutor(1) as pool:
        workers = Workers(pool, sends_always=True)
        session.manager.run(session.module, workers)

    assert "always" in workers.report[0]
    counted = [
        "counted" in function.attributes
        for function in session.context.children(session.module)
    ]
    assert counted == [number != 3 for number in range(NUM_FUNCTIONS)]
