"""Diagnostics: what is wrong, where, and what would be right.

`Diagnostic` holds the facts, `Diagnostic.render` is the one place that draws the
source line and the caret, and `SpecError` carries all findings of a phase to `cli`,
which alone prints.
"""

from __future__ import annotations

import os
import re
import time
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TextIO

from passgen.source import Location

Severity = Literal["error", "warning", "note"]

_TAB = "\t"


@dataclass(frozen=True)
class Note:
    """A line that helps to mend a diagnostic; may have a place of its own."""

    message: str
    location: Location | None = None


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a source file.

    Messages are lower case, without a full stop, names in single quotes, and say what
    was found and what was expected.
    """

    message: str
    location: Location | None
    """Where; `None` only when the whole input could not be read."""

    notes: tuple[Note, ...] = ()
    severity: Severity = "error"

    def __str__(self) -> str:
        """Return what `render` does."""
        return self.render()

    def render(self) -> str:
        """Return the text for the user: place, message, source line, caret, notes."""
        lines = [_headline(self.location, self.severity, self.message)]
        if self.location is not None:
            lines += _excerpt(self.location)
        for note in self.notes:
            lines.append(_headline(note.location, "note", note.message))
            if note.location is not None:
                lines += _excerpt(note.location)
        return "\n".join(lines)


class SpecError(Exception):
    """A spec is wrong: every finding of the phase that refused it, sorted by place."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Keep `diagnostics`, of which there is at least one, in order of place."""
        self.diagnostics = tuple(sorted(diagnostics, key=_place))
        self.messages: tuple[Diagnostic | UserError, ...] = self.diagnostics
        super().__init__("\n".join(each.render() for each in self.diagnostics))


class UserError(Exception):
    """What is no fault of a spec, but the user's to mend: the text says what and why.

    It is complete as it stands, several lines perhaps, with a place where there is one.
    """

    code = 1
    """The exit code."""


class InternalError(Exception):
    """A fault of passgen's own; the text says where, better than a class would."""


class RenderError(InternalError):
    """A template is wrong, or it got what it cannot write: a fault of passgen's.

    Or of the user's, if the template is.
    """

    def __init__(self, template: str, line: int | None, reason: str) -> None:
        """Say why `template`, by its path below the templates, is wrong in `line`."""
        self.template = template
        self.line = line
        self.reason = reason
        place = template if line is None else f"{template}:{line}"
        super().__init__(f"{place}: {reason}")


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that a user who typed `name` most likely meant, if any."""
    import difflib  # noqa: PLC0415 - for mistakes alone

    matches = difflib.get_close_matches(name, list(candidates), n=1, cutoff=0.6)
    return matches[0] if matches else None


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    location = diagnostic.location
    if location is None:
        return ("", 0, 0)
    return (location.source.name, location.line, location.column)


def _headline(location: Location | None, kind: str, message: str) -> str:
    return f"{location}: {kind}: {message}" if location else f"{kind}: {message}"


_EXCERPT_LENGTH = 160
_EXCERPT_BEFORE = 100
"""Characters of a longer line that are shown, and how many of them before the caret."""


def _excerpt(location: Location) -> list[str]:
    text = location.source.line_text(location.line)
    if not text.strip():
        return []
    start = location.column - 1
    left = right = ""
    if len(text) > _EXCERPT_LENGTH:
        first = max(0, start - _EXCERPT_BEFORE)
        left = "..." if first else ""
        right = "..." if first + _EXCERPT_LENGTH < len(text) else ""
        text = text[first : first + _EXCERPT_LENGTH]
        start -= first
    length = max(1, min(location.length, len(text) - start))
    # Tabs are kept in the caret's margin so that it stays under its column.
    margin = "".join(
        _TAB if char == _TAB else " " * _cells(char) for char in text[:start]
    )
    width = sum(_cells(char) for char in text[start : start + length])
    shown = "".join(
        char if char.isprintable() or char == _TAB else "?" for char in text
    )
    caret = " " * len(left) + margin + "^" + "~" * (width - 1)
    return [left + shown + right, caret]


def _cells(char: str) -> int:
    """Return the terminal cells that `char` takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


_COLORS: Final = {"error": "31", "warning": "35", "note": "36"}
_HEADLINE: Final = re.compile(
    r"(?P<place>\A.*?: |^.+:\d+:\d+: |^)(?P<kind>error|warning|note): ", re.MULTILINE
)
_PATIENCE_S: Final = 1.0
"""Work shorter than this needs no progress."""


def colored(text: str, stream: TextIO | None) -> str:
    """Return the message `text` with its kind in color if `stream` shows color."""
    if not _shows_color(stream):
        return text
    return _HEADLINE.sub(_color, text)


def _shows_color(stream: TextIO | None) -> bool:
    if stream is None or not stream.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _color(match: re.Match[str]) -> str:
    kind = match["kind"]
    return f"{match['place']}\x1b[1;{_COLORS[kind]}m{kind}:\x1b[0m "


class Progress:
    """One line on a terminal that says which of many inputs is worked on."""

    def __init__(self, stream: TextIO | None, total: int) -> None:
        """Show on `stream`, if it is a terminal, how many of `total` are done."""
        self.stream = stream
        self.total = total
        self.done = 0
        self.start_s = time.monotonic()
        self.is_shown = False

    def step(self, name: str) -> None:
        """Begin the next input, `name`."""
        self.done += 1
        is_long = time.monotonic() - self.start_s >= _PATIENCE_S
        if self.stream is not None and is_long and self.stream.isatty():
            self.stream.write(f"\r\x1b[K[{self.done}/{self.total}] {name}")
            self.stream.flush()
            self.is_shown = True

    def clear(self) -> None:
        """Make room for a message."""
        if self.stream is not None and self.is_shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self.is_shown = False
