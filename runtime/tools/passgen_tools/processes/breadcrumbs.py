"""Breadcrumbs: which passes run, noted where the parent of the process reads it.

MLIR's crash recovery continues in the process that a pass has crashed. A Python pass
can end its process in ways that no code inside survives, so the process that started it
says which passes were running.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from typing import Final, NamedTuple

from passgen_runtime.context import Context, Operation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineParentInfo,
)

_MAX_TEXT: Final = 512
"""Names may have any length, and all passes that run are to fit into the note."""


class RunningPass(NamedTuple):
    """A pass that was running when its process ended."""

    argument: str
    """In a textual pipeline."""

    name: str
    is_native: bool = False
    """Whether an IR library ran it, with other passes or on several operations."""

    thread_id: int = 0
    subject: str = ""
    """The operation as MLIR's messages call it."""

    operation: str = ""
    """The operation with its symbol path and its place."""


def running_passes(note: str) -> list[RunningPass]:
    """Return the passes in a note of `Breadcrumbs`, in the order of their begin."""
    found: list[RunningPass] = []
    for line in note.splitlines():
        try:
            found.append(RunningPass(*json.loads(line)))
        except ValueError:  # there was no room for all of it
            break
    return found[::-1]


class Breadcrumbs(PassInstrumentation):
    """Notes the passes that run, those that began last first.

    A process that a pass forks leaves the note as it is.
    """

    detail = Detail.RUNS

    def __init__(
        self,
        leave: Callable[[str], object],
        context: Context | None = None,
        is_native: Callable[[Pass], bool] = lambda _: False,
    ) -> None:
        """Leave each note by `leave`, in the place of the last one.

        Args:
            leave: keeps a note.
            context: describes the operations; if not given, notes name passes alone.
            is_native: whether an IR library runs a pass itself.
        """
        self._leave = leave
        self._context = context
        self._is_native = is_native
        self._process_id = os.getpid()
        self._running: list[str] = []
        self._of_thread = _OfThread()

    def clear(self) -> None:
        """Forget the passes that an interrupted run left open."""
        self._running.clear()
        self._of_thread.running.clear()

    def run_before_pipeline(self, _anchor: str, _parent: PipelineParentInfo) -> None:
        """Forget the operation: its identity may be that of another one by now."""
        self._of_thread.operation_id = None

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Note the pass that begins."""
        thread = self._of_thread
        if self._context is not None and thread.operation_id != id(operation):
            thread.described = _describe(self._context, operation)
            thread.operation_id = id(operation)
        self._note(pass_, thread.described)

    def run_before_initialize(self, pass_: Pass) -> None:
        """Note a pass before there is an operation that it runs on."""
        self._note(pass_, ("its initialization", "its initialization"))

    def _note(self, pass_: Pass, described: tuple[str, str]) -> None:
        running = RunningPass(
            pass_.argument[:_MAX_TEXT],
            pass_.name[:_MAX_TEXT],
            self._is_native(pass_),
            threading.get_ident(),
            *described,
        )
        line = json.dumps(running, ensure_ascii=False)
        self._of_thread.running.append(line)
        self._running.insert(0, line)
        self._renew()

    def _renew(self) -> None:
        if os.getpid() == self._process_id:
            self._leave("\n".join(self._running))

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Erase the pass from the note."""
        del operation
        self.run_after_initialize(pass_)

    def run_after_initialize(self, _pass: Pass) -> None:
        """Erase the pass from the note."""
        self._running.remove(self._of_thread.running.pop())
        self._renew()

    run_after_pass_failed = run_after_pass


class OneByOneBreadcrumbs(Breadcrumbs):
    """Notes native passes one by one: an IR library gets them one at a time."""

    detail = Detail.OPERATIONS


class _OfThread(threading.local):
    """The passes that run in one thread, and the operation that they run on."""

    def __init__(self) -> None:
        self.running: list[str] = []
        """The running passes as the note has them, the outermost first."""

        self.operation_id: int | None = None
        self.described = ("", "")


def _describe(context: Context, operation: Operation) -> tuple[str, str]:
    """Return an operation as MLIR's messages call it, and with its path and place."""
    symbol = context.symbol_name(operation)
    around = context.parent(operation)
    path = ""
    while around is not None:
        if (outer := context.symbol_name(around)) is not None:
            path = f"@{outer}/{path}"
        around = context.parent(around)
    text = f"'{context.name(operation)}' operation"
    place = context.location(operation)
    where = f"{text}{path and f' in {path[:-1]}'} at {place}"
    if symbol is not None:
        where = f"{text}: {path}@{symbol} at {place}"
        text = f"{text}: @{symbol}"
    return text[:_MAX_TEXT], where[:_MAX_TEXT]
