"""`--opt-bisect-limit`: passes are skipped by number, as LLVM's `opt` does it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar, Final

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import print_message
from passgen_runtime.extensions.patterns import PatternApplication
from passgen_runtime.opt.command_line import Flag, UsageError, text
from passgen_runtime.opt.driver_part import DriverPart, DriverRun
from passgen_runtime.pass_manager import PassExecution
from passgen_runtime.pass_registry import PassRegistry

_LIMIT: Final = re.compile(r"(-1|\d{1,9})")
_INTERVALS: Final = re.compile(r"\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*")

_METAVAR: Final = "N|INTERVALS"
_HELP: Final = "number up to N, or in intervals such as 1-3,7; -1: all"


class SkippingPart(DriverPart):
    """Runs some executions of passes, or some applications of patterns, by number."""

    passes = text(
        "opt-bisect-limit", f"run the passes on operations with a {_HELP}", _METAVAR
    )
    patterns = text(
        "pattern-bisect-limit", f"apply declared patterns with a {_HELP}", _METAVAR
    )

    def check(self, passes: Callable[[], PassRegistry]) -> None:
        """Check the numbers.

        Raises:
            UsageError: they are none.
        """
        del passes
        for flag, value in self._given_limits():
            if not _LIMIT.fullmatch(value) and not _INTERVALS.fullmatch(value):
                raise _error(flag, value)
            if any(last < first for first, last in _intervals(value) if first > 1):
                raise flag.error(f"an interval of '{value}' ends before it begins")

    def around_passes(self, run: DriverRun) -> AbstractContextManager[object]:
        """Skip passes or applications, in the order of one thread."""
        for flag, value in self._given_limits():
            is_passes = flag is type(self).passes
            handler = SkippedPasses if is_passes else SkippedPatterns
            run.manager.add_action_handler(handler(run.context, _intervals(value)))
            run.manager.disable_multithreading()
        return nullcontext()

    def _given_limits(self) -> Sequence[tuple[Flag[str | None], str]]:
        cls = type(self)
        given = ((cls.passes, self.passes), (cls.patterns, self.patterns))
        return [(flag, value) for flag, value in given if value is not None]


class _Skipping:
    """Counts actions, and executes those whose number is in an interval."""

    def __init__(
        self, context: Context, intervals: Sequence[tuple[int, float]]
    ) -> None:
        """Execute the actions with a number in `intervals`."""
        self._context = context
        self._intervals = intervals
        self._count = 0

    def _run_if_wanted(
        self, what: str, action: PassExecution, run: Callable[[], bool]
    ) -> None:
        """Print a line in the form of LLVM's, and perhaps execute `action`."""
        self._count += 1
        number = self._count
        is_wanted = any(first <= number <= last for first, last in self._intervals)
        operation, context = action.operation, self._context
        name = context.symbol_name(operation) or context.name(operation)
        name = "[module]" if name == "builtin.module" else name
        verb = "running" if is_wanted else "NOT running"
        print_message(f"BISECT: {verb} {what.format(number)} on {name}\n")
        if is_wanted:
            run()


class SkippedPasses(_Skipping):
    """Skips executions of passes, but those of passes that are required."""

    def __call__(self, action: PassExecution, run: Callable[[], bool]) -> None:
        """Execute a pass, or do not."""
        pass_ = action.pass_
        if getattr(pass_, "is_required", False):
            run()
        else:
            self._run_if_wanted(
                f"pass ({{}}) {pass_.argument or pass_.name}", action, run
            )


class SkippedPatterns(_Skipping):
    """Skips applications of declared patterns."""

    tags: ClassVar[frozenset[str]] = frozenset({PatternApplication.tag})

    def __call__(self, action: PassExecution, run: Callable[[], bool]) -> None:
        """Apply a pattern, or do not."""
        if isinstance(action, PatternApplication):
            self._run_if_wanted(f"pattern ({{}}) {action.pattern.name}", action, run)
        else:
            run()


def _intervals(value: str) -> list[tuple[int, float]]:
    if value == "-1":
        return [(1, float("inf"))]
    if _LIMIT.fullmatch(value):
        return [(1, int(value))]
    pairs = (text.partition("-") for text in value.split(","))
    return [(int(first), int(last or first)) for first, _, last in pairs]


def _error(flag: Flag[str | None], value: str) -> UsageError:
    return flag.error(f"'{value}' is no number and no interval", "e.g. 7, 1-3,9 or -1")
