"""The YAML parser's complaints in the user's words.

PyYAML has two parsers, in C and in Python, which word and place the same mistake
differently; a spec's author meets one wording, with the place where mending starts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from passgen.diagnostics import Diagnostic, Note
from passgen.source import Location, SourceFile

_UNREADABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd"
    "\U00010000-\U0010ffff]|\r(?!\n)"
)
"""What YAML cannot hold, and all line ends but LF and CRLF."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the parser said: its words, and two places in 0-based lines and columns."""

    problem: str
    problem_at: tuple[int, int]
    context: str
    context_at: tuple[int, int] | None


def unreadable_character(source: SourceFile) -> Diagnostic | None:
    """Return a diagnostic of the first character that no spec may hold, if any."""
    match = _UNREADABLE.search(source.text)
    if match is None:
        return None
    start = source.text.rfind("\n", 0, match.start()) + 1
    line = source.text.count("\n", 0, match.start()) + 1
    place = Location(source, line, match.start() - start + 1)
    code = ord(match[0])
    if match[0] in "\r\x85\u2028\u2029":
        message = f"found the line end U+{code:04X}, expected a line feed"
    elif match[0] == "\ufeff":
        message = "found a byte order mark inside the text"
    else:
        message = f"found the character U+{code:04X}, which YAML does not allow"
    return Diagnostic(message, place)


def explain(source: SourceFile, complaint: Complaint) -> Diagnostic:
    """Return the diagnostic of a text that is not YAML."""
    line, column = complaint.problem_at
    text = source.line_text(line + 1)
    indentation = text[: len(text) - len(text.lstrip(" \t"))]
    if "\t" in indentation:
        place = Location(source, line + 1, indentation.index("\t") + 1)
        message = "found a tab in the indentation, expected spaces"
        return Diagnostic(message, place)
    opening = _location(source, complaint.context_at)
    if _is_at_end(source, complaint.problem_at) and opening is not None:
        mark = source.line_text(opening.line)[opening.column - 1 :][:1]
        if mark and mark in "\"'[{":
            message = f"'{mark}' is never closed" if mark in "[{" else "unclosed quote"
            return Diagnostic(message, opening)
    place = Location(source, line + 1, column + 1)
    return _in_place(complaint, place, text[column : column + 1], opening)


def _in_place(
    complaint: Complaint, place: Location, found: str, opening: Location | None
) -> Diagnostic:
    problem = complaint.problem
    if "mapping values are not allowed" in problem:
        notes = (
            Note("text that holds ': ' needs quotes"),
            Note("a nested key stands on its own line, indented by spaces"),
        )
        return Diagnostic("found ':' where no key can be", place, notes)
    if "cannot start any token" in problem:
        message = f"found {found!r}, which text without quotes cannot begin with"
        return Diagnostic(message, place)
    for context, expected in _EXPECTED.items():
        if context in complaint.context and "expected" in problem:
            note = Note(f"{expected[1]} begins here", opening)
            return Diagnostic(f"invalid YAML: expected {expected[0]}", place, (note,))
    if "escape character" in problem:
        note = Note("in single quotes a backslash stands for itself")
        return Diagnostic("unknown escape in double quotes", place, (note,))
    if "alphabetic or numeric" in problem:
        return Diagnostic("expected a name after '*' or '&'", place)
    if "node content" in problem:
        return Diagnostic(f"found {found!r}, expected a value", place)
    return Diagnostic(f"invalid YAML: {problem}", place)


_EXPECTED: Final = {
    "flow sequence": ("',' or ']'", "the list"),
    "flow mapping": ("',' or '}'", "the mapping"),
    "block mapping": ("a key of the mapping", "the mapping"),
    "block collection": ("an item of the list, '- ...'", "the list"),
}
"""By the construct that the parser was in: what comes next there, and its name."""


def _location(source: SourceFile, at: tuple[int, int] | None) -> Location | None:
    return None if at is None else Location(source, at[0] + 1, at[1] + 1)


def _is_at_end(source: SourceFile, at: tuple[int, int]) -> bool:
    """Return whether nothing but space follows `at`."""
    line, column = at
    rest = source.line_text(line + 1)[column:]
    return not rest.strip() and len(source.text.rstrip().split("\n")) <= line + 1
