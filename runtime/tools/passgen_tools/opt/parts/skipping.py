"""`--opt-bisect-limit`: passes are skipped by number, as LLVM's `opt` does it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from math import inf
from typing import TYPE_CHECKING, Final

from passgen_runtime.pass_manager import Runner
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import Flag, text
from passgen_tools.opt.driver_part import DriverPart, DriverRun

if TYPE_CHECKING:
    from passgen_tools.opt.bisect_limit import BisectLimit

_INTERVALS: Final = re.compile(r"-1|\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*")

_METAVAR: Final = "N|INTERVALS"
_HELP: Final = "number up to N, or in intervals such as 1-3,7; -1: all"


class SkippingPart(DriverPart):
    """Runs some executions of passes, or some applications of patterns, by number."""

    passes = text(
        "opt-bisect-limit",
        f"run the passes on operations with a {_HELP}",
        _METAVAR,
    )
    patterns = text(
        "pattern-bisect-limit",
        f"apply declared patterns with a {_HELP}",
        _METAVAR,
    )

    def check(self, _passes: Callable[[], PassRegistry]) -> None:
        """Check the numbers.

        Raises:
            UsageError: they are none.
        """
        self._make_handlers()

    def around_passes(self, run: DriverRun) -> AbstractContextManager[object]:
        """Skip passes or applications, in the order of one thread."""
        for handler in self._make_handlers():
            run.manager.add_action_handler(handler)
            run.manager.add_instrumentation(handler)
            run.manager.runner = Runner()
        return nullcontext()

    def _make_handlers(self) -> list[BisectLimit]:
        """Return new counters for the flags that are given."""
        if self.passes is None and self.patterns is None:
            return []
        from passgen_tools.opt.bisect_limit import APPLY_PATTERN, BisectLimit

        cls = type(self)
        handlers = []
        if self.passes is not None:
            handlers.append(BisectLimit(_intervals(cls.passes, self.passes)))
        if self.patterns is not None:
            intervals = _intervals(cls.patterns, self.patterns)
            handlers.append(BisectLimit(intervals, APPLY_PATTERN))
        return handlers


def _intervals(flag: Flag[str | None], value: str) -> list[tuple[int, float]]:
    """Return the first and the last number of each interval.

    Raises:
        UsageError: there are none.
    """
    if not _INTERVALS.fullmatch(value):
        message = f"'{value}' is no number and no interval"
        raise flag.error(message, "e.g. 7, 1-3,9 or -1")
    if value == "-1":
        return [(1, inf)]
    if value.isdigit():
        return [(1, int(value))]
    pairs = [text.partition("-") for text in value.split(",")]
    intervals = [(int(first), int(last or first)) for first, _, last in pairs]
    if any(last < first for first, last in intervals):
        raise flag.error(f"an interval of '{value}' ends before it begins")
    return list(intervals)
