"""An action handler that executes actions by number, as LLVM's `opt` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from passgen_runtime.diagnostics import print_message
from passgen_runtime.pass_manager import PassExecution
from passgen_runtime.patterns import PatternApplication

APPLY_PATTERN: Final = PatternApplication.tag


class BisectLimit:
    """Counts passes, or actions with tags, and executes those in an interval.

    Passes that are required are not counted.
    """

    def __init__(self, intervals: Sequence[tuple[int, float]], *tags: str) -> None:
        """Execute the actions with a number in `intervals`."""
        self.tags = tags
        self._intervals = intervals
        self._count = 0

    def __call__(self, action: PassExecution, run: Callable[[], bool]) -> None:
        """Print a line in the form of LLVM's, and perhaps execute `action`."""
        pass_ = action.pass_
        what, name = "pass", pass_.argument or pass_.name
        is_counted = not self.tags and not pass_.is_required
        if isinstance(action, PatternApplication):
            what, name, is_counted = "pattern", action.pattern.name, bool(self.tags)
        if not is_counted:
            run()
            return
        self._count += 1
        number = self._count
        is_wanted = any(first <= number <= last for first, last in self._intervals)
        operation, context = action.operation, pass_.context
        place = context.symbol_name(operation) or context.name(operation)
        place = "[module]" if place == "builtin.module" else place
        verb = "running" if is_wanted else "NOT running"
        print_message(f"BISECT: {verb} {what} ({number}) {name} on {place}\n")
        if is_wanted:
            run()
