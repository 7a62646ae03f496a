"""MLIR's diagnostics, converted to those of this package, and locations in them.

An attached handler gets warnings and remarks; errors are in the `MLIRError` that the
bindings raise, unless the context asks for them.
Places are parsed from the text of a location, because some bindings do not expose its
kind.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from passgen_runtime.context import OPERATION_SHOWN
from passgen_runtime.diagnostics import Diagnostic, Severity
from passgen_runtime.ir.mlir.bindings import MLIRObject

MAX_CALLERS: Final = 10
"""How many callers MLIR shows below a diagnostic."""

_FILE_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_CALL_SITE: Final = "callsite("
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|callsite\(|[()]| at ')

_RESOURCES_IGNORED: Final = "ignoring unknown external resources for "
"""MLIR's warning about file metadata, which the driver itself reads and keeps."""


@contextmanager
def reported_to(
    receive: Callable[[Diagnostic], None], mlir: MLIRObject, *, passes_on: bool = False
) -> Iterator[None]:
    """Pass the diagnostics that MLIR reports in this thread to `receive`.

    MLIR calls the handler from native code, which an exception must not cross: the
    exception of `receive` is raised when the block ends.

    Args:
        receive: called with each diagnostic, including its notes.
        mlir: the context of MLIR.
        passes_on: whether the handler around this block gets the diagnostics, too.
    """
    thread_id = threading.get_ident()
    raised: list[BaseException] = []

    def handle(reported: MLIRObject) -> bool:
        if threading.get_ident() != thread_id:
            return False
        try:
            found = diagnostic_of(reported)
            if not found.message.startswith(_RESOURCES_IGNORED):
                receive(found)
        except BaseException as error:  # noqa: BLE001 - raised when the block ends
            raised.append(error)
        return not passes_on

    with mlir.attach_diagnostic_handler(handle):
        yield
    if raised:
        raise raised[0]


def errors_of(error: MLIRObject) -> list[Diagnostic]:
    """Return the errors that an `MLIRError` of the bindings carries."""
    return [*map(diagnostic_of, error.error_diagnostics)]


def diagnostic_of(reported: MLIRObject) -> Diagnostic:
    """Convert an MLIR diagnostic."""
    return replace(_note_of(reported), callers=callers_of(reported.location))


def _note_of(reported: MLIRObject) -> Diagnostic:
    """Convert an MLIR diagnostic without its callers, which MLIR omits in notes."""
    severity: Severity = reported.severity.name.lower()
    notes = tuple(map(_note_of, reported.notes))
    message, place = reported.message.strip(), place_of(reported.location)
    if message.startswith(OPERATION_SHOWN):
        from passgen_runtime.shown_operation import shown_operation  # noqa: PLC0415

        message = shown_operation(message)
    return Diagnostic(severity, message, place, notes)


def without_operation(diagnostic: Diagnostic) -> Diagnostic:
    """Return `diagnostic` without MLIR's note that shows the operation.

    The bindings have no setting for that note.
    """
    notes = tuple(
        note
        for note in diagnostic.notes
        if not note.message.startswith(OPERATION_SHOWN)
    )
    return replace(diagnostic, notes=notes)


def rename_file(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """Return `diagnostic` with the file name `-` replaced by `name`."""
    place = diagnostic.location
    if place.startswith("-:"):
        place = f"{name}{place[1:]}"
    notes = tuple(rename_file(note, name) for note in diagnostic.notes)
    return replace(diagnostic, location=place, notes=notes)


def place_of(location: object) -> str:
    """Return `file:line:col` of the innermost file in `location`, or its text."""
    text = str(location)
    return _place_in(text) or text


def callers_of(location: object) -> tuple[str, ...]:
    """Return the places of the callers in `location`, innermost call first."""
    callers: list[str] = []
    caller = _caller_in(str(location))
    while caller is not None and len(callers) < MAX_CALLERS:
        if place := _place_in(caller):
            callers.append(place)
        caller = _caller_in(caller)
    return tuple(callers)


def _place_in(text: str) -> str | None:
    match = _FILE_PLACE.search(text)
    return None if match is None else f"{match[1]}:{match[2]}:{match[3]}"


def _caller_in(text: str) -> str | None:
    """Return the caller of the first `callsite(callee at caller)` in `text`."""
    depth, begin = 0, None
    for token in _TOKEN.finditer(text):
        if depth == 0 and token[0] != _CALL_SITE:
            continue
        if token[0].endswith("("):
            depth += 1
        elif token[0] == ")":
            depth -= 1
            if not depth:
                return text[begin : token.start()]
        elif token[0] == " at " and depth == 1:
            begin = token.end()
    return None
