"""`--log-actions-to` and its like: executions of passes, logged, or stopped at.

The texts are those of `mlir-opt`, for the actions that happen in Python: executions of
passes, groups of nested pipelines, and applications of patterns.
"""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PIPELINE_SOURCE, nearest_note
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineCollection,
)
from passgen_runtime.pass_manager import PassExecution
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.opt.command_line import destination, names, text
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.files import GrowingFile
from passgen_tools.opt.options import DriverOptions

_PASS: Final = PassExecution.tag
_PATTERN: Final = "apply-pattern"
_ADAPTOR: Final = "mlir::detail::OpToOpPassAdaptor"


class ActionLog(PassInstrumentation):
    """Writes a line when an action begins, and when it ends.

    It is an action handler, and an instrumentation: MLIR's runs of nested pipelines are
    actions; here, they are hooks.
    """

    detail = Detail.OPERATIONS
    tags: Final = frozenset({_PATTERN})

    def __init__(
        self, context: Context, write: Callable[[str], object], places: tuple[str, ...]
    ) -> None:
        """Log actions; if `places` are given, only those on operations there.

        A place is `FILE`, `FILE:LINE` or `FILE:LINE:COLUMN`, as MLIR takes them.
        """
        self._context = context
        self._write = write
        self._places = places
        self._lock = threading.RLock()
        self._is_logged: defaultdict[int, list[bool]] = defaultdict(list)
        """Whether the open actions of each thread are logged."""

    def __call__(self, action: PassExecution, run: Callable[[], bool]) -> None:
        """Execute an action between the lines of its begin and its end."""
        operation = action.operation
        pattern = getattr(action, "pattern", None)
        if pattern is None:
            text = self._running(action.pass_.name, operation)
        else:
            text = f"{_PATTERN} pattern: {pattern.name}"
        self._begin(text, operation)
        try:
            run()
        finally:
            self._end(action.tag)

    def run_before_collection(
        self, _collection: PipelineCollection, operation: Operation
    ) -> None:
        """Log the begin of nested pipelines."""
        self._begin(self._running(_ADAPTOR, operation), operation)

    def run_after_collection(
        self, _collection: PipelineCollection, _operation: Operation
    ) -> None:
        """Log the end of nested pipelines."""
        self._end(_PASS)

    def _running(self, name: str, operation: Operation) -> str:
        kind = self._context.name(operation)
        return f"{_PASS}` running `{name}` on Operation `{kind}`"

    def _begin(self, text: str, operation: Operation) -> None:
        """Log the action with the IR, without its regions; a backquote ends `text`."""
        place = self._context.location(operation)
        is_logged = not self._places or any(
            f"{place}:".startswith(f"{wanted}:") for wanted in self._places
        )
        self._is_logged[threading.get_ident()].append(is_logged)
        if is_logged:
            flags = PrintingFlags(skip_regions=True, local_scope=True)
            ir = self._context.print_in_any_state(operation, flags=flags)
            self._write_line(f"begins (no breakpoint) Action `{text} ({ir})`")

    def _end(self, tag: str) -> None:
        """Log the end of the action if its begin was logged."""
        if self._is_logged[threading.get_ident()].pop():
            self._write_line(f"completed `{tag}`")

    def _write_line(self, text: str) -> None:
        with self._lock:
            self._write(f"[thread {threading.current_thread().name}] {text}\n")


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
    """Logs actions, and opens the debugger at one."""

    log = destination("log-actions-to", "log the actions; - is standard output", "log")
    places = names(
        "log-mlir-actions-filter",
        "log only actions on operations at these places",
        "FILE[:LINE[:COL]],...",
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
        """Return the log."""
        return () if self.log is None else (self.log,)

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Log the actions, and stop at one."""
        context, manager = run.context, run.manager
        if self.log is not None:
            write = GrowingFile(self.log, run.unwritten).write
            log = ActionLog(context, write, self.places)
            manager.add_action_handler(log)
            manager.add_instrumentation(log)
        if self.break_at is None:
            yield
            return
        name, _, symbol = self.break_at.partition("@")
        stop = Breakpoint(context, name, symbol)
        manager.add_action_handler(stop)
        try:
            yield
        finally:
            if not stop.was_met:
                message = f"--break-at={self.break_at}: no such pass has run"
                context.handle(Diagnostic("warning", message, PIPELINE_SOURCE))
