"""Diagnostics: what they say, who handles them, and in which order they are reported.

The order is that of the IR, also where threads run: while a thread works on one of
several operations, its diagnostics are kept, and reported when the operation has its
turn. No pass runs any more then that an exception of a diagnostic handler could
interrupt, so the run raises it, with one thread too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Literal, TypeAlias

UNKNOWN_LOCATION = "loc(unknown)"
"""The location of an operation that comes from nowhere."""

Severity = Literal["error", "warning", "remark", "note"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something a pass or the infrastructure says about an operation."""

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
        """Yield the location and the text of each thing that MLIR prints, in order."""
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

_KEPT: ContextVar[list[Callable[[], object]] | None] = ContextVar(
    "passgen_runtime.kept", default=None
)
"""Calls kept until the operation that this thread works on has its turn."""

_RAISED: ContextVar[list[BaseException] | None] = ContextVar(
    "passgen_runtime.raised", default=None
)
"""What diagnostic handlers raised in the outermost run around, which it raises."""


def print_diagnostic(diagnostic: Diagnostic) -> None:
    """Write `diagnostic` to standard error: the handler of a context that has none."""
    sys.stderr.write(f"{diagnostic}\n")


class RunningBlock:
    """The block of a run: a class, because a generator costs each run more."""

    __slots__ = ("_raised", "_runs", "_token")

    def __init__(self, runs: list[object]) -> None:
        """Be counted in `runs` meanwhile: several threads may run pipelines."""
        self._runs = runs
        self._raised: list[BaseException] = []
        self._token: Token[list[BaseException] | None] | None = None

    def __enter__(self) -> None:
        """Begin the run."""
        if _RAISED.get() is None:
            self._token = _RAISED.set(self._raised)
        self._runs.append(self._raised)

    def __exit__(self, raised_inside: object, *_: object) -> None:
        """End the run.

        Raises:
            BaseException: what a diagnostic handler raised, if this is the outermost.
        """
        self._runs.pop()
        if self._token is not None:
            _RAISED.reset(self._token)
        if self._raised and raised_inside is None:
            raise self._raised[0]


def do_in_order(action: Callable[[], object]) -> None:
    """Call `action` now, or when the operation at hand has its turn in the IR."""
    kept, raised = _KEPT.get(), _RAISED.get()
    if kept is not None:
        kept.append(action)
    elif raised is None:
        action()
    else:
        try:
            action()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - raised by the run
            raised.append(error)


@contextmanager
def keeping(actions: list[Callable[[], object]]) -> Iterator[None]:
    """Append to `actions` what this thread gives to `do_in_order`."""
    token = _KEPT.set(actions)
    try:
        yield
    finally:
        _KEPT.reset(token)
