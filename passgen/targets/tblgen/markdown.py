"""The MLIR Markdown target: a page as `mlir-tblgen -gen-pass-doc` writes it.

Passes come in the order of their arguments. Texts are taken for Markdown as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from passgen.cpp import group_records
from passgen.model import PassGroup, PassRecord, record_order
from passgen.targets.origin import Origin

_BLANKS: Final = " \t"
_SPACE: Final = " \t\n\v\f\r"


@dataclass(frozen=True)
class Row:
    """An option or a statistic; the names of a table are padded to one width."""

    name: str
    description: str


@dataclass(frozen=True)
class Section:
    """What the page says of a pass."""

    argument: str
    summary: str
    has_description: bool
    lines: tuple[str, ...]
    """Of the description, without the indentation that they share."""

    options: tuple[Row, ...]
    statistics: tuple[Row, ...]


@dataclass(frozen=True)
class Page:
    """One generated page."""

    sections: tuple[Section, ...]


def values(group: PassGroup, _origin: Origin) -> dict[str, object]:
    """Return what `mlir-markdown/passes.md.j2` may name."""
    records = group_records(group)
    records_by_name = sorted(records, key=lambda each: record_order(each.name))
    # What shares an argument stays in the order of the names.
    ordered = sorted(records_by_name, key=lambda each: each.argument.encode())
    return {"page": Page(tuple(_section(record) for record in ordered))}


def _section(record: PassRecord) -> Section:
    return Section(
        argument=record.argument,
        summary=_sentence(record.summary),
        has_description=bool(record.description),
        lines=reindented(record.description),
        options=_rows([(each.argument, each.description) for each in record.options]),
        statistics=_rows([(each.name, each.description) for each in record.statistics]),
    )


def _sentence(summary: str) -> str:
    """Return a summary without blanks around, with a capital first if it is ASCII."""
    text = summary.strip(_SPACE)
    first = text[:1]
    return (first.upper() if first.isascii() else first) + text[1:]


def _rows(entries: Sequence[tuple[str, str]]) -> tuple[Row, ...]:
    width = max((_bytes(name) for name, _ in entries), default=0)
    return tuple(
        Row(name + " " * (width - _bytes(name)), description)
        for name, description in entries
    )


def _bytes(name: str) -> int:
    return len(name.encode())


def reindented(text: str) -> tuple[str, ...]:
    """Return the lines of `text` without the blanks that all of them begin with.

    Blank lines lose theirs, and go where they come first; blanks at the end do not
    make a line.
    """
    text = text.rstrip(_BLANKS)
    if not text:
        return ("",)
    lines = text.removesuffix("\n").split("\n")
    lines = ["" if _is_blank(line) else line for line in lines]
    while lines and not lines[0]:
        del lines[0]
    indents = [len(line) - len(line.lstrip(_BLANKS)) for line in lines if line]
    indent = min(indents, default=0)
    return tuple(line[indent:] for line in lines)


def _is_blank(line: str) -> bool:
    return not line.rstrip("\r").strip(_BLANKS)
