"""The metadata section at the end of a file of IR: `{-# ... #-}`.

This parser needs no IR library: reproducers are the same for each. The grammar is
MLIR's:

    metadata ::= `{-#` (entry (`,` entry)*)? `#-}`
    entry    ::= key `:` (value | `{` (entry (`,` entry)*)? `}`)
    key      ::= bare-id | string
    value    ::= string | bare-id | number
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError

DIALECT_RESOURCES = "dialect_resources"
"""The entry for resources of dialects."""

EXTERNAL_RESOURCES = "external_resources"
"""The entry for resources that belong to no dialect."""

_BEGIN = "{-#"
_END = "#-}"

_OUTSIDE = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|//[^\n]*|\{-#')
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      | (?P<end>\#-\})
      | (?P<string>"(?:[^"\\\n]++|\\.)*+")
      | (?P<word>[A-Za-z_][\w$.]*|-?[0-9][\w.]*)
      | (?P<mark>[{},:])
      | (?P<wrong>.)""",
    re.VERBOSE | re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)
_ESCAPE = re.compile(rb'\\(?:([0-9A-Fa-f]{2})|([nt"\\]))')
_NAMED_ESCAPES = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}


def external_resources(text: str, name: str) -> tuple[MetadataEntry, ...]:
    """Return the resources of `text` that belong to no dialect, each with its values.

    Args:
        text: IR, perhaps followed by metadata.
        name: the file name for diagnostics.

    Raises:
        IRError: the metadata is damaged.
    """
    start = metadata_start(text)
    sections = () if start is None else _entries(text, start, name)
    return tuple(
        resource
        for section in sections
        if section.key == EXTERNAL_RESOURCES
        for resource in section.children
    )


def section_values(text: str, section: str, name: str) -> dict[tuple[str, str], str]:
    """Return the literals of the values in a section, by their group and key.

    Args:
        text: IR, perhaps followed by metadata.
        section: `DIALECT_RESOURCES` or `EXTERNAL_RESOURCES`.
        name: the file name for diagnostics.

    Raises:
        IRError: the metadata is damaged.
    """
    start = metadata_start(text)
    entries = () if start is None else _entries(text, start, name)
    return {
        (group.key, value.key): value.literal
        for entry in entries
        if entry.key == section
        for group in entry.children
        for value in group.children
    }


def metadata_text(sections: Mapping[str, Mapping[tuple[str, str], str]]) -> str:
    """Return the metadata with literals by section, group and key; empty without any.

    The layout is that of `mlir-opt`.
    """
    parts = []
    for section, values in sections.items():
        groups: dict[str, list[str]] = {}
        for (group, key), literal in values.items():
            groups.setdefault(group, []).append(f"      {key_text(key)}: {literal}")
        shown = [
            f"    {key_text(group)}: {{\n{_lines(entries)}\n    }}"
            for group, entries in groups.items()
        ]
        if shown:
            parts.append(f"  {section}: {{\n{_lines(shown)}\n  }}")
    return f"{_BEGIN}\n{_lines(parts)}\n{_END}" if parts else ""


def _lines(entries: Iterable[str]) -> str:
    return ",\n".join(entries)


def append_external_resources(
    text: str, resources: Iterable[tuple[str, Mapping[str, str | bool]]]
) -> str:
    """Return `text`, which is IR, with groups of values and a line end added.

    Other resources in the text are kept, and stand after those that are added.
    """
    groups = []
    for group, values in resources:
        items = values.items()
        body = _lines(f"      {key_text(key)}: {_value(value)}" for key, value in items)
        groups.append(f"    {key_text(group)}: {{\n{body}\n    }}")
    if not groups:
        return text
    added = _lines(groups)
    section = f"  {EXTERNAL_RESOURCES}: {{\n{added}\n  }}"
    text = text.rstrip()
    start = metadata_start(text)
    if start is None:
        return f"{text}\n\n{_BEGIN}\n{section}\n{_END}\n"
    entries = _entries(text, start, "<IR>")
    for known in entries:
        if known.key == EXTERNAL_RESOURCES:
            at = known.value_start + 1
            before, rest = text[:at], text[at:].lstrip()
            comma, indent = (",", "    ") if known.children else ("", "  ")
            return f"{before}\n{added}{comma}\n{indent}{rest}\n"
    before = text.removesuffix(_END).rstrip()
    comma = "," if entries else ""
    return f"{before}{comma}\n{section}\n{_END}\n"


def quote(text: str) -> str:
    """Return `text` as a string literal of MLIR."""
    parts = []
    for char in text:
        if char == "\\":
            parts.append("\\\\")
        elif char == '"' or not char.isprintable():
            parts.extend(
                f"\\{byte:02X}" for byte in char.encode(errors="surrogateescape")
            )
        else:
            parts.append(char)
    return f'"{"".join(parts)}"'


def unquote(literal: str) -> str:
    """Return the value of a string literal of MLIR."""
    if "\\" not in literal:  # a blob may have millions of characters
        return literal[1:-1]

    def value(match: re.Match[bytes]) -> bytes:
        if match[1] is not None:
            return bytes.fromhex(match[1].decode())
        return _NAMED_ESCAPES[match[2]]

    return _ESCAPE.sub(value, literal[1:-1].encode()).decode(errors="surrogateescape")


@dataclass(frozen=True, slots=True)
class MetadataEntry:
    """A key with its value, which is a string, a word, or entries."""

    key: str
    start: int
    """The position of the key in the file."""

    value_start: int
    literal: str = ""
    """The value as it stands in the file, if it is one string or word."""

    string: str | None = None
    word: str | None = None
    children: tuple[MetadataEntry, ...] = ()


def metadata_start(text: str) -> int | None:
    """Return the position of the metadata section in `text`, if it has one."""
    if _BEGIN not in text:
        return None
    found = (match.start() for match in _OUTSIDE.finditer(text) if match[0] == _BEGIN)
    return next(found, None)


def _entries(text: str, start: int, name: str) -> tuple[MetadataEntry, ...]:
    return _MetadataParser(text, start + len(_BEGIN), name).parse_entries(_END)


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


class _MetadataParser:
    """Parses a metadata section; each method's first line is its grammar rule."""

    def __init__(self, text: str, position: int, name: str) -> None:
        self._text = text
        self._name = name
        self._position = position

    def parse_entries(self, end: str) -> tuple[MetadataEntry, ...]:
        """(entry (`,` entry)*)? end."""
        token = self._take()
        if token.text == end:
            return ()
        entries = [self._parse_entry(token)]
        while (token := self._take()).text == ",":
            entries.append(self._parse_entry(self._take()))
        if token.text != end:
            raise self._error(token, f"expected ',' or '{end}'")
        return tuple(entries)

    def _parse_entry(self, key: _Token) -> MetadataEntry:
        """Key `:` (value | `{` entries `}`)."""
        if key.kind not in ("string", "word"):
            raise self._error(key, "expected a key")
        name = unquote(key.text) if key.kind == "string" else key.text
        colon = self._take()
        if colon.text != ":":
            raise self._error(colon, "expected ':'")
        value = self._take()
        if value.text == "{":
            children = self.parse_entries("}")
            return MetadataEntry(name, key.start, value.start, children=children)
        if value.kind == "string":
            string = unquote(value.text)
            literal = value.text
            return MetadataEntry(name, key.start, value.start, literal, string)
        if value.kind == "word":
            literal = value.text
            return MetadataEntry(name, key.start, value.start, literal, word=literal)
        raise self._error(value, "expected a value")

    def _take(self) -> _Token:
        while (match := _TOKEN.match(self._text, self._position)) is not None:
            self._position = match.end()
            if match.lastgroup != "space":
                return _Token(str(match.lastgroup), match[0], match.start())
        return _Token("eof", "", len(self._text))

    def _error(self, token: _Token, message: str) -> IRError:
        return metadata_error(self._text, self._name, token.start, message)


def key_text(text: str) -> str:
    """Return a key as files spell it: bare if possible, or in quotes."""
    return text if _BARE_KEY.fullmatch(text) else quote(text)


def _value(value: str | bool) -> str:  # noqa: FBT001 - the value of a key
    return quote(value) if isinstance(value, str) else str(value).lower()


def metadata_error(text: str, name: str, position: int, message: str) -> IRError:
    """Return an error about `position` in `text`."""
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    return IRError(Diagnostic("error", message, f"{name}:{line}:{column}"))
