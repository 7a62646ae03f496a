"""What MLIR reports, as diagnostics of ours: in runs, and while MLIR is asked.

MLIR calls a handler of ours from native code. An exception must not travel through
that, so what is raised there is kept and raised again by the block that let it report.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final
from weakref import WeakMethod

from passgen_runtime.errors import Diagnostic
from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject

NOWHERE: Final = "loc(unknown)"

_REPRODUCER_IGNORED: Final = "ignoring unknown external resources for 'mlir_reproducer'"
"""What MLIR says about what we read ourselves."""


class MLIRDiagnostics:
    """What MLIR reports in one of its contexts."""

    def __init__(
        self,
        bindings: Bindings,
        mlir: MLIRObject,
        handle: Callable[[Diagnostic], None],
    ) -> None:
        """Let what MLIR reports in its context `mlir` go to `handle`.

        Args:
            bindings: of `mlir`.
            mlir: MLIR's own context.
            handle: a method, of an object that may end before `mlir` does.
        """
        self._bindings = bindings
        self._mlir = mlir
        self._handle = WeakMethod(handle)
        self._collected = threading.local()
        self._reported: MLIRObject = None

    @contextmanager
    def collected(self, found: list[Diagnostic]) -> Iterator[None]:
        """Append what MLIR reports in this thread to `found`."""
        around = getattr(self._collected, "found", None)
        self._collected.found = found
        try:
            with self.reported():
                yield
        finally:
            self._collected.found = around

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Let MLIR report to us; its context is afterwards as it was before."""
        if self._reported is not None:
            yield
            return
        mlir, receive_here = self._mlir, WeakMethod(self._receive)
        raised: list[BaseException] = []

        def receive(diagnostic: MLIRObject) -> bool:
            try:
                this = receive_here()
                if this is not None:
                    this(diagnostic)
            except BaseException as error:  # noqa: BLE001 - raised again below
                raised.append(error)
            return True

        emitted_errors = mlir.emit_error_diagnostics
        mlir.emit_error_diagnostics = True
        self._reported = mlir.attach_diagnostic_handler(receive)
        try:
            yield
        finally:
            self._reported.detach()
            self._reported = None
            mlir.emit_error_diagnostics = emitted_errors
        if raised:
            raise raised[0]

    def say(self, found: Iterable[Diagnostic]) -> None:
        """Give `found` to the handler."""
        handle = self._handle()
        for each in found:
            if handle and not each.message.startswith(_REPRODUCER_IGNORED):
                handle(each)

    def first_error(self, found: list[Diagnostic], place: str = NOWHERE) -> Diagnostic:
        """Return the first error in `found`; what came with it is reported.

        Args:
            found: what MLIR has reported.
            place: of what is wrong, where nothing says so.
        """
        errors = [each for each in found if each.severity == "error"]
        if not errors:
            return Diagnostic("error", "the IR is not valid", place)
        self.say(each for each in found if each is not errors[0])
        return errors[0]

    def _receive(self, reported: MLIRObject) -> None:
        diagnostic = self._bindings.diagnostic(reported)
        found: list[Diagnostic] | None = getattr(self._collected, "found", None)
        if found is not None:
            found.append(diagnostic)
        elif handle := self._handle():
            handle(diagnostic)


def renamed(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """Return `diagnostic` about the nameless file as one about `name`."""
    place = diagnostic.location
    if place.startswith("-:"):
        place = f"{name}{place[1:]}"
    notes = tuple(renamed(note, name) for note in diagnostic.notes)
    return Diagnostic(
        diagnostic.severity, diagnostic.message, place, notes, diagnostic.callers
    )
