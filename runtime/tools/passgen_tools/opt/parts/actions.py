"""`--log-actions-to` and its like: actions are logged, timed, or stopped at."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PIPELINE_SOURCE, nearest_note
from passgen_runtime.pass_manager import PassExecution, PassManager
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.action_observers import (
    ActionLog,
    ActionObserver,
    ActionProfile,
    reopen_list,
)
from passgen_tools.opt.command_line import destination, names, text
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.files import GrowingFile
from passgen_tools.opt.options import DriverOptions


class Breakpoint:
    """An action handler that opens Python's debugger before a pass."""

    def __init__(self, context: Context, pass_name: str, symbol: str) -> None:
        """Stop before the pass `pass_name`, if `symbol` is given on its operation."""
        self._context = context
        self._pass_name = pass_name
        self._symbol = symbol
        self.was_met = False

    def __call__(self, action: PassExecution, run: Callable[[], bool]) -> None:
        """Execute an action, in the debugger if it is meant.

        Raises:
            KeyboardInterrupt: the user has left the debugger.
        """
        pass_, operation = action.pass_, action.operation
        symbol = self._context.symbol_name(operation)
        if pass_.argument != self._pass_name or self._symbol not in {"", symbol}:
            run()
            return
        from bdb import BdbQuit

        self.was_met = True
        try:
            sys.breakpointhook()  # noqa: T100 - what the flag asks for
            run()  # step into it; here are `pass_`, `operation` and `action`
        except BdbQuit:
            raise KeyboardInterrupt from None


class ActionsPart(DriverPart):
    """Logs and times actions, and opens the debugger at one."""

    log = destination("log-actions-to", "log the actions; - is standard output", "log")
    places = replace(
        names(
            "log-mlir-actions-filter",
            "log only actions on operations at these places",
            "FILE[:LINE[:COL]],...",
        ),
        refuses_empty=True,
    )
    profile = destination(
        "profile-actions-to",
        "write the times of actions in Chrome's trace format; - is standard output",
        "profile",
    )
    break_at = text(
        "break-at",
        "open Python's debugger before a pass, on the operation of a symbol if given",
        "PASS[@SYMBOL]",
    )

    def check(self, passes: Callable[[], PassRegistry]) -> None:
        """Check the pass to stop at.

        Raises:
            UsageError: there is none of this name, or the debugger has no input.
        """
        cls = type(self)
        if self.break_at is None:
            return
        name = self.break_at.partition("@")[0]
        registry = passes()
        if registry.lookup(name) is None:
            notes = nearest_note(name, registry.arguments())
            raise cls.break_at.error(f"there is no pass '{name}'", *notes)
        if DriverOptions(self.line).input == "-":
            message = "the debugger reads standard input: name the file of the IR"
            raise cls.break_at.error(message)

    def emptied_files(self) -> Sequence[str]:
        """Return the log and the profile."""
        return tuple(filter(None, (self.log, self.profile)))

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Observe the actions, and stop at one."""
        context, manager = run.context, run.manager
        with ExitStack() as blocks:
            if self.log is not None:
                write = GrowingFile(self.log, run.unwritten).write
                _observe(manager, ActionLog(context, write, self.places))
            if self.profile is not None:
                continues = self.profile != "-" and reopen_list(Path(self.profile))
                write = GrowingFile(self.profile, run.unwritten).write
                profile = ActionProfile(context, write, continues=continues)
                blocks.callback(profile.close)
                _observe(manager, profile)
            if self.break_at is not None:
                name, _, symbol = self.break_at.partition("@")
                stop = Breakpoint(context, name, symbol)
                manager.add_action_handler(stop)
                blocks.callback(_report_unmet, self.break_at, stop, context)
            yield


def _observe(manager: PassManager, observer: ActionObserver) -> None:
    manager.add_action_handler(observer)
    manager.add_instrumentation(observer)


def _report_unmet(wanted: str, stop: Breakpoint, context: Context) -> None:
    if not stop.was_met:
        message = f"--break-at={wanted}: no such pass has run"
        context.handle(Diagnostic("warning", message, PIPELINE_SOURCE))
