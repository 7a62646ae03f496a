"""Listeners: the instrumentations that receive the remarks of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.observers import observing
from passgen_runtime.pass_instrumentation import Detail, PassInstrumentation
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.remarks.emitted_remark import Remark, RemarkKind


class RemarkListener(PassInstrumentation):
    """Base class of instrumentations that receive remarks."""

    detail = Detail.RUNS

    def wants_remark(self, kind: RemarkKind, category: str) -> bool:
        """Return whether to receive remarks of this kind and category."""
        del kind, category
        return True

    def run_on_remark(self, remark: Remark, anchor: Operation) -> None:
        """Run when a pass emits a remark, in the thread of the pass.

        Hooks of passes in other threads may run at the same time.

        Args:
            remark: the remark.
            anchor: the closest operation with a symbol, or the operation of the pass.
                Later, it may no longer exist.
        """


@dataclass(frozen=True, slots=True)
class RemarkFilter:
    """Regular expressions that match whole categories, as MLIR's flags do."""

    all: str = ""
    """The expression for all kinds of remarks. An empty expression matches none."""

    passed: str = ""
    missed: str = ""
    failed: str = ""
    analysis: str = ""

    def __call__(self, kind: RemarkKind, category: str) -> bool:
        """Return whether a remark of this kind and category is wanted."""
        patterns = filter(None, (self.all, getattr(self, kind)))
        return any(re.fullmatch(pattern, category) for pattern in patterns)


EVERY_REMARK = RemarkFilter(all=".*")


@dataclass(eq=False, repr=False)
class RemarkReceiver(RemarkListener):
    """Calls a function with each remark, in the order of the IR even with threads."""

    context: Context
    receive: Callable[[Remark], object]
    wanted: RemarkFilter = EVERY_REMARK

    def wants_remark(self, kind: RemarkKind, category: str) -> bool:
        """Return whether the filter accepts the remark."""
        return self.wanted(kind, category)

    def run_on_remark(self, remark: Remark, _anchor: Operation) -> None:
        """Call `receive` when it is the turn of the remark's operation."""
        self.context.in_order(lambda: self.receive(remark))


@contextmanager
def collecting_remarks(
    manager: PassManager, wanted: RemarkFilter = EVERY_REMARK
) -> Iterator[list[Remark]]:
    """Collect the remarks of the runs in the block."""
    found: list[Remark] = []
    with observing(manager, RemarkReceiver(manager.context, found.append, wanted)):
        yield found
