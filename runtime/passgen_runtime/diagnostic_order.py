"""The order in which a run is heard of: that of the IR, also where threads run.

While a thread works on one of several operations, what it has to say is kept, and said
when the operation has its turn. What a diagnostic handler raises meets no pass then
that it could interrupt, and is raised by the run, with one thread too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import TypeAlias

from passgen_runtime.errors import Diagnostic

DiagnosticHandler: TypeAlias = Callable[[Diagnostic], None]

_KEPT: ContextVar[list[Callable[[], object]] | None] = ContextVar(
    "passgen_runtime.kept", default=None
)
"""What is done later, when the operation that this thread works on has its turn."""

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
