"""Listeners: the instrumentations that get the remarks of a run."""

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
    """Base of instrumentations that get remarks."""

    detail = Detail.RUNS

    def wants_remark(self, kind: RemarkKind, category: str) -> bool:
        """Return whether remarks of this kind and category are of interest."""
        del kind, category
        return True

    def run_on_remark(self, remark: Remark, anchor: Operation) -> None:
        """Run when a pass emits a remark, in its thread; hooks of others may run.

        Args:
            remark: the remark.
            anchor: the closest operation around that has a symbol, or the one that the
                pass runs on. Later it may be gone.
        """


@dataclass(frozen=True, slots=True)
class RemarkFilter:
    """Regular expressions for whole categories, as those of MLIR's flags."""

    all: str = ""
    """For remarks of each kind; empty: for none."""

    passed: str = ""
    missed: str = ""
    failed: str = ""
    analysis: str = ""

    def __call__(self, kind: RemarkKind, category: str) -> bool:
        """Return whether a remark of this kind and category is wanted."""
        patterns = filter(None, (self.all, getattr(self, kind)))
        return any(re.fullmatch(pattern, category) for pattern in patterns)


EVERY_REMARK = RemarkFilter(all=".*")


class RemarkReceiver(RemarkListener):
    """Calls a function with each remark, in the order of the IR with threads too."""

    def __init__(
        self,
        context: Context,
        receive: Callable[[Remark], object],
        wanted: RemarkFilter = EVERY_REMARK,
    ) -> None:
        """Call `receive` with the remarks that are `wanted`."""
        self._context = context
        self.receive = receive
        self.wanted = wanted

    def wants_remark(self, kind: RemarkKind, category: str) -> bool:
        """Return whether the filter accepts the remark."""
        return self.wanted(kind, category)

    def run_on_remark(self, remark: Remark, anchor: Operation) -> None:
        """Pass on a remark when its operation has its turn."""
        del anchor
        self._context.in_order(lambda: self.receive(remark))


@contextmanager
def collecting_remarks(
    manager: PassManager, wanted: RemarkFilter = EVERY_REMARK
) -> Iterator[list[Remark]]:
    """Collect the remarks of the runs in the block."""
    found: list[Remark] = []
    with observing(manager, RemarkReceiver(manager.context, found.append, wanted)):
        yield found
