"""An action handler that executes actions by number, as LLVM's `opt` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import print_message
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_runtime.pass_manager import PassExecution
from passgen_runtime.patterns import PatternApplication

APPLY_PATTERN: Final = PatternApplication.tag


class BisectLimit(PassInstrumentation):
    """Counts passes, or actions with tags, and executes those in an interval.

    It is an action handler, and an instrumentation, which counts the passes that are
    skipped because they would change nothing. Passes that are required are not counted.
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
        is_counted = self._counts(pass_)
        if isinstance(action, PatternApplication):
            what, name, is_counted = "pattern", action.pattern.name, bool(self.tags)
        if not is_counted:
            run()
            return
        self._count += 1
        number = self._count
        is_wanted = any(first <= number <= last for first, last in self._intervals)
        verb = "running" if is_wanted else "NOT running"
        self._print(f"{verb} {what} ({number}) {name}", pass_, action.operation)
        if is_wanted:
            run()

    def run_on_skip(self, pass_: Pass, operation: Operation) -> None:
        """Count a pass that is skipped, so that numbers do not depend on skips."""
        if self._counts(pass_):
            self._count += 1
            name = pass_.argument or pass_.name
            self._print(f"skipping pass ({self._count}) {name}", pass_, operation)

    def _counts(self, pass_: Pass) -> bool:
        return not self.tags and not pass_.is_required

    def _print(self, what: str, pass_: Pass, operation: Operation) -> None:
        context = pass_.context
        place = context.symbol_name(operation) or context.name(operation)
        place = "[module]" if place == "builtin.module" else place
        print_message(f"BISECT: {what} on {place}\n")
