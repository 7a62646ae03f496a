"""Breadcrumbs of workers: which pass runs, for the parent of a process that ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from passgen_runtime.context import Operation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineParentInfo,
)

_SEPARATOR: Final = "\x1f"


class WorkerBreadcrumbs(PassInstrumentation):
    """Leaves a note of the innermost pass that runs, for the parent of a worker."""

    detail = Detail.RUNS

    def __init__(self, leave: Callable[[str], object]) -> None:
        """Leave each note by `leave`, in the place of the last one."""
        self._leave = leave
        self._running: list[str] = []

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Forget what an earlier run has not ended."""
        del anchor
        if parent.pass_ is None:
            self._running.clear()

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Note the pass that begins."""
        del operation
        self.run_before_initialize(pass_)

    def run_before_initialize(self, pass_: Pass) -> None:
        """Note a pass before there is an operation that it runs on."""
        self._running.append(f"{pass_.argument}{_SEPARATOR}{pass_.name}")
        self._leave(self._running[-1])

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Note the pass that has run this one, if any."""
        del operation
        self.run_after_initialize(pass_)

    def run_after_initialize(self, pass_: Pass) -> None:
        """Note the pass that runs around this one, if any."""
        del pass_
        self._running.pop()
        self._leave(self._running[-1] if self._running else "")

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Note the pass that has run this one, if any."""
        self.run_after_pass(pass_, operation)


def noted_pass(note: str) -> tuple[str, str]:
    """Return the argument and the name of the pass in a note; empty if none ran."""
    argument, _, name = note.partition(_SEPARATOR)
    return argument, name
