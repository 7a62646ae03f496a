"""Pipelines drawn as nested boxes.

Boxes are listed in the order in which they open. Each says how many boxes end with it,
so that a template needs no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Literal, TypeAlias

from passgen.targets.markdown import Line

BoxKind: TypeAlias = Literal["element", "stage", "condition", "bundle", "pipeline"]

FormState: TypeAlias = Literal["holds", "may be lost", "broken"]
"""`may be lost`: it held or may have been given, and nothing says that it holds."""


@dataclass(frozen=True)
class HeldForm:
    """A form of which a pipeline says something at a box."""

    name: str
    state: FormState


@dataclass(frozen=True)
class Box:
    """An element of a pipeline, or a stage or condition around other boxes."""

    line: Line
    kind: BoxKind
    label: str
    document: str
    """The target of the label's link, or empty."""

    number: str
    """The place of a pass or pipeline in the order of the run, from 1."""

    closed: range
    """A range with one number for each box that ends here."""

    forms: tuple[HeldForm, ...] = ()
    """The forms with a known state before it."""


def element_boxes(
    lines: Sequence[Line],
    documents: Mapping[str, str],
    bundles: Mapping[str, str],
    lines_of_bundles: Mapping[str, Sequence[Line]],
) -> Iterator[Box]:
    """Yield the boxes of the elements in `lines`, bundles with the passes in them.

    Args:
        lines: one for each element.
        documents: where passes and pipelines are described, by argument.
        bundles: where bundles are, by name.
        lines_of_bundles: the elements of bundles, by name.
    """
    numbers = count(1)
    all_lines = (*_expand(lines, lines_of_bundles), Line(0))
    for line, following in pairwise(all_lines):
        kind, label, document = _content(line, documents, bundles)
        number = str(next(numbers)) if line.added_pass or line.pipeline else ""
        closed = range(following.depth, line.depth + 1)
        yield Box(line, kind, label, document, number, closed)


def _expand(
    lines: Sequence[Line], of_bundles: Mapping[str, Sequence[Line]], depth: int = 0
) -> Iterator[Line]:
    for line in lines:
        yield replace(line, depth=depth + line.depth)
        if line.bundle:
            inner = of_bundles[line.bundle]
            yield from _expand(inner, of_bundles, depth + line.depth + 1)


def _content(
    line: Line, documents: Mapping[str, str], bundles: Mapping[str, str]
) -> tuple[BoxKind, str, str]:
    """Return the kind, the label and the document of the box of a line."""
    if line.test:
        return "condition", line.test.option.argument, ""
    if line.added_pass:
        return "element", line.added_pass, documents.get(line.added_pass, "")
    if line.bundle:
        return "bundle", line.bundle, bundles[line.bundle]
    if line.pipeline:
        argument = line.pipeline.argument
        return "pipeline", argument, documents[argument]
    return ("stage", line.stage, "") if line.stage else ("element", line.nest, "")
