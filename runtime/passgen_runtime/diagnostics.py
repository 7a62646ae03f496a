"""Diagnostics, their handlers, and their order.

Diagnostics are reported in the order of the IR, with threads too: while a thread works
on one of several operations, its diagnostics are kept until the operation has its turn.
The pass has ended by then, so an exception of a diagnostic handler cannot interrupt it:
the run raises the exception, with one thread too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Final, Literal, TextIO, TypeAlias

UNKNOWN_LOCATION = "loc(unknown)"
"""The location of an operation of unknown origin."""

Severity = Literal["error", "warning", "remark", "note"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A message of a pass or of the infrastructure about an operation."""

    severity: Severity
    message: str
    location: str
    """`file:line:col`, or `loc(...)` as the IR library writes it if it has no file."""

    notes: tuple[Diagnostic, ...] = ()
    callers: tuple[str, ...] = ()
    """The places from which the code at `location` was inlined, innermost first."""

    def __str__(self) -> str:
        """Return the form that MLIR prints, callers and notes below it."""
        return "\n".join(text for _, text in self.entries())

    def entries(self, *, with_notes: bool = True) -> Iterator[tuple[str, str]]:
        """Yield location and text of the messages that MLIR prints, in order."""
        place, message = self.location, self.message
        if place.startswith("loc("):
            message = message if place == UNKNOWN_LOCATION else f"{place}: {message}"
            place = "<unknown>:0"
        yield self.location, f"{place}: {self.severity}: {message}"
        for caller in self.callers:
            yield caller, f"{caller}: note: called from"
        if with_notes:
            for note in self.notes:
                yield from note.entries()


DiagnosticHandler: TypeAlias = Callable[[Diagnostic], None]


@dataclass(slots=True)
class _Reports:
    """The destination of the diagnostics of the code in a context of `contextvars`."""

    raised: list[BaseException]
    """The exceptions of handlers; the outermost run raises the first one."""

    kept: list[Callable[[], object]] | None = None
    """Calls kept until the operation that this thread works on has its turn."""

    of_runs: tuple[list[Diagnostic], ...] = ()
    """The diagnostics so far of each run that the code is in, the outermost first."""


# A context variable, because verifiers and IR libraries report too, and know no run.
# With `contextvars.copy_context()` it goes into pools and into threads of passes.
_REPORTS: ContextVar[_Reports | None] = ContextVar(
    "passgen_runtime.reports", default=None
)


def print_diagnostic(diagnostic: Diagnostic) -> None:
    """Write `diagnostic` to standard error: the default diagnostic handler."""
    print_message(f"{diagnostic}\n")


_NOT_PLAIN: Final = re.compile(r"[^\t\n -~]")


def visible(text: str) -> str:
    """Return `text` with escapes for control characters except tabs and line ends."""
    return _NOT_PLAIN.sub(lambda found: _visible_character(found[0]), text)


def _visible_character(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")


def print_message(text: str) -> None:
    """Write `text` to standard error, with escapes for control characters."""
    print_text(visible(text))


def print_text(text: str) -> None:
    """Write `text` as it is to standard error, or nowhere if the process has none."""
    if (stream := standard_stream("stderr")) is not None:
        stream.write(text)
        stream.flush()


def standard_stream(name: Literal["stdout", "stderr"]) -> TextIO | None:
    """Return the stream in `sys`; the original if code has closed or removed it."""
    streams: tuple[TextIO | None, ...]
    streams = getattr(sys, name, None), getattr(sys, f"__{name}__", None)
    return next(filter(is_open, streams), None)


def is_open(stream: object) -> bool:
    """Return whether `stream` is a stream that can be written to."""
    try:
        return not getattr(stream, "closed", not hasattr(stream, "write"))
    except ValueError:  # it was detached from its file
        return False


class DiagnosticEngine:
    """Passes diagnostics to a handler, in the order of the IR with threads too."""

    def __init__(self) -> None:
        """Start with a diagnostic handler that prints to standard error."""
        self.diagnostic_handler: DiagnosticHandler = print_diagnostic
        """Called for each diagnostic, in the order of the IR with threads too."""

        self.debug_handler: Callable[[str], object] = print_text
        """Called with each text of `print_debug`, in the same order."""

        self._runs: list[object] = []

    @property
    def is_running(self) -> bool:
        """Whether a pipeline runs: no dialect may be loaded until it has ended."""
        return bool(self._runs)

    def running(self) -> AbstractContextManager[list[Diagnostic]]:
        """Mark that a pipeline runs while the block runs; yield its diagnostics.

        The first exception of a diagnostic handler is raised after the outermost block:
        with threads, it cannot interrupt the pass that has emitted the diagnostic.
        """
        return _RunningBlock(self._runs)

    def handle(self, diagnostic: Diagnostic) -> None:
        """Pass `diagnostic` to the handler, in the order of the IR with threads too."""
        reports = _REPORTS.get()
        if reports is None:
            self.diagnostic_handler(diagnostic)
            return
        for of_run in reports.of_runs:
            of_run.append(diagnostic)
        # A call that is kept comes back here, for the runs around it.
        is_kept = reports.kept is not None
        report = self.handle if is_kept else self.diagnostic_handler
        self.in_order(lambda: report(diagnostic))

    def print_debug(self, text: str) -> None:
        """Write `text` to standard error, in the order of the IR with threads too."""
        self.in_order(lambda: self.debug_handler(text))

    def in_order(self, action: Callable[[], object]) -> None:
        """Call `action` now, or when the current operation has its turn in the IR.

        It waits if threads work on several operations. A thread that a pass itself
        starts belongs to the operation if it runs in a `contextvars.copy_context()`.
        """
        reports = _REPORTS.get()
        if reports is None:
            action()
        elif reports.kept is not None:
            reports.kept.append(action)
        else:
            try:
                action()
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - raised by the run
                reports.raised.append(error)


def is_in_run() -> bool:
    """Return whether a pipeline runs in this thread, or in the one it works for."""
    return _REPORTS.get() is not None


class _RunningBlock:
    """The context manager of a run; a class, because a generator is slower."""

    __slots__ = ("_raised", "_runs", "_token")

    def __init__(self, runs: list[object]) -> None:
        """Make a block that is in `runs` while it runs; threads may run several."""
        self._runs = runs
        self._raised: list[BaseException] = []
        self._token: Token[_Reports | None] | None = None

    def __enter__(self) -> list[Diagnostic]:
        """Begin the run; return the list that gets its diagnostics."""
        around = _REPORTS.get() or _Reports(self._raised)
        diagnostics: list[Diagnostic] = []
        self._token = _REPORTS.set(
            _Reports(around.raised, around.kept, (*around.of_runs, diagnostics))
        )
        self._runs.append(self)
        return diagnostics

    def __exit__(self, raised_inside: object, *_: object) -> None:
        """End the run.

        Raises:
            BaseException: a diagnostic handler raised it in this, the outermost run.
        """
        self._runs.remove(self)
        if self._token is not None:
            _REPORTS.reset(self._token)
        if self._raised and raised_inside is None:
            raise self._raised[0]


@contextmanager
def keeping(actions: list[Callable[[], object]]) -> Iterator[None]:
    """Append calls of `DiagnosticEngine.in_order` to `actions` during the block."""
    token = _REPORTS.set(_Reports([], actions))
    try:
        yield
    finally:
        _REPORTS.reset(token)
