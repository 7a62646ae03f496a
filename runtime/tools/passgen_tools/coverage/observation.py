"""Counts what passes do in runs: an instrumentation, and its part in workers.

data = CoverageData()
with watching_passes(data, lambda: "the name of a test"):
...  # all runs of pass managers, also of those that others make
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.observers import observing
from passgen_runtime.instrumentations.pattern_hooks import PatternInstrumentation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import Detail
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.patterns import Patterns
from passgen_runtime.remarks import Remark, RemarkListener
from passgen_tools.coverage.coverage_data import THE_PASS, CoverageData, Event, Item
from passgen_tools.coverage.declarations import (
    given_forms,
    key_of,
    needed_forms,
    option_items,
)
from passgen_tools.forms import FormVerifier
from passgen_tools.worker_parts import PlainData, Send, WorkerPart, register_part

Note: TypeAlias = Callable[[Event, int], None]
"""Notes that an event has happened so many times."""


@dataclass
class _RunningPass:
    """A pass that has begun and not ended."""

    pass_: Pass
    operation: Operation
    names: set[str]
    """The names of the operations that were there before it, if it has patterns."""


class PassObserver(RemarkListener, PatternInstrumentation):
    """Notes which items of passes the runs of a manager reach."""

    detail = Detail.PASSES

    def __init__(
        self, context: Context, note: Note, *, verifies_forms: bool = False
    ) -> None:
        """Note events by `note`.

        Args:
            context: of the IR.
            note: called in the threads of the passes, one call at a time.
            verifies_forms: whether the run verifies the forms of passes.
        """
        self.note = note
        self._context = context
        self._library = context.library.partition(":")[0]
        self._verifies_forms = verifies_forms
        self._running: dict[int, list[_RunningPass]] = {}
        """The passes that run in each thread, inner ones last."""

        self._lock = threading.Lock()

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Note the pass and its options."""
        names = self._names(operation) if isinstance(pass_, Patterns) else set()
        running = _RunningPass(pass_, operation, names)
        self._running.setdefault(threading.get_ident(), []).append(running)
        self._note(pass_, THE_PASS)
        for item in option_items(pass_):
            self._note(pass_, item)
        for item in needed_forms(type(pass_)) if self._verifies_forms else ():
            self._note(pass_, item)

    def run_after_pass(self, pass_: Pass, _operation: Operation) -> None:
        """Note the forms that were checked after the pass."""
        self._running[threading.get_ident()].pop()
        for item in given_forms(type(pass_)) if self._verifies_forms else ():
            self._note(pass_, item)

    def run_after_pass_failed(self, _pass: Pass, _operation: Operation) -> None:
        """Forget the pass."""
        self._running[threading.get_ident()].pop()

    def run_after_patterns(self, pass_: Pass, counts: Mapping[str, int]) -> None:
        """Note the patterns that were applied, and those that could have been.

        A pattern is tried if an operation from which it starts was there before the
        pass, or is there after it.
        """
        running = self._running[threading.get_ident()][-1]
        assert isinstance(pass_, Patterns)
        roots = pass_.pattern_roots(self._context)
        names = running.names | self._names(running.operation)
        for name, count in counts.items():
            item = Item("pattern", name)
            if count:
                self._note(pass_, item, count)
            if count or "" in roots[name] or roots[name] & names:
                self._note(pass_, item, is_hit=False)

    def run_on_remark(self, remark: Remark, _anchor: Operation) -> None:
        """Note a remark of the running pass."""
        if running := self._running.get(threading.get_ident()):
            self._note(running[-1].pass_, Item("remark", remark.name))

    def _names(self, operation: Operation) -> set[str]:
        """Return the names of the operations in another one."""
        names: set[str] = set()
        pending = [*self._context.children(operation)]
        while pending:
            inner = pending.pop()
            names.add(self._context.name(inner))
            pending += self._context.children(inner)
        return names

    def _note(
        self, pass_: Pass, item: Item, count: int = 1, *, is_hit: bool = True
    ) -> None:
        event = Event(*key_of(type(pass_)), self._library, *item, is_hit)
        with self._lock:
            self.note(event, count)


class _PartOfObserver(WorkerPart):
    """Notes what passes do in workers."""

    factory = f"{__name__}:observer_in_worker"

    def __init__(self, observer: PassObserver) -> None:
        """Note it by `observer`."""
        self._observer = observer

    def take(self, data: PlainData, _worker: str, _operation: Operation) -> None:
        """Note an event in a worker."""
        *event, count = data
        self._observer.note(Event(*event), count)


def observer_in_worker(
    context: Context, _settings: PlainData, send: Send
) -> PassObserver:
    """Return the observer in a worker, which sends each event."""
    return PassObserver(context, lambda event, count: send([*event, count]))


register_part(PassObserver, _PartOfObserver)


@contextmanager
def watching_passes(
    data: CoverageData, current_test: Callable[[], str]
) -> Iterator[None]:
    """Count what the runs of all pass managers in the block reach.

    Runs in other threads that the block starts are counted if these have a copy of the
    context: `contextvars.copy_context().run`.

    Args:
        data: counts.
        current_test: returns the name of the test that runs.
    """
    token = PassManager.watch.set(partial(_watch, data, current_test))
    try:
        yield
    finally:
        PassManager.watch.reset(token)


@contextmanager
def _watch(
    data: CoverageData, current_test: Callable[[], str], manager: PassManager
) -> Iterator[None]:
    """Count in a run of `manager`."""
    known = manager.instrumentations
    if any(isinstance(each, PassObserver) for each in known):
        yield  # the run of a pass manager that runs as another one
        return

    def note(event: Event, count: int) -> None:
        data.add(event, current_test(), count)

    verifies_forms = any(isinstance(each, FormVerifier) for each in known)
    observer = PassObserver(manager.context, note, verifies_forms=verifies_forms)
    with observing(manager, observer):
        yield
