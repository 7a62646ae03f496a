"""Changes of the texts of patterns, each of which a test should notice.

The text is IR before or after a rewrite, or PDL. A change may leave no valid pattern:
the caller finds out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

TextKind = Literal["predicate", "operands", "number", "flag", "condition", "type"]

_INVERSE: Final = {
    "eq": "ne",
    "slt": "sge",
    "sle": "sgt",
    "ult": "uge",
    "ule": "ugt",
    "oeq": "une",
    "olt": "uge",
    "ole": "ugt",
    "ueq": "one",
}
_PREDICATE: Final = re.compile(r"\bcmp[if] (\w+)")
_OPERANDS: Final = re.compile(r"= [\w.]+(?: \w+,)? (%[\w.$-]+), (%[\w.$-]+)")
_NUMBER: Final = re.compile(r"\bconstant (-?\d+)(?= :)")
_FLAG: Final = re.compile(r" overflow<[\w, ]+>| exact(?= )")
_END_OF_OPERANDS: Final = re.compile(r"(?<=[\w)]) :")
_PDL_OPERANDS: Final = re.compile(
    r"""pdl\.operation +"[^"]*" *\((%[\w.$-]+), (%[\w.$-]+)(?= :)"""
)
_PDL_NUMBER: Final = re.compile(r"\bpdl\.attribute = (-?\d+)(?= :)")
_PDL_CONDITION: Final = re.compile(r"\bpdl\.apply_native_constraint [^\n]*\)")
_PDL_TYPE: Final = re.compile(r"\bpdl\.type( : [^\s/]+)")


@dataclass(frozen=True)
class TextChange:
    """A change in a text."""

    kind: TextKind
    text: str
    """The text with the change."""

    line: int
    """The index of the changed line."""

    description: str


def text_changes(text: str) -> Iterator[TextChange]:
    """Yield all changes of a text of IR, one place each."""
    for found in _PREDICATE.finditer(text):
        if other := _inverse(found[1]):
            yield _replaced("predicate", text, found.span(1), other)
    yield from _exchanged(_OPERANDS, text)
    yield from _increased(_NUMBER, text)


def pdl_changes(text: str) -> Iterator[TextChange]:
    """Yield all changes of a text of PDL, one place each."""
    yield from _exchanged(_PDL_OPERANDS, text)
    yield from _increased(_PDL_NUMBER, text)
    for found in _PDL_CONDITION.finditer(text):
        yield _replaced("condition", text, found.span(), "")
    for found in _PDL_TYPE.finditer(text):
        yield _replaced("type", text, found.span(1), "")


def _exchanged(expression: re.Pattern[str], text: str) -> Iterator[TextChange]:
    for found in expression.finditer(text):
        first, second = found.groups()
        if first != second:
            span = found.start(1), found.end(2)
            yield _replaced("operands", text, span, f"{second}, {first}")


def _increased(expression: re.Pattern[str], text: str) -> Iterator[TextChange]:
    for found in expression.finditer(text):
        yield _replaced("number", text, found.span(1), str(int(found[1]) + 1))


def kept_flags(before: str, after: str) -> Iterator[TextChange]:
    """Yield changes of `after` that keep a flag of `before` on one operation."""
    for flag in dict.fromkeys(found[0] for found in _FLAG.finditer(before)):
        for start, end in pairwise(_line_starts(after)):
            line = after[start:end]
            place = _END_OF_OPERANDS.search(line)
            if place is None or flag in line:
                continue
            has_operands = "%" in line[: place.start()].partition("=")[2]
            if has_operands:
                at = start + place.start()
                yield _replaced("flag", after, (at, at), flag)


def _line_starts(text: str) -> list[int]:
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return [*starts, len(text)] if starts[-1] != len(text) else starts


def _inverse(predicate: str) -> str:
    backward = {inverse: word for word, inverse in _INVERSE.items()}
    return _INVERSE.get(predicate) or backward.get(predicate, "")


def _replaced(
    kind: TextKind, text: str, span: tuple[int, int], other: str
) -> TextChange:
    start, end = span
    changed = f"{text[:start]}{other}{text[end:]}"
    line = text.count("\n", 0, start)
    found, wanted = (each.split("\n")[line].strip() for each in (text, changed))
    text = f"'{wanted}' in place of '{found}'" if wanted else f"no '{found}'"
    return TextChange(kind, changed, line, text)
