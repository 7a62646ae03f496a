"""Diagnostics on standard error, each with the line of the input that it is about.

Implements `SourceMgrDiagnosticHandler` of mlir/lib/IR/Diagnostics.cpp.
"""

from __future__ import annotations

import sys
from typing import Final

from passgen_runtime.errors import Diagnostic
from passgen_runtime.opt.opt_printing import DiagnosticsRequest

_TAB_SIZE = 8
_SHOWN: Final = {
    "errors": {"error"},
    "warnings": {"error", "warning"},
    "remarks": {"error", "warning", "remark", "note"},
}


class SourceLines:
    """The lines of one input, to be shown below diagnostics about them."""

    def __init__(self, text: str, name: str) -> None:
        """Show lines of `text`, the input called `name`."""
        self._lines = text.split("\n")
        self._name = name

    def excerpt(self, location: str, length: int = 1) -> tuple[str, ...]:
        """Return the line at `location` and one that marks it, if it is in the input.

        Args:
            location: `file:line:col`, or what stands for an unknown one.
            length: how many characters to mark.
        """
        place, _, column_text = location.rpartition(":")
        name, _, line_text = place.rpartition(":")
        if name != self._name or not (line_text.isdigit() and column_text.isdigit()):
            return ()
        number, column = int(line_text), int(column_text)
        if not 0 < number <= len(self._lines) or column == 0:
            return ()
        line = self._lines[number - 1].removesuffix("\r")
        margin = len(line[: column - 1].expandtabs(_TAB_SIZE))
        return (line.expandtabs(_TAB_SIZE), f"{' ' * margin}^{'~' * (length - 1)}")


class DiagnosticPrinter:
    """Prints what is to be seen of the diagnostics about one input."""

    def __init__(self, source: SourceLines, request: DiagnosticsRequest) -> None:
        """Show lines of `source`."""
        self._source = source
        self._request = request

    def handle(self, diagnostic: Diagnostic) -> None:
        """Print a diagnostic: the handler for a context."""
        if diagnostic.severity not in _SHOWN[self._request.verbosity]:
            return
        previous = ""
        shown: list[str] = []
        for location, text in diagnostic.entries(with_notes=self._request.with_notes):
            shown.append(text)
            if location != previous:
                shown += self._source.excerpt(location)
            previous = location
        sys.stderr.write("".join(f"{line}\n" for line in shown))
