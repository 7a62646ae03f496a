"""Syntax errors of YAML in the words of this project.

PyYAML has two parsers, in C and in Python, which word and locate the same mistake
differently. The author of a spec gets one wording, and the place to correct.
"""

from __future__ import annotations

import re
from dataclasses import replace
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
"""Characters that YAML does not allow, and line ends other than LF and CRLF.

A class of the allowed characters, `[^...]`, takes ten times as long to compile.
"""

_SURROGATES: Final = re.compile(
    r"\\u(?P<high>d[89ab][0-9a-f]{2})(?:\\u(?P<low>d[c-f][0-9a-f]{2}))?"
    r"|\\ud[c-f][0-9a-f]{2}",
    re.IGNORECASE,
)
"""The escapes with which JSON writes characters beyond U+FFFF."""

_TAG: Final = re.compile(r"![^\s,\[\]{}]*")

WHOLE_CHARACTER: Final = "expected the escape of a whole character"


def syntax_error(
    source: SourceFile, error: yaml.MarkedYAMLError, bracket: Mark
) -> Diagnostic:
    """Return the diagnostic of a text that is not YAML.

    Args:
        source: the text.
        error: the parser's exception.
        bracket: the innermost open bracket or brace, if any.
    """
    mark = error.problem_mark
    assert mark is not None
    line, column = mark.line, mark.column
    text = source.line_text(line + 1)
    indentation = text[: len(text) - len(text.lstrip(" \t"))]
    if "\t" in indentation:
        place = Location(source, line + 1, indentation.index("\t") + 1)
        message = "found a tab in the indentation, expected spaces"
        return Diagnostic(message, place)
    if "Unicode character escape" in (error.problem or ""):
        # The parser points at the digits.
        return _no_character(Location(source, line + 1, column - 1))
    opening = _location(source, error.context_mark)
    is_last = len(source.text.rstrip().split("\n")) <= line + 1
    if is_last and not text[column:].strip():
        for place_of_start in (opening, _location(source, bracket)):
            start = text_at(place_of_start) if place_of_start else ""
            if start and start in "\"'":
                return Diagnostic("unclosed quote", place_of_start)
            if start and start in "[{":
                return Diagnostic(f"'{start}' is never closed", place_of_start)
    place = Location(source, line + 1, column + 1)
    found = _in_place(error, place, text[column : column + 1], opening)
    value = _INDICATOR.match(text)
    if value is None or found.message.startswith("found"):
        return found
    return replace(found, notes=(*found.notes, Note(QUOTE_IT.format(value[1]))))


def _in_place(
    error: yaml.MarkedYAMLError, place: Location, found: str, opening: Location | None
) -> Diagnostic:
    problem = error.problem or ""
    if "UTF-8" in problem or "codec" in problem:  # only tags have escapes of bytes
        return unknown_tag(opening or place)
    if "expected" in problem:
        for construct, (expected, what) in _EXPECTED.items():
            if construct in (error.context or ""):
                note = Note(f"{what} begins here", opening)
                return Diagnostic(f"invalid YAML: expected {expected}", place, (note,))
    for words, (message, *notes) in _MESSAGES.items():
        if words in problem:
            at = opening if words == _NO_COLON and opening else place
            text = message.format(found=repr(found))
            return Diagnostic(text, at, tuple(Note(note) for note in notes))
    return Diagnostic(f"invalid YAML: {problem}", place)


def unreadable_character(source: SourceFile) -> Diagnostic | None:
    """Return a diagnostic of the first character that YAML does not allow, if any."""
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
        message = f"found the character U+{code:04X}, which no spec may have"
    return Diagnostic(message, place)


def decoding_error(place: Location, error: ValueError | OverflowError) -> Diagnostic:
    """Return the diagnostic of a value that a parser cannot decode.

    Args:
        place: of the value, or before it in its line if it is a tag.
        error: what the parser raises instead of an error of YAML.
    """
    if isinstance(error, UnicodeDecodeError):
        return unknown_tag(place)
    text = place.source.line_text(place.line)
    if text[: place.column - 1].endswith("\\U"):
        return _no_character(replace(place, column=place.column - 2))
    return Diagnostic(f"invalid YAML: {error}", place)


def unknown_tag(place: Location, tag: str | None = None) -> Diagnostic:
    """Return the diagnostic of a tag that no spec has.

    Args:
        place: of the tag, or before it in its line.
        tag: what to call it; by default its text.
    """
    match = _TAG.search(place.source.line_text(place.line), place.column - 1)
    if match:
        place = replace(place, column=match.start() + 1, length=len(match[0]))
        tag = tag or match[0]
    message = f"unknown tag '{tag}'" if tag else "unknown tag after this"
    return Diagnostic(message, place, (Note("a spec needs no tags"),))


def _no_character(place: Location) -> Diagnostic:
    """Return the diagnostic of an escape whose number is not a character."""
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
    """Return whether `text` has half of a UTF-16 pair, which one parser accepts."""
    return not text.isascii() and bool(re.search("[\ud800-\udfff]", text))


QUOTE_IT: Final = "quote it if it is text: text cannot begin with '{}'"

PROSE: Final = frozenset({"advice", "deprecated", "description", "message", "summary"})
"""Keys of free text."""

_INDICATOR: Final = re.compile(rf"\s*(?:- +)?(?:{'|'.join(PROSE)}): +([\[{{*&])")
"""Prose that begins with a character that text cannot begin with."""

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
"""The message of a mistake and its notes, by words that both parsers use for it."""

_EXPECTED: Final = {
    "flow sequence": ("',' or ']'", "the list"),
    "flow mapping": ("',' or '}'", "the mapping"),
    "block mapping": ("a key of the mapping", "the mapping"),
    "block collection": ("an item of the list, '- ...'", "the list"),
}
"""What may come next in a construct, and what messages call it, by its PyYAML name."""


def _location(source: SourceFile, mark: Mark) -> Location | None:
    return Location(source, mark.line + 1, mark.column + 1) if mark else None
