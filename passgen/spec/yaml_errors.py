"""The YAML parser's complaints in the user's words.

PyYAML has two parsers, in C and in Python, which word and place the same mistake
differently; a spec's author meets one wording, with the place where mending starts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

import yaml

from passgen.diagnostics import Diagnostic, Note
from passgen.source import Location, SourceFile
from passgen.spec.located import text_at

if TYPE_CHECKING:
    from yaml._yaml import Mark as CMark
    from yaml.error import Mark as PythonMark

    Mark: TypeAlias = CMark | PythonMark | None

_UNREADABLE: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
    r"|\r(?!\n)"
)
"""What YAML cannot hold, and all line ends but LF and CRLF.

A class of what it excludes, `[^...]`, would take ten times as long to compile.
"""

_SURROGATES: Final = re.compile(
    r"\\u(?P<high>d[89ab][0-9a-f]{2})(?:\\u(?P<low>d[c-f][0-9a-f]{2}))?"
    r"|\\ud[c-f][0-9a-f]{2}",
    re.IGNORECASE,
)
"""Escapes that JSON writes characters beyond U+FFFF with."""

WHOLE_CHARACTER: Final = "expected the escape of a whole character"


@dataclass(frozen=True)
class Complaint:
    """What the parser said: its words, and two places in 0-based lines and columns."""

    problem: str
    problem_at: tuple[int, int]
    context: str
    context_at: tuple[int, int] | None
    bracket_at: tuple[int, int] | None
    """The innermost bracket or brace that is open."""


def syntax_error(
    source: SourceFile, error: yaml.MarkedYAMLError, bracket: Mark
) -> Diagnostic:
    """Return the diagnostic of what the parser found wrong with `source`.

    Args:
        source: the text.
        error: what the parser raised.
        bracket: where the innermost bracket or brace that is open stands, if any.
    """
    problem, context = error.problem_mark, error.context_mark
    assert problem is not None
    complaint = Complaint(
        problem=error.problem or "",
        problem_at=(problem.line, problem.column),
        context=error.context or "",
        context_at=(context.line, context.column) if context else None,
        bracket_at=(bracket.line, bracket.column) if bracket else None,
    )
    return explain(source, complaint)


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
    if "Unicode character escape" in complaint.problem:
        # The parser points at the digits.
        return _no_character(Location(source, line + 1, column - 1))
    opening = _location(source, complaint.context_at)
    if _is_at_end(source, complaint.problem_at):
        for at in (opening, _location(source, complaint.bracket_at)):
            mark = text_at(at) if at else ""
            if mark and mark in "\"'":
                return Diagnostic("unclosed quote", at)
            if mark and mark in "[{":
                return Diagnostic(f"'{mark}' is never closed", at)
    place = Location(source, line + 1, column + 1)
    return _in_place(complaint, place, text[column : column + 1], opening)


def _no_character(place: Location) -> Diagnostic:
    """Return the diagnostic of the escape at `place`, whose number is no character."""
    text = place.source.line_text(place.line)
    pair = _SURROGATES.match(text, place.column - 1)
    if pair is None:
        escape = re.compile(r"\\\w*").match(text, place.column - 1)
        found = escape[0] if escape else ""
        place = replace(place, length=max(1, len(found)))
        message = f"found the escape '{found}', expected the number of a character"
        return Diagnostic(message, place)
    place = replace(place, length=len(pair[0]))
    message = f"found '{pair[0]}' of UTF-16, {WHOLE_CHARACTER}"
    notes: tuple[Note, ...] = ()
    if pair["low"]:
        high, low = int(pair["high"], 16), int(pair["low"], 16)
        code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
        notes = (Note(f'write "\\U{code:08x}"'),)
    return Diagnostic(message, place, notes)


def has_surrogate(text: str) -> bool:
    """Return whether `text`, which one of the parsers accepts, cannot be encoded."""
    return not text.isascii() and bool(re.search("[\ud800-\udfff]", text))


def _in_place(
    complaint: Complaint, place: Location, found: str, opening: Location | None
) -> Diagnostic:
    problem = complaint.problem
    for construct, (expected, what) in _EXPECTED.items():
        if construct in complaint.context and "expected" in problem:
            note = Note(f"{what} begins here", opening)
            return Diagnostic(f"invalid YAML: expected {expected}", place, (note,))
    for words, (message, *notes) in _MESSAGES.items():
        if words in problem:
            at = opening if words == _NO_COLON and opening else place
            text = message.format(found=repr(found))
            return Diagnostic(text, at, tuple(Note(note) for note in notes))
    return Diagnostic(f"invalid YAML: {problem}", place)


_NO_COLON: Final = "could not find expected ':'"

_MESSAGES: Final = {
    "mapping values are not allowed": (
        "found ':' where no key can be",
        "text that holds ': ' needs quotes",
        "a nested key stands on its own line, indented by spaces",
    ),
    "sequence entries are not allowed": (
        "found '-' where no list can be",
        "a list in dashes begins on its own line",
    ),
    "cannot start any token": (
        "found {found}, which text without quotes cannot begin with",
    ),
    "escape character": (
        "unknown escape in double quotes",
        "in single quotes a backslash stands for itself",
    ),
    "alphabetic or numeric": ("expected a name after '*' or '&'",),
    "node content": ("found {found}, expected a value",),
    _NO_COLON: ("invalid YAML: expected ':' after this text",),
}
"""By words that are in both parsers' complaints: the message, and notes."""

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
