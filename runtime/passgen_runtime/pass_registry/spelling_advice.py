"""Texts that a malformed pipeline may mean: brackets, commas and dashes are mended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from passgen_runtime.errors import PassOptionError, PipelineError
from passgen_runtime.pass_registry.pass_registry import PassRegistry
from passgen_runtime.textual_pipeline import parse_elements

_MAX_LENGTH: Final = 2000
"""The length of texts for which others are tried: no longer one is typed by hand."""

_IN_BRACES: Final = r"\{(?:[^{}]|\{[^{}]*\})*\}"
"""Options in braces, whose own commas and brackets stay."""

_SEPARATOR: Final = re.compile(rf"{_IN_BRACES}|[\s;,]+|(?<=[)}}])(?=\w)")
_BRACKET: Final = re.compile(rf"{_IN_BRACES}|[\[\]<>]")
_DASHES: Final = re.compile(r"(?<![^\s,;(])--?(?=\w)")
_FLAG: Final = re.compile(
    rf"{_IN_BRACES}|(?P<name>[\w.-]+)=(?P<options>[^(){{}},;\s]+)"
)
_ANCHOR_IN_BRACES: Final = re.compile(
    r"(\w+\.[\w.]+|\bany)\s*\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_PARTNERS: Final = {"(": ")", "{": "}"}
_BRACES: Final = {"[": "{", "<": "{", "]": "}", ">": "}"}
_PASS_WITH_BRACKET: Final = re.compile(r"([\w.-]+)\s*[\[<]")


Mend: TypeAlias = Callable[[str], str]
"""Returns a text in which mistakes of one kind are mended."""


def spellings(text: str) -> Iterator[str]:
    """Yield pipelines that `text` may mean."""
    yield from mended_texts(text, _MENDS)


def mended_texts(text: str, mends: Iterable[Mend]) -> Iterator[str]:
    """Yield `text` after each of `mends`, and after all of them up to there."""
    if len(text) > _MAX_LENGTH:
        return
    mended, tried = text, {text}
    for mend in mends:
        mended = mend(mended)
        for other in (mend(text), mended):
            if other not in tried:
                tried.add(other)
                yield other


def in_braces(name: str) -> str:
    """Return the note that `name` is no anchor."""
    return f"'{name}' is a pass: its options belong in braces, '{name}{{...}}'"


def spelling_advice(text: str, registry: PassRegistry) -> Iterator[str]:
    """Yield a note on the list of passes that `text`, which names none, may mean."""
    for other in spellings(text):
        if _is_known(other, registry):
            yield f"did you mean '{other}'?"
            return
    yield from bracket_advice(text, registry)


def bracket_advice(text: str, registry: PassRegistry) -> Iterator[str]:
    """Yield a note on a pass with its options in brackets that are no braces."""
    found = _PASS_WITH_BRACKET.search(text, 0, _MAX_LENGTH)
    if found is not None and registry.lookup(found[1]) is not None:
        yield in_braces(found[1])


def _is_known(text: str, registry: PassRegistry) -> bool:
    """Return whether `text` is a list of known passes that take its options."""
    try:
        elements = parse_elements(text).elements
        for element in elements:
            entry = registry.lookup(element.name)
            if entry is None or element.nested is not None:
                return False
            entry.options_class.from_textual(element.options)
    except (PassOptionError, PipelineError):
        return False
    return bool(elements)


def _unwrap(text: str) -> str:
    text = text.strip()
    while len(text) > 1 and text[0] + text[-1] in {"()", "''", '""'}:
        text = text[1:-1].strip()
    return text


def _use_braces(text: str) -> str:
    return _BRACKET.sub(lambda found: _BRACES.get(found[0], found[0]), text)


def _balance(text: str) -> str:
    """Leave out brackets that close nothing, and close those that are open."""
    kept: list[str] = []
    closing: list[str] = []
    for character in text:
        if character in _PARTNERS:
            closing.append(_PARTNERS[character])
        elif character in _PARTNERS.values():
            if closing[-1:] != [character]:
                continue
            closing.pop()
        kept.append(character)
    return "".join((*kept, *reversed(closing)))


def _leave_out_dashes(text: str) -> str:
    return _DASHES.sub("", text)


def _write_flags_as_elements(text: str) -> str:
    """Write `canonicalize{top-down}` for `canonicalize=top-down`."""

    def element(found: re.Match[str]) -> str:
        has_name = found["name"] is not None
        return f"{found['name']}{{{found['options']}}}" if has_name else found[0]

    return _FLAG.sub(element, text)


def _use_parentheses(text: str) -> str:
    """Write `builtin.module(cse)` for `builtin.module{cse}`."""
    before = ""
    while text != before:
        before, text = text, _ANCHOR_IN_BRACES.sub(r"\1(\2)", text)
    return text


def _use_commas(text: str) -> str:
    """Write one comma between two elements, and none elsewhere."""

    def separator(found: re.Match[str]) -> str:
        if found[0].startswith("{"):
            return found[0]
        before, after = text[: found.start()][-1:], text[found.end() :][:1]
        return "" if before in {"", "("} or after in {"", "(", ")", "{"} else ","

    return _SEPARATOR.sub(separator, text)


_MENDS: Final[tuple[Mend, ...]] = (
    _unwrap,
    _use_braces,
    _balance,
    _leave_out_dashes,
    _write_flags_as_elements,
    _use_parentheses,
    _use_commas,
)
