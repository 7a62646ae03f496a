"""Diagnostics as JSON, one object a line: the form that scripts ask programs for.

A message has the keys `severity`, `file`, `line`, `column`, `message` and `notes`; each
note has the same ones but for the last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

_HEADLINE: Final = re.compile(
    r"(?:(?P<file>\S.*?)(?::(?P<line>\d+):(?P<column>\d+))?: )??"
    r"(?P<severity>error|warning|remark|note): (?P<message>.*)"
)
_PROGRAM: Final = re.compile(r"passgen(-[a-z]+| [a-z]+)?")
_CARET: Final = re.compile(r"[\s.]*\^~*\s*")
_PLACE: Final = re.compile(r"(?P<file>.+):(?P<line>\d+):(?P<column>\d+)")


@dataclass
class JsonMessage:
    """A diagnostic, or a note of one."""

    severity: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    notes: list[JsonMessage] = field(default_factory=list)

    def as_object(self, *, is_note: bool = False) -> dict[str, Any]:
        """Return the object that is printed; a note has no notes."""
        values: dict[str, Any] = {
            "severity": self.severity,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "message": self.message,
        }
        if not is_note:
            values["notes"] = [note.as_object(is_note=True) for note in self.notes]
        return values


def json_lines(messages: Iterator[JsonMessage] | list[JsonMessage]) -> str:
    """Return the objects of `messages`, each on a line."""
    objects = (message.as_object() for message in messages)
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in objects)


def message_at(place: str, severity: str, message: str) -> JsonMessage:
    """Return a message at `place`, `file:line:column` or another text."""
    found = _PLACE.fullmatch(place)
    if found is None:
        return JsonMessage(severity, message)
    line, column = int(found["line"]), int(found["column"])
    return JsonMessage(severity, message, found["file"], line, column)


def messages_in(text: str) -> list[JsonMessage]:
    """Return the messages of `text`, which is written for people.

    A line with a severity begins a message, or is a note of the one above. A line that
    a caret marks is left out: the place has its number. Other lines continue a message;
    before the first one with a severity, they are a note.
    """
    found: list[JsonMessage] = []
    current: JsonMessage | None = None
    for line in _without_excerpts(text.splitlines()):
        match = _HEADLINE.fullmatch(line)
        if match is None and current is not None:
            current.message += f"\n{line}"
            continue
        current = JsonMessage("note", line) if match is None else _message_of(match)
        if current.severity == "note" and found and match is not None:
            found[-1].notes.append(current)
        else:
            found.append(current)
    return found


def _message_of(match: re.Match[str]) -> JsonMessage:
    line, column = match["line"], match["column"]
    is_program = line is None and _PROGRAM.fullmatch(match["file"] or "")
    return JsonMessage(
        match["severity"],
        match["message"],
        None if is_program else match["file"],
        int(line) if line else None,
        int(column) if column else None,
    )


def _without_excerpts(lines: list[str]) -> Iterator[str]:
    """Yield `lines` without those that carets mark, and without the carets."""
    for number, line in enumerate(lines):
        is_caret = _CARET.fullmatch(line)
        is_marked = number + 1 < len(lines) and _CARET.fullmatch(lines[number + 1])
        if not is_caret and not is_marked:
            yield line
