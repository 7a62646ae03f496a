"""The MLIR Markdown target: a page as `mlir-tblgen -gen-pass-doc` writes it.

Passes come in the order of their arguments. Texts are Markdown already.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from passgen.cpp import SPACE, group_records
from passgen.model import PassGroup, PassRecord, record_order
from passgen.targets.markdown import page_of

_BLANKS: Final = " \t"


@dataclass(frozen=True)
class Section:
    """The section of a pass; its tables pad names to the width of the longest."""

    record: PassRecord
    summary: str
    lines: tuple[str, ...]
    """The lines of the description, without their common indentation."""

    option_width: int
    statistic_width: int


def values(group: PassGroup) -> dict[str, object]:
    """Return the variables of `mlir-markdown/passes.md.j2`."""
    # Passes that share an argument are in the order of their names.
    records = sorted(
        group_records(group),
        key=lambda record: (record.argument.encode(), record_order(record.name)),
    )
    anchors = {pass_.argument: f"-{pass_.argument}" for pass_ in group.passes}
    pipelines = {
        pipeline.argument: f"-{pipeline.argument}" for pipeline in group.pipelines
    }
    return {
        "sections": tuple(_section(record) for record in records),
        # Bundles have no headings; the pipelines by default show their passes.
        "page": replace(
            page_of(group),
            pass_anchors=anchors,
            bundle_anchors={},
            pipeline_anchors=pipelines,
        ),
    }


def _section(record: PassRecord) -> Section:
    return Section(
        record=record,
        summary=_sentence(record.summary),
        lines=_reindent(record.description),
        option_width=_width(option.argument for option in record.options),
        statistic_width=_width(statistic.name for statistic in record.statistics),
    )


def _sentence(summary: str) -> str:
    """Return a summary without spaces around, its first letter a capital if ASCII."""
    text = summary.strip(SPACE)
    first = text[:1]
    return (first.upper() if first.isascii() else first) + text[1:]


def _width(names: Iterable[str]) -> int:
    return max((len(name.encode()) for name in names), default=0)


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
