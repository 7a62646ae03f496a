"""The text of an example: the values that it names, its variables and first line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

from passgen_runtime.patterns.filled_text import (
    FilledText,
    Token,
    read_tokens,
    without_locations,
)

_CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Definition(NamedTuple):
    """The results that an operation defines, as they are named before it."""

    names: tuple[str, ...]
    """One for each result: `%r` and `%r#1` for `%r:2`."""

    start: int
    """The number of the first token."""

    operation: int
    """The number of the token behind them."""


@dataclass(frozen=True)
class ExampleText:
    """The text of `before` or `after`."""

    text: str
    file: str
    line: int
    column: int
    known: frozenset[str] | None = None
    """The values that `after` may use; `before` may use any."""

    tokens: list[Token] = field(init=False)
    """All but blanks, comments, locations and the first line with types."""

    types: dict[str, Sequence[Token]] = field(init=False)
    """The types of free values that the first line gives."""

    aliases: dict[str, Token] = field(init=False)
    """The values of lines `%0 = %x`, by the names that they define."""

    repeated: list[Token] = field(init=False)
    """The names that a line `%0 = %x` defines once more."""

    def __post_init__(self) -> None:
        """Read the tokens."""
        object.__setattr__(self, "repeated", [])
        object.__setattr__(self, "tokens", list(without_locations(self._all_tokens)))
        object.__setattr__(self, "types", self._take_types())
        object.__setattr__(self, "aliases", self._take_aliases())

    @cached_property
    def _all_tokens(self) -> list[Token]:
        return read_tokens(self.text)

    @property
    def place(self) -> str:
        """The place of the first character."""
        return f"{self.file}:{self.line}:{self.column}"

    def place_of(self, token: Token) -> str:
        """Return the place of a token in the spec."""
        above = self.text.count("\n", 0, token.start)
        column = token.start - self.text.rfind("\n", 0, token.start) - 1
        return f"{self.file}:{self.line + above}:{self.column + column}"

    def _take_types(self) -> dict[str, Sequence[Token]]:
        """Remove `^bb0(%x: T, %y: U):` from the tokens, and return the types.

        Nothing is removed if it is malformed: the parser says so.
        """
        types = dict[str, Sequence[Token]]()
        if not (self._text(0).startswith("^") and self._text(1) == "("):
            return types
        entries, end = self._entries(2)
        for entry in entries:
            is_typed = entry[1:] and entry[0].kind == "value" and entry[1].text == ":"
            if not is_typed or entry[0].text in types:
                return {}
            types[entry[0].text] = entry[2:]
        if self._text(end) != ":":
            return {}
        del self.tokens[: end + 1]
        return types

    def _entries(self, at: int) -> tuple[list[list[Token]], int]:
        """Return what stands between commas in brackets, and the number behind them.

        Args:
            at: the number of the token behind the opening bracket.
        """
        depth, entries = 1, list[list[Token]]()
        while at < len(self.tokens):
            token, at = self.tokens[at], at + 1
            depth += (token.text in _CLOSING) - (token.text in _CLOSING.values())
            if not depth:
                break
            if not entries:
                entries.append([])
            if depth == 1 and token.text == ",":
                entries.append([])
            else:
                entries[-1].append(token)
        return entries, at

    def _take_aliases(self) -> dict[str, Token]:
        """Remove lines `%0 = %x` from the tokens, and return their values.

        A value of several results, `%r#1`, is one token here.
        """
        tokens, aliases, at = self.tokens, dict[str, Token](), 0
        while at + 2 < len(tokens):
            name, mark, value, *_ = tokens[at : at + 3]
            end = at + 3
            text = value.text
            if end < len(tokens) and re.fullmatch(r"#\d+", tokens[end].text):
                text, end = _result(text, int(tokens[end].text[1:])), end + 1
            is_alias = (
                (name.kind, mark.text, value.kind) == ("value", "=", "value")
                and self._begins_line(at)
                and (end == len(tokens) or self._begins_line(end))
            )
            if not is_alias:
                at += 1
                continue
            if name.text in aliases:
                self.repeated.append(name)
            aliases[name.text] = value._replace(text=text)
            del tokens[at:end]
        others = {known for found in self.definitions for known in found.names}
        self.repeated.extend(aliases[name] for name in aliases if name in others)
        return aliases

    def _begins_line(self, at: int) -> bool:
        token = self.tokens[at]
        line = self.text[self.text.rfind("\n", 0, token.start) + 1 : token.start]
        return not line.strip()

    @cached_property
    def definitions(self) -> list[Definition]:
        """The definitions of results, in order."""
        found, at = [], 0
        while at < len(self.tokens):
            definition = self._definition(at)
            if definition is not None:
                found.append(definition)
                at = definition.operation
            else:
                at += 1
        return found

    def _definition(self, at: int) -> Definition | None:
        """Return the definition `%a, %b:2 =` that begins with a token, if one does."""
        names, start = list[str](), at
        while self._kind(at) == "value":
            name, size = self.tokens[at].text, 1
            at += 1
            if self._text(at) == ":" and self._text(at + 1).isdecimal():
                size, at = int(self._text(at + 1)), at + 2
            names += (_result(name, index) for index in range(min(size, 99)))
            if self._text(at) == "=":
                return Definition(tuple(names), start, at + 1)
            if self._text(at) != ",":
                return None
            at += 1
        return None

    @cached_property
    def arguments(self) -> frozenset[str]:
        """The arguments of blocks inside operations."""
        found = set()
        for at, token in enumerate(self.tokens):
            if token.text[0] == "^" and self._text(at + 1) == "(":
                end = at + 2
                while end < len(self.tokens) and self._text(end) != "{":
                    if self._kind(end) == "value" and self._text(end + 1) == ":":
                        found.add(self._text(end))
                    if self._text(end) == ")" and self._text(end + 1) == ":":
                        break
                    end += 1
        return frozenset(found)

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names of values that it defines, as operations use them."""
        names = (name for found in self.definitions for name in found.names)
        return frozenset((*(name.partition("#")[0] for name in names), *self.aliases))

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The names of values that it does not define, by their first use."""
        values = [token for token in self.tokens if token.kind == "value"]
        values = sorted(
            (*values, *self.aliases.values()), key=lambda token: token.start
        )
        names = (token.text.partition("#")[0] for token in values)
        found = dict.fromkeys((*self.types, *names))
        known = (
            None if self.known is None else {n.partition("#")[0] for n in self.known}
        )
        return tuple(
            name
            for name in found
            if name not in self.defined
            and name not in self.arguments
            and (known is None or name in known)
        )

    def statement(self, operation: Token) -> int:
        """Return the offset of the statement whose operation has a name."""
        at = self.tokens.index(operation)
        starts = {found.operation: found.start for found in self.definitions}
        return self.tokens[starts.get(at, at)].start

    def substitute(self, values: Mapping[str, str]) -> str:
        """Return the whole text with texts in place of variables."""
        parts, end = list[str](), 0
        for token in self._all_tokens:
            if token.kind == "variable":
                parts += self.text[end : token.start], values.get(
                    token.text[1:], token.text
                )
                end = token.start + len(token.text)
        return "".join((*parts, self.text[end:]))

    def with_splats(self, types: Collection[str]) -> ExampleText:
        """Return the text with `dense<0> : $T` for `0 : $T`, for some variables."""
        parts, end = list[str](), 0
        for at, token in enumerate(self.tokens):
            if token.text.removeprefix("$") not in types or self._text(at - 1) != ":":
                continue
            last = first = at - 2
            while first and self._is_joined(first):
                first -= 1
            if first < 0 or not self._is_literal(first):
                continue
            start = self.tokens[first].start
            stop = self.tokens[last].start + len(self.tokens[last].text)
            parts += self.text[end:start], "dense<", self.text[start:stop], ">"
            end = stop
        return replace(self, text="".join((*parts, self.text[end:])))

    def _is_joined(self, at: int) -> bool:
        """Return whether a token continues the number that the one before begins."""
        before, token = self.tokens[at - 1], self.tokens[at]
        is_adjacent = before.start + len(before.text) == token.start
        return is_adjacent and self._is_literal(at - 1) and self._is_literal(at)

    def _is_literal(self, at: int) -> bool:
        token = self.tokens[at]
        is_sign = token.kind == "mark" and token.text in {".", "-", "+"}
        return token.kind in {"number", "variable"} or is_sign

    def lists_variable(self, name: str) -> bool:
        """Return whether a variable is one of several in brackets, `<a, $name>`."""
        return any(
            token.text == f"${name}"
            and "," in {self._text(at - 1), self._text(at + 1)}
            and self._is_in_angles(at)
            for at, token in enumerate(self.tokens)
        )

    def _is_in_angles(self, at: int) -> bool:
        depth = 0
        for token in reversed(self.tokens[:at]):
            depth += (token.text in _CLOSING) - (token.text in _CLOSING.values())
            if depth > 0:
                return token.text == "<"
        return False

    def fill(self, values: Mapping[str, str]) -> FilledText:
        """Return the text with texts in place of variables, below an empty line.

        Values of lines `%0 = %x` stand in place of their names.
        """
        parts, spans = ["\n"], list[tuple[int, Token]]()
        offset, end = 1, 0
        heads = {definition.operation: definition for definition in self.definitions}
        places: dict[int, tuple[str, ...]] = {}
        for at, token in enumerate(self.tokens):
            blank = _blanks(self.text[end : token.start])
            text = token.text
            if token.kind == "variable":
                text = values.get(text[1:], text)
            elif token.kind == "value" and text in self.aliases:
                text = self._resolve(text, token.start)
            offset += len(blank)
            spans.append((offset, token))
            if at in heads:
                places[offset] = heads[at].names
            parts += blank, text
            offset += len(text)
            end = token.start + len(token.text)
        whole = "".join(parts)
        starts = [0, *accumulate(len(line) + 1 for line in whole.split("\n"))]
        located = {
            (line := bisect_right(starts, start), start - starts[line - 1] + 1): names
            for start, names in places.items()
        }
        return FilledText(
            whole,
            self.free,
            located,
            spans,
            starts,
            self.file,
            self.place,
            self.place_of,
        )

    def fill_types(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return the types that the first line gives."""
        return {
            name: "".join(
                (
                    values.get(token.text[1:], token.text)
                    if token.kind == "variable"
                    else token.text
                )
                for token in _with_blanks(tokens)
            )
            for name, tokens in self.types.items()
        }

    def _resolve(self, name: str, before: int) -> str:
        """Return the value that a name stands for at an offset."""
        while (value := self.aliases.get(name)) and value.start < before:
            name, before = value.text, value.start
        return name

    def resolve(self, name: str) -> str:
        """Return the value that a name stands for at the end."""
        return self._resolve(name, len(self.text) + 1)

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def _kind(self, at: int) -> str:
        return self.tokens[at].kind if at < len(self.tokens) else ""


def _result(name: str, index: int) -> str:
    """Return the name of a result of several that share one."""
    return f"{name}#{index}" if index else name


def _blanks(text: str) -> str:
    """Return the line ends of a text between tokens, or a blank if there is any."""
    return "\n" * text.count("\n") or " " * bool(text)


def _with_blanks(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens, with a blank where some stood."""
    end = tokens[0].start if tokens else 0
    for token in tokens:
        if token.start > end:
            yield Token("blank", " ", end)
        yield token
        end = token.start + len(token.text)
