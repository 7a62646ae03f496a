r"""The text of pass options: keys, values, quotes, braces and lists.

Implements the option half of "Textual Pass Pipeline Specification" of MLIR's
PassManagement page, like `parseNextArg`, `extractArgAndUpdateOptions` and `findChar` of
mlir/lib/Pass/PassRegistry.cpp. It knows no option.

    options ::= (key (`=` value)?)*      separated by blanks or line ends
    value   ::= plain | `'`...`'` | `"`...`"` | `{`...`}` | `$'`...`'`
    list    ::= element (`,` element)*   optionally in quotes or braces

Blanks inside quotes and braces belong to the value, and commas inside brackets and
parentheses, too.
Two forms differ from MLIR:

- Line ends and tabs separate options as blanks do.
- `$'...'` is a string with the escapes `\n`, `\t`, `\r`, `\0`, `\\`, `\xhh`, `\uhhhh`
  and `\Uhhhhhhhh`, for strings that MLIR cannot spell: with a blank at the start, both
  kinds of quotes or an unmatched brace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from .errors import Span

BLANKS: Final = " \t\n\v\f\r"
"""The characters between tokens; other white space of Unicode is ordinary text."""

OPTION_NAME_PATTERN: Final = r"""[^\s,(){}\[\]='"]+"""
"""The names of options, as a regular expression; a bracket would hide a brace."""

_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_QUOTES: Final = "'\""
_KEY = re.compile(r"[^ \t\n\v\f\r=]*")
_SPACE = re.compile(r"[ \t\n\v\f\r]*")
_PLAIN: Final = r"[^ ,'\"(){}\[\]]+"
_ESCAPED_STRING: Final = r"\$'([^']*)'"
_ESCAPE: Final = (
    r"\\(?:([ntr0\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))"
)
_UNESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\"}
_ESCAPED: Final = {char: f"\\{name}" for name, char in _UNESCAPED.items()}
_LARGEST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True, slots=True, eq=False)
class TextSlice:
    """A part of a text, with its place; slices of equal text are equal."""

    source: str
    """The whole text of the user."""

    start: int
    end: int

    @classmethod
    def of(cls, text: str) -> TextSlice:
        """Return the slice that is all of `text`."""
        return cls(text, 0, len(text))

    @property
    def span(self) -> Span:
        """The place in the source."""
        return Span(self.start, self.end)

    def between(self, start: int, end: int) -> TextSlice:
        """Return the slice of the same source from `start` to `end`."""
        return TextSlice(self.source, start, end)

    def strip(self) -> TextSlice:
        """Return the slice without the blanks around it."""
        start, end = self.start, self.end
        while start < end and self.source[start] in BLANKS:
            start += 1
        while start < end and self.source[end - 1] in BLANKS:
            end -= 1
        return self.between(start, end)

    def __str__(self) -> str:
        """Return the text of the slice."""
        return self.source[self.start : self.end]

    def __len__(self) -> int:
        """Return the number of characters."""
        return self.end - self.start

    def __eq__(self, other: object) -> bool:
        """Return whether `other` has the same text, at any place."""
        return isinstance(other, TextSlice) and str(self) == str(other)

    def __hash__(self) -> int:
        """Return the hash of the text."""
        return hash(str(self))


@dataclass(frozen=True, slots=True)
class TextualOption:
    """One `key=value` of a pass; a bare key has no value."""

    key: str
    """The key without its quotes; empty in `=value`, which MLIR skips."""

    value: TextSlice | None
    """The text as written, with its quotes or braces; `None` for a bare key."""

    written: str
    """The key with its quotes, if it has any."""

    span: Span = field(compare=False)
    """The place of the key."""

    @property
    def value_span(self) -> Span:
        """The place of the value; of the key if the value is missing or empty."""
        return self.value.span if self.value else self.span

    def __str__(self) -> str:
        """Return the option as pipelines spell it."""
        return self.written if self.value is None else f"{self.written}={self.value}"


def parse_options(text: str | TextSlice) -> Iterator[TextualOption]:
    """Yield the options in `text`, which is the text between a pass's braces.

    No text is refused: an unclosed quote is plain text, an open brace takes the rest.
    """
    text_slice = TextSlice.of(text) if isinstance(text, str) else text
    source, end = text_slice.source, text_slice.end
    position = _match_end(_SPACE, source, text_slice.start, end)
    while position < end:
        key_end = _match_end(_KEY, source, position, end)
        key = text_slice.between(position, key_end)
        position = key_end
        value = None
        if position < end and source[position] == "=":
            position = _value_end(source, key_end + 1, end)
            value = text_slice.between(key_end + 1, position)
        name = str(unwrap(key))
        if name or value is not None:
            yield TextualOption(name, value, str(key), key.span)
        position = _match_end(_SPACE, source, position, end)


def is_option_name(text: str) -> bool:
    """Return whether an option may be called `text`."""
    return re.fullmatch(OPTION_NAME_PATTERN, text) is not None


def unwrap(value: TextSlice) -> TextSlice:
    """Return `value` without its outer quotes or braces and the blanks beside them."""
    value = value.strip()
    if len(value) <= 1:
        return value
    first, last = value.source[value.start], value.source[value.end - 1]
    if first not in _QUOTES:
        closing = _find(value.source, value.start + 1, value.end, "}")
        if first != "{" or closing != value.end - 1:
            return value
    elif first != last:
        return value
    return value.between(value.start + 1, value.end - 1).strip()


def text_of(value: TextSlice) -> str:
    """Return the string that `value` spells."""
    if escaped := re.fullmatch(_ESCAPED_STRING, str(value.strip())):
        return re.sub(_ESCAPE, _unescape, escaped[1])
    return str(unwrap(value))


def split_list(value: TextSlice) -> Iterator[TextSlice]:
    """Yield the elements of a list `value`; commas in brackets separate none."""
    value = unwrap(value)
    if not value:
        return
    start = value.start
    while (comma := _find(value.source, start, value.end, ",")) >= 0:
        yield value.between(start, comma).strip()
        start = comma + 1
    yield value.between(start, value.end).strip()


def quote(value: str) -> str:
    """Return text that `text_of`, and MLIR if possible, reads as the string `value`."""
    if value.isprintable() and value == value.strip(BLANKS):
        if re.fullmatch(_PLAIN, value):
            return value
        if _has_balanced_braces(value):
            for mark in _QUOTES:
                if mark not in value:
                    return f"{mark}{value}{mark}"
    return f"$'{''.join(map(_escape, value))}'"


def braced_text(value: str) -> str:
    """Return `value` as a single value or list element: in braces if necessary."""
    is_whole = _value_end(value, 0, len(value)) == len(value)
    is_single = is_whole and value[:1] not in ("{", *_QUOTES)
    has_comma = _find(value, 0, len(value), ",") >= 0
    return value if is_single and not has_comma else f"{{{value}}}"


def list_text(elements: Iterable[str]) -> str:
    """Return the text of a list whose elements have these texts."""
    texts = (element or "''" for element in elements)
    return f"{{{','.join(texts)}}}"


def _value_end(text: str, position: int, end: int) -> int:
    """Return the position after the value that begins at `position`."""
    while position < end and (char := text[position]) not in BLANKS:
        if char in _QUOTES:
            position = _after_quote(text, position, end)
        elif char == "{":
            position = _after_braces(text, position, end)
        else:
            position += 1
    return position


def _after_quote(text: str, position: int, end: int) -> int:
    closing = text.find(text[position], position + 1, end)
    return (closing if closing >= 0 else position) + 1


def _after_braces(text: str, position: int, end: int) -> int:
    depth = 0
    while position < end:
        char = text[position]
        if char in _QUOTES:
            position = _after_quote(text, position, end)
            continue
        depth += (char == "{") - (char == "}")
        position += 1
        if depth == 0:
            break
    return position


def _find(text: str, start: int, end: int, char: str) -> int:
    """Return the position of the next `char` outside of brackets and quotes, or -1.

    An unclosed bracket or quote hides the whole rest.
    """
    expected = [char]
    position = start
    while position < end:
        current = text[position]
        if current == expected[-1]:
            expected.pop()
            if not expected:
                return position
        elif current in _CLOSING:
            expected.append(_CLOSING[current])
        elif current in _QUOTES:
            position = text.find(current, position + 1, end)
            if position < 0:
                break
        position += 1
    return -1


def _has_balanced_braces(value: str) -> bool:
    depth = 0
    for char in value:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


def _escape(char: str) -> str:
    if char in _ESCAPED:
        return _ESCAPED[char]
    code = ord(char)
    if char in "'{}" or (not char.isprintable() and code < 1 << 8):
        return f"\\x{code:02x}"
    if char.isprintable():
        return char
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


def _unescape(match: re.Match[str]) -> str:
    """Return the character of an escape, or the escape if there is none."""
    if match[1]:
        return _UNESCAPED[match[1]]
    code = int(match[2] or match[3] or match[4], 16)
    return chr(code) if code <= _LARGEST_CODE_POINT else match[0]


def _match_end(pattern: re.Pattern[str], text: str, position: int, end: int) -> int:
    match = pattern.match(text, position, end)
    assert match is not None
    return match.end()
