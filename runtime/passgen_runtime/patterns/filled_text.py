"""The tokens of examples, and an example as parsers get it.

The tokens are those of MLIR's language, so that neither line ends nor blanks, comments
or locations change what a text means.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"(?P<blank>\s+|//[^\n]*)"
    r'|(?P<string>@?"(?:[^"\\\n]|\\.)*")'
    r"|(?P<value>%[\w$.-]+)"
    r"|(?P<number>(?<=\])x|\d\w*|[?*]\w*)"
    r"|(?P<name>[@^#!][\w$.-]+|[A-Za-z_][\w$.]*)"
    r"|\$(?P<variable>\w+)"
    r"|(?P<mark>->|==|.)",
    re.DOTALL,
)
"""A name that begins with a letter may have a `$` that is text; sizes of shapes end
where a type begins."""

_PLACE: Final = re.compile(r":(\d+):(\d+)$")


class Token(NamedTuple):
    """A token of an example."""

    kind: str
    text: str
    start: int
    """The offset in the text."""


def read_tokens(text: str) -> list[Token]:
    """Return the tokens of a text without blanks and comments."""
    return [
        Token(str(match.lastgroup), match[0], match.start())
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "blank"
    ]


def without_locations(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens without `loc(...)`."""
    at = 0
    while at < len(tokens):
        is_location = tokens[at].text == "loc" and at + 1 < len(tokens)
        if not (is_location and tokens[at + 1].text == "("):
            yield tokens[at]
            at += 1
            continue
        depth, at = 1, at + 2
        while at < len(tokens) and depth:
            depth += (tokens[at].text == "(") - (tokens[at].text == ")")
            at += 1


@dataclass(frozen=True, slots=True)
class FilledText:
    """An example with texts in place of its variables, for a parser."""

    text: str
    """The first line is empty: what is written there moves no place."""

    free: tuple[str, ...]
    """The names of values that it uses and does not define, by their first use."""

    definitions: Mapping[tuple[int, int], tuple[str, ...]]
    """The names of results, by line and column of the name of the operation."""

    spans: Sequence[tuple[int, Token]]
    """The tokens by their offsets in `text`."""

    line_starts: Sequence[int]
    file: str
    place: str
    """The place of the example in the spec."""

    place_of: Callable[[Token], str]
    """Returns the place of a token in the spec."""

    def token_at(self, place: str) -> Token | None:
        """Return the token at a place in `text`, as errors give it."""
        found = _PLACE.search(place)
        if found is None:
            return None
        line, column = _numbers(found)
        if not 1 < line <= len(self.line_starts):  # the first one is not of the spec
            return None
        offset = self._offset(line, column)
        at = bisect_right(self.spans, offset, key=lambda span: span[0]) - 1
        return self.spans[at][1] if at >= 0 else None

    def starts_at(self, token: Token, place: str) -> bool:
        """Return whether a token starts at a place in `text`: others are behind it."""
        found = _PLACE.search(place)
        assert found is not None, "a token stands there"
        offset = self._offset(*_numbers(found))
        return any(start == offset for start, known in self.spans if known is token)

    def results_at(self, place: str) -> tuple[str, ...]:
        """Return the names of the results of the operation whose name is at a place."""
        found = _PLACE.search(place)
        return self.definitions.get(_numbers(found), ()) if found else ()

    def first_use(self, name: str) -> int:
        """Return the offset in the example of the first use of a value."""
        return min(
            (token.start for _, token in self.spans if token.text == name), default=0
        )

    def is_first_use(self, token: Token) -> bool:
        """Return whether a value is used nowhere before."""
        return token.kind == "value" and self.first_use(token.text) == token.start

    def place_in_spec(self, place: str) -> str:
        """Return the place in the spec of a place in `text`."""
        token = self.token_at(place)
        return self.place if token is None else self.place_of(token)

    def may_need_surroundings(self, token: Token) -> bool:
        """Return whether an operation with this name may need a symbol, or a parent.

        It refers to a symbol, or is a terminator, which has no results.
        """
        refers = any(found.text[0] == "@" for _, found in self.spans)
        starts = {self._offset(*place) for place in self.definitions}
        offset = next(start for start, found in self.spans if found is token)
        return refers or offset not in starts

    def _offset(self, line: int, column: int) -> int:
        return self.line_starts[line - 1] + column - 1

    def type_texts(self) -> Iterator[tuple[int, str]]:
        """Yield texts that may be types, with their offsets in the example."""
        starts = [start for start, _ in self.spans]
        for at, (start, token) in enumerate(self.spans):
            if token.kind not in {"name", "variable"} or token.text[0] in "@^#":
                continue
            end = at + 1
            if self._mark(end) == "<":
                end = self._end_of_brackets(end)
            stop = starts[end] if end < len(starts) else len(self.text)
            yield token.start, self.text[start:stop].strip()

    def _mark(self, at: int) -> str:
        return self.spans[at][1].text if at < len(self.spans) else ""

    def _end_of_brackets(self, at: int) -> int:
        """Return the number of the span behind the bracket that closes that at `at`."""
        depth = 0
        while at < len(self.spans):
            mark = self._mark(at)
            depth += (mark == "<") - (mark == ">")
            at += 1
            if not depth:
                break
        return at


def operation_name(token: Token) -> str:
    """Return the name of an operation that a token may be; empty if it is none."""
    is_name = token.kind == "name" and token.text[0] not in "@^#!"
    is_quoted = token.kind == "string" and token.text[0] == '"'
    name = token.text.strip('"')
    return name if (is_name or is_quoted) and "." in name else ""


def _numbers(place: re.Match[str]) -> tuple[int, int]:
    return int(place[1]), int(place[2])
