"""`--log-actions-to` and its like: executions of passes, logged, or stopped at.

The texts are those of `mlir-opt`, for the actions that happen in Python: executions of
passes, groups of nested pipelines, and applications of patterns.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PIPELINE_SOURCE, nearest_note
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineCollection,
)
from passgen_runtime.pass_manager import PassExecution, PassManager
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.opt.command_line import destination, names, text
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.files import GrowingFile
from passgen_tools.opt.options import DriverOptions

_PASS: Final = PassExecution.tag
_PATTERN: Final = "apply-pattern"
_ADAPTOR: Final = "mlir::detail::OpToOpPassAdaptor"


class ActionObserver(PassInstrumentation):
    """Learns when actions begin and end: an action handler, and an instrumentation.

    MLIR's runs of nested pipelines are actions; here, they are hooks.
    """

    detail = Detail.OPERATIONS
    tags: Final = frozenset({_PATTERN})

    def __init__(self, context: Context, write: Callable[[str], object]) -> None:
        """Observe actions on IR of `context`, and write texts at once with `write`."""
        self._context = context
        self._write = write
        self._lock = threading.RLock()

    def __call__(self, action: PassExecution, run: Callable[[], bool]) -> None:
        """Execute an action between its begin and its end."""
        operation = action.operation
        pattern = getattr(action, "pattern", None)
        if pattern is None:
            text = self._running(action.pass_.name, operation)
        else:
            text = f"{_PATTERN} pattern: {pattern.name}"
        self.begin(action.tag, text, operation)
        try:
            run()
        finally:
            self.end(action.tag)

    def run_before_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Observe the begin of nested pipelines."""
        del collection
        self.begin(_PASS, self._running(_ADAPTOR, operation), operation)

    def run_after_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Observe the end of nested pipelines."""
        del collection, operation
        self.end(_PASS)

    def _running(self, name: str, operation: Operation) -> str:
        kind = self._context.name(operation)
        return f"{_PASS}` running `{name}` on Operation `{kind}`"

    @abstractmethod
    def begin(self, tag: str, text: str, operation: Operation) -> None:
        """Observe that an action begins; a backquote goes before `text`."""

    @abstractmethod
    def end(self, tag: str) -> None:
        """Observe that the last action of this thread that has begun ends."""

    def write(self, text: str) -> None:
        """Write `text` at once."""
        with self._lock:
            self._write(text)


class ActionLog(ActionObserver):
    """Writes a line when an action begins, and when it ends."""

    def __init__(
        self,
        context: Context,
        write: Callable[[str], object],
        places: tuple[str, ...],
    ) -> None:
        """Log actions; if `places` are given, only those on operations there.

        A place is `FILE`, `FILE:LINE` or `FILE:LINE:COLUMN`, as MLIR takes them.
        """
        super().__init__(context, write)
        self._places = places
        self._is_logged: defaultdict[int, list[bool]] = defaultdict(list)
        """Whether the open actions of each thread are logged."""

    def begin(self, tag: str, text: str, operation: Operation) -> None:
        """Log the action with the IR, without its regions."""
        del tag
        place = self._context.location(operation)
        is_logged = not self._places or any(
            f"{place}:".startswith(f"{wanted}:") for wanted in self._places
        )
        self._is_logged[threading.get_ident()].append(is_logged)
        if is_logged:
            flags = PrintingFlags(skip_regions=True, local_scope=True)
            ir = self._context.print_in_any_state(operation, flags=flags)
            self._write_line(f"begins (no breakpoint) Action `{text} ({ir})`")

    def end(self, tag: str) -> None:
        """Log the end of the action if its begin was logged."""
        if self._is_logged[threading.get_ident()].pop():
            self._write_line(f"completed `{tag}`")

    def _write_line(self, text: str) -> None:
        self.write(f"[thread {threading.current_thread().name}] {text}\n")


class ActionProfile(ActionObserver):
    """Writes the begin and the end of actions as events of Chrome's trace format."""

    def __init__(
        self, context: Context, write: Callable[[str], object], *, continues: bool
    ) -> None:
        """Write a list of events, or go on with one that lacks its end."""
        super().__init__(context, write)
        self._separator = ",\n" if continues else "["

    def begin(self, tag: str, text: str, operation: Operation) -> None:
        """Write the begin."""
        del operation
        end = "" if tag == _PASS else "`"
        self._write_event(tag, "B", args={"desc": f"`{text}{end}"})

    def end(self, tag: str) -> None:
        """Write the end."""
        self._write_event(tag, "E")

    def close(self) -> None:
        """End the list of events."""
        self.write("[]" if self._separator == "[" else "]")

    def _write_event(self, tag: str, phase: str, **more: object) -> None:
        time_us = int(time.perf_counter() * 1e6)
        place = {"pid": 0, "tid": threading.get_native_id(), "ts": time_us}
        event = {"name": tag, "cat": "PERF", "ph": phase, **place, **more}
        with self._lock:
            self.write(f"{self._separator}{json.dumps(event, ensure_ascii=False)}")
            self._separator = ",\n"


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
    """Logs and profiles actions, and opens the debugger at one."""

    log = destination("log-actions-to", "log the actions; - is standard output", "log")
    places = names(
        "log-mlir-actions-filter",
        "log only actions on operations at these places",
        "FILE[:LINE[:COL]],...",
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
        """Observe the actions."""
        context, manager = run.context, run.manager
        with ExitStack() as blocks:
            if self.log is not None:
                write = GrowingFile(self.log, run.unwritten).write
                _observe(blocks, manager, ActionLog(context, write, self.places))
            if self.profile is not None:
                continues = self.profile != "-" and _reopen_list(Path(self.profile))
                write = GrowingFile(self.profile, run.unwritten).write
                profile = ActionProfile(context, write, continues=continues)
                blocks.callback(profile.close)
                _observe(blocks, manager, profile)
            if self.break_at is not None:
                name, _, symbol = self.break_at.partition("@")
                stop = Breakpoint(context, name, symbol)
                manager.add_action_handler(stop)
                blocks.callback(manager.remove_action_handler, stop)
                blocks.callback(_report_unmet, self.break_at, stop, context)
            yield


def _report_unmet(wanted: str, stop: Breakpoint, context: Context) -> None:
    if not stop.was_met:
        message = f"--break-at={wanted}: no such pass has run"
        context.handle(Diagnostic("warning", message, PIPELINE_SOURCE))


def _observe(blocks: ExitStack, manager: PassManager, observer: ActionObserver) -> None:
    manager.add_action_handler(observer)
    blocks.callback(manager.remove_action_handler, observer)
    from passgen_runtime.instrumentations.observers import observing

    blocks.enter_context(observing(manager, observer))


def _reopen_list(path: Path) -> bool:
    """Return whether the file has events; take the bracket that ends them away."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    text = path.read_bytes()
    if text == b"[]":
        path.write_bytes(b"")
        return False
    if text.endswith(b"]"):
        os.truncate(path, len(text) - 1)
    return True
