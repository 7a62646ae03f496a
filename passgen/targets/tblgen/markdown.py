"""The MLIR Markdown target: a page as `mlir-tblgen -gen-pass-doc` writes it.

Passes come in the order of their arguments. Texts are Markdown already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from passgen.cpp import SPACE, sorted_records
from passgen.model import PassGroup, PassRecord
from passgen.targets.origin import Origin

_BLANKS: Final = " \t"


@dataclass(frozen=True)
class Row:
    """An option or a statistic; the names of a table are padded to one width."""

    name: str
    description: str


@dataclass(frozen=True)
class Section:
    """The section of a pass."""

    argument: str
    summary: str
    has_description: bool
    lines: tuple[str, ...]
    """Of the description, without their common indentation."""

    options: tuple[Row, ...]
    statistics: tuple[Row, ...]


def values(group: PassGroup, _origin: Origin) -> dict[str, object]:
    """Return the variables of `mlir-markdown/passes.md.j2`."""
    # Passes that share an argument stay in the order of their names.
    records = sorted(sorted_records(group), key=lambda each: each.argument.encode())
    return {"sections": tuple(_section(record) for record in records)}


def _section(record: PassRecord) -> Section:
    return Section(
        argument=record.argument,
        summary=_sentence(record.summary),
        has_description=bool(record.description),
        lines=_reindent(record.description),
        options=_rows(
            [(option.argument, option.description) for option in record.options]
        ),
        statistics=_rows(
            [(statistic.name, statistic.description) for statistic in record.statistics]
        ),
    )


def _sentence(summary: str) -> str:
    """Return a summary without spaces around, its first letter a capital if ASCII."""
    text = summary.strip(SPACE)
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


def _reindent(text: str) -> tuple[str, ...]:
    """Return the lines of `text` without their common indentation.

    Blank lines become empty, and those at the start are removed; blanks after the last
    line end are no line.
    """
    text = text.rstrip(_BLANKS)
    if not text:
        return ("",)
    lines = text.removesuffix("\n").split("\n")
    lines = [line if line.rstrip("\r").strip(_BLANKS) else "" for line in lines]
    while lines and not lines[0]:
        del lines[0]
    indents = [len(line) - len(line.lstrip(_BLANKS)) for line in lines if line]
    indent = min(indents, default=0)
    return tuple(line[indent:] for line in lines)
