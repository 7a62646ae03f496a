"""Errors, warnings and notes with locations, and how terminals show them.

A `SpecError` carries all diagnostics of a phase to `cli`, which prints them.
"""

from __future__ import annotations

import os
import re
import time
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TextIO

from passgen.passgen_rules.json_messages import (
    JsonMessage,
    json_lines,
    messages_in,
)
from passgen.passgen_rules.suggestions import nearest_name
from passgen.source import Location

Severity = Literal["error", "warning", "note"]

_TAB = "\t"


@dataclass(frozen=True)
class Note:
    """Advice on a diagnostic, or another location that is involved."""

    message: str
    location: Location | None = None


@dataclass(frozen=True)
class Diagnostic:
    """An error, a warning or a note about a source file.

    Messages begin with a small letter and have no full stop. They put names in single
    quotes, and tell what was found and what was expected.
    """

    message: str
    location: Location | None
    """`None` only if the input could not be read."""

    notes: tuple[Note, ...] = ()
    severity: Severity = "error"

    def __str__(self) -> str:
        """Return the result of `render`."""
        return self.render()

    def render(self) -> str:
        """Return location, message, source line, caret and notes as a text."""
        lines = [_headline(self.location, self.severity, self.message)]
        if self.location is not None:
            lines += _excerpt(self.location)
        for note in self.notes:
            lines.append(_headline(note.location, "note", note.message))
            if note.location is not None:
                lines += _excerpt(note.location)
        return "\n".join(lines)


def as_json(message: Diagnostic | UserError | str) -> str:
    """Return `message` as one object of JSON a line, for scripts."""
    return json_lines(json_messages(message))


def json_messages(message: Diagnostic | UserError | str) -> list[JsonMessage]:
    """Return the messages that `message` consists of, with their notes."""
    if not isinstance(message, Diagnostic):
        return messages_in(str(message))
    found = _json_message(message.severity, message.message, message.location)
    found.notes += (
        _json_message("note", note.message, note.location) for note in message.notes
    )
    return [found]


def _json_message(
    severity: Severity, message: str, location: Location | None
) -> JsonMessage:
    if location is None:
        return JsonMessage(severity, message)
    place = location.source.name, location.line, location.column
    return JsonMessage(severity, message, *place)


class SpecError(Exception):
    """A spec is invalid: all diagnostics of a phase, sorted by location."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Sort `diagnostics`, of which there is at least one."""
        self.diagnostics = tuple(sorted(diagnostics, key=_place))
        self.messages: tuple[Diagnostic | UserError, ...] = self.diagnostics
        super().__init__("\n".join(map(str, self.diagnostics)))


class UserError(Exception):
    """A mistake of the user outside of specs.

    The text is the complete message. It may have a location and several lines.
    """

    code = 1
    """The exit code."""


class InternalError(Exception):
    """A bug in passgen, explained by the text."""


class RenderError(InternalError):
    """A template is wrong, or was given a value that it cannot write.

    This is a bug in passgen, unless the template is the user's own.
    """

    def __init__(self, template: str, line: int | None, reason: str) -> None:
        """Report that `template`, a path below the templates, failed in `line`."""
        self.template = template
        self.line = line
        self.reason = reason
        place = template if line is None else f"{template}:{line}"
        super().__init__(f"{place}: {reason}")


def suggest(name: str, candidates: Iterable[str]) -> tuple[Note, ...]:
    """Return a note with the candidate that is most similar to `name`, if any is."""
    close = nearest_name(name, candidates)
    return (Note(f"did you mean '{close}'?"),) if close else ()


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    location = diagnostic.location
    if location is None:
        return ("", 0, 0)
    return (location.source.name, location.line, location.column)


def _headline(location: Location | None, kind: str, message: str) -> str:
    return f"{location}: {kind}: {message}" if location else f"{kind}: {message}"


_EXCERPT_LENGTH = 160
_EXCERPT_BEFORE = 100
"""The numbers of characters shown of a long line: in all, and before the caret."""


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
    # The caret's margin keeps tabs, so that the caret is below its column.
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
    """Return the width of `char` on a terminal."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]|\r(?!\n)"
)
"""The control characters that terminals interpret, except tabs and line ends."""


def for_terminal(text: str) -> str:
    r"""Return `text` with control characters as escapes: ``\x1b``."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


_COLORS: Final = {"error": "31", "warning": "35", "note": "36"}
_HEADLINE: Final = re.compile(
    r"(?P<place>\A.*?: |^.+:\d+:\d+: |^)(?P<kind>error|warning|note): ", re.MULTILINE
)
_DIFF_COLORS: Final = {
    "---": "\x1b[1m{}\x1b[0m",
    "+++": "\x1b[1m{}\x1b[0m",
    "@@": "\x1b[36m{}\x1b[0m",
    "-": "\x1b[31m{}\x1b[0m",
    "+": "\x1b[32m{}\x1b[0m",
}
_CHANGE: Final = re.compile(r"^(---(?= )|\+\+\+(?= )|@@|-|\+).*", re.MULTILINE)
_PATIENCE_S: Final = 1.0
"""The time after which progress is shown."""


DIAGNOSTICS_FORMATS: Final = ("text", "json")
"""How diagnostics are printed; `json`: one object a line."""

COLORS: Final = ("auto", "always", "never")
"""When text is in color; `auto`: on a terminal, unless `NO_COLOR` is set."""


def colorize(text: str, stream: TextIO | None, color: str = "auto") -> str:
    """Return the message `text` with its severity in color if `stream` shows color."""
    if not _shows_color(stream, color):
        return text
    return _HEADLINE.sub(_color, text)


def colored_diff(text: str, stream: TextIO | None, color: str = "auto") -> str:
    """Return the unified diff `text` in color if `stream` shows color."""
    if not _shows_color(stream, color):
        return text
    return _CHANGE.sub(lambda line: _DIFF_COLORS[line[1]].format(line[0]), text)


def _shows_color(stream: TextIO | None, color: str) -> bool:
    if stream is None or color != "auto":
        return stream is not None and color == "always"
    if not stream.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _color(match: re.Match[str]) -> str:
    kind = match["kind"]
    return f"{match['place']}\x1b[1;{_COLORS[kind]}m{kind}:\x1b[0m "


class Progress:
    """The current input of many, shown in one line on a terminal."""

    def __init__(self, stream: TextIO | None, total: int) -> None:
        """Show progress on `stream`, if it is a terminal, through `total` inputs."""
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
            self.stream.write(
                f"\r\x1b[K[{self.done}/{self.total}] {for_terminal(name)}"
            )
            self.stream.flush()
            self.is_shown = True

    def clear(self) -> None:
        """Remove the line, so that a message can be printed."""
        if self.stream is not None and self.is_shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self.is_shown = False
