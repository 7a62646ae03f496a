"""What MLIR reports, as diagnostics of ours: in runs, and while MLIR is asked.

MLIR calls a handler of ours from native code. An exception must not travel through
that, so what is raised there is kept and raised again by the block that let it report.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final
from weakref import WeakMethod, ref

from passgen_runtime.context import OPERATION_SHOWN, Context
from passgen_runtime.errors import Diagnostic
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject

NOWHERE: Final = "loc(unknown)"

_REPRODUCER_IGNORED: Final = "ignoring unknown external resources for 'mlir_reproducer'"
"""What MLIR says about what we read ourselves."""


class MLIRDiagnostics:
    """What MLIR reports in one of its contexts."""

    def __init__(
        self,
        bindings: Bindings,
        mlir: MLIRObject,
        context: Context,
    ) -> None:
        """Let what MLIR reports in its context `mlir` go to the handler of `context`.

        Args:
            bindings: of `mlir`.
            mlir: MLIR's own context.
            context: ours, which may end before `mlir` does.
        """
        self._bindings = bindings
        self._mlir = mlir
        self._context = ref(context)
        self._collected = threading.local()
        self._raised: list[BaseException] = []
        self._receiver = _receiver(WeakMethod(self._receive), self._raised)
        self._attached: MLIRObject = None
        self.emitting_errors = EmittedErrors(mlir)

    @contextmanager
    def collected(self, found: list[Diagnostic]) -> Iterator[None]:
        """Append what MLIR reports in this thread to `found`."""
        around = getattr(self._collected, "found", None)
        self._collected.found = found
        try:
            with self.reported(), self.emitting_errors:
                yield
        finally:
            self._collected.found = around

    def reported(self) -> ReportedBlock:
        """Let MLIR report to us; its context is afterwards as it was before."""
        return ReportedBlock(self)

    def attach(self) -> bool:
        """Let MLIR report to us, if it does not yet; return whether it did not."""
        if self._attached is not None:
            return False
        self._attached = self._mlir.attach_diagnostic_handler(self._receiver)
        return True

    def detach(self) -> BaseException | None:
        """Let MLIR report to us no more; return what was raised first meanwhile."""
        self._attached.detach()
        self._attached = None
        raised = self._raised[:1]
        self._raised.clear()  # it holds on to frames, and so to handles
        return raised[0] if raised else None

    def say(self, found: Iterable[Diagnostic]) -> None:
        """Give `found` to the handler."""
        context = self._context()
        for each in found:
            if context and not each.message.startswith(_REPRODUCER_IGNORED):
                context.handle(each)

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
        context = self._context()
        if context and not context.prints_operation_on_diagnostic:
            diagnostic = _without_operation(diagnostic)
        found: list[Diagnostic] | None = getattr(self._collected, "found", None)
        if found is not None:
            found.append(diagnostic)
        elif context:
            context.handle(diagnostic)


class ReportedBlock:
    """A block in which MLIR reports: a class, as a generator costs each run more."""

    __slots__ = ("_diagnostics", "_is_outermost")

    def __init__(self, diagnostics: MLIRDiagnostics) -> None:
        """Let what MLIR reports go to `diagnostics`."""
        self._diagnostics = diagnostics
        self._is_outermost = False

    def __enter__(self) -> None:
        """Begin the block."""
        self._is_outermost = self._diagnostics.attach()

    def __exit__(self, raised_inside: object, *_: object) -> None:
        """End the block.

        Raises:
            BaseException: what was raised first where MLIR reported.
        """
        if self._is_outermost:
            raised = self._diagnostics.detach()
            if raised is not None and raised_inside is None:
                raise raised


class EmittedErrors:
    """Blocks in which MLIR reports its errors, rather than puts them into exceptions.

    What passes ask it meanwhile, elsewhere, is answered as the bindings do: they may
    handle an error, and find in it what is wrong.
    """

    __slots__ = ("_lock", "_mlir", "_num_blocks", "_were_emitted")

    def __init__(self, mlir: MLIRObject) -> None:
        """Let the context `mlir` report them in blocks of this."""
        self._mlir = mlir
        self._lock = threading.Lock()
        self._num_blocks = 0
        self._were_emitted = False

    def __enter__(self) -> None:
        """Begin a block; other threads may be in others."""
        with self._lock:
            if not self._num_blocks:
                self._were_emitted = self._mlir.emit_error_diagnostics
                self._mlir.emit_error_diagnostics = True
            self._num_blocks += 1

    def __exit__(self, *_: object) -> None:
        """End a block; after the last, the context is as it was before."""
        with self._lock:
            self._num_blocks -= 1
            if not self._num_blocks:
                self._mlir.emit_error_diagnostics = self._were_emitted


def _receiver(
    receive_here: WeakMethod[Callable[[MLIRObject], None]], raised: list[BaseException]
) -> Callable[[MLIRObject], bool]:
    """Return what MLIR calls to report: it keeps what is raised in `raised`."""

    def receive(diagnostic: MLIRObject) -> bool:
        try:
            this = receive_here()
            if this is not None:
                this(diagnostic)
        except BaseException as error:  # noqa: BLE001 - raised by the block
            raised.append(error)
        return True

    return receive


def _without_operation(diagnostic: Diagnostic) -> Diagnostic:
    """Return `diagnostic` without MLIR's note that shows the operation.

    The bindings cannot tell MLIR to leave it out.
    """
    notes = tuple(
        note
        for note in diagnostic.notes
        if not note.message.startswith(OPERATION_SHOWN)
    )
    return replace(diagnostic, notes=notes)


def renamed(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """Return `diagnostic` about the nameless file as one about `name`."""
    place = diagnostic.location
    if place.startswith("-:"):
        place = f"{name}{place[1:]}"
    notes = tuple(renamed(note, name) for note in diagnostic.notes)
    return Diagnostic(
        diagnostic.severity, diagnostic.message, place, notes, diagnostic.callers
    )
