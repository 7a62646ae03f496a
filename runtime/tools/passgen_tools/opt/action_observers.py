"""Observers of actions: a log of them, and a profile of their times.

The texts are those of `mlir-opt`, for the actions that happen in Python: executions of
passes, groups of nested pipelines, and applications of patterns.
"""

from __future__ import annotations

import json
import os
import threading
import time
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineCollection,
)
from passgen_runtime.pass_manager import PassExecution
from passgen_runtime.printing_flags import PrintingFlags

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
        self._lock = threading.RLock()
        self._write = write

    def __call__(self, action: PassExecution, run: Callable[[], bool]) -> None:
        """Execute an action between its begin and its end."""
        operation = action.operation
        pattern = getattr(action, "pattern", None)
        if pattern is None:
            text = self._text("running", action.pass_.name, operation)
        else:
            text = f"`{_PATTERN} pattern: {pattern.name}"
        self.begin(action.tag, text, operation)
        try:
            run()
        finally:
            self.end(action.tag)

    def run_on_skip(self, pass_: Pass, operation: Operation) -> None:
        """Observe a pass that is skipped."""
        text = self._text("skipping", pass_.name, operation)
        self.begin(_PASS, text, operation)
        self.end(_PASS)

    def run_before_collection(
        self, _collection: PipelineCollection, operation: Operation
    ) -> None:
        """Observe the begin of nested pipelines."""
        text = self._text("running", _ADAPTOR, operation)
        self.begin(_PASS, text, operation)

    def run_after_collection(
        self, _collection: PipelineCollection, _operation: Operation
    ) -> None:
        """Observe the end of nested pipelines."""
        self.end(_PASS)

    def _text(self, verb: str, name: str, operation: Operation) -> str:
        kind = self._context.name(operation)
        return f"`{_PASS}` {verb} `{name}` on Operation `{kind}`"

    @abstractmethod
    def begin(self, tag: str, text: str, operation: Operation) -> None:
        """Observe that an action begins.

        Args:
            tag: the kind of the action.
            text: describes the action; a last backquote may be missing, as MLIR logs.
            operation: the subject.
        """

    @abstractmethod
    def end(self, tag: str) -> None:
        """Observe that the last action of this thread that has begun ends."""


class ActionLog(ActionObserver):
    """Writes a line when an action begins, and when it ends."""

    def __init__(
        self, context: Context, write: Callable[[str], object], places: tuple[str, ...]
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
            self._write_line(f"begins (no breakpoint) Action {text} ({ir})`")

    def end(self, tag: str) -> None:
        """Log the end of the action if its begin was logged."""
        if self._is_logged[threading.get_ident()].pop():
            self._write_line(f"completed `{tag}`")

    def _write_line(self, text: str) -> None:
        with self._lock:
            self._write(f"[thread {threading.current_thread().name}] {text}\n")


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
        self._write_event(tag, "B", args={"desc": f"{text.removesuffix('`')}`"})

    def end(self, tag: str) -> None:
        """Write the end."""
        self._write_event(tag, "E")

    def close(self) -> None:
        """End the list of events."""
        self._write("[]" if self._separator == "[" else "]")

    def _write_event(self, tag: str, phase: str, **more: object) -> None:
        time_us = int(time.perf_counter() * 1e6)
        place = {"pid": 0, "tid": threading.get_native_id(), "ts": time_us}
        event = {"name": tag, "cat": "PERF", "ph": phase, **place, **more}
        with self._lock:
            self._write(f"{self._separator}{json.dumps(event, ensure_ascii=False)}")
            self._separator = ",\n"


def reopen_list(path: Path) -> bool:
    """Return whether the file has events; remove the bracket that ends their list."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    text = path.read_bytes()
    if text == b"[]":
        path.write_bytes(b"")
        return False
    if text.endswith(b"]"):
        os.truncate(path, len(text) - 1)
    return True
