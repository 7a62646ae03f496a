"""Pipelines drawn as nested boxes.

Boxes are listed in the order in which they open. Each lists the boxes that end with it,
so that a template needs no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Literal, TypeAlias

from passgen.targets.markdown import Line

BoxKind: TypeAlias = Literal["element", "stage", "condition", "bundle", "pipeline"]


@dataclass(frozen=True)
class Box:
    """An element of a pipeline, or a stage or condition around other boxes."""

    label: str
    """Of a condition, the option."""

    detail: str = ""
    """Options, as a pipeline spells them; of a condition, the value."""

    document: str = ""
    """The target of the label's link, or empty."""

    kind: BoxKind = "element"
    number: str = ""
    """Of a pass or another pipeline, its place in the order of the run, from 1."""

    is_negated: bool = False
    """Of a condition, whether the option must be anything but the value."""

    closed: tuple[str, ...] = ()
    """The labels of the boxes that end here, the innermost first."""

    @property
    def is_plain(self) -> bool:
        """Whether the label leads nowhere."""
        return not self.document

    @property
    def is_stage(self) -> bool:
        """Whether it is a stage."""
        return self.kind == "stage"

    @property
    def is_bundle(self) -> bool:
        """Whether it stands for the passes of a bundle."""
        return self.kind == "bundle"

    @property
    def is_pipeline(self) -> bool:
        """Whether it stands for another pipeline."""
        return self.kind == "pipeline"

    @property
    def is_condition(self) -> bool:
        """Whether what is inside is there for some values of an option only."""
        return self.kind == "condition"

    @property
    def is_met(self) -> bool:
        """Whether it is a condition that is not negated."""
        return self.is_condition and not self.is_negated


def element_boxes(
    lines: Sequence[Line],
    documents: Mapping[str, str],
    bundles: Mapping[str, str],
    lines_of_bundles: Mapping[str, Sequence[Line]],
) -> Iterator[Box]:
    """Yield the boxes of the elements in `lines`, bundles with the passes in them.

    Args:
        lines: as Markdown lists them.
        documents: where passes and pipelines are described, by argument.
        bundles: where bundles are, by name.
        lines_of_bundles: the elements of bundles, by name.
    """
    end = Line(0)
    open_labels: list[str] = []
    numbers = count(1)
    for line, following in pairwise((*_expand(lines, lines_of_bundles), end)):
        label, detail, document, kind = _content(line, documents, bundles)
        open_labels.append(label)
        kept = following.depth if following is not end else 0
        closed = tuple(reversed(open_labels[kept:]))
        del open_labels[kept:]
        is_negated = line.test is not None and line.test.is_negated
        number = str(next(numbers)) if line.added_pass or line.pipeline else ""
        yield Box(label, detail, document, kind, number, is_negated, closed)


def _expand(
    lines: Sequence[Line], of_bundles: Mapping[str, Sequence[Line]], depth: int = 0
) -> Iterator[Line]:
    for line in lines:
        yield replace(line, depth=depth + line.depth)
        if line.bundle:
            inner = of_bundles[line.bundle.text]
            yield from _expand(inner, of_bundles, depth + line.depth + 1)


def _content(
    line: Line, documents: Mapping[str, str], bundles: Mapping[str, str]
) -> tuple[str, str, str, BoxKind]:
    if line.test:
        return line.test.option, line.test.value, "", "condition"
    if line.added_pass:
        name = line.added_pass.text
        return name, line.settings, documents.get(name, ""), "element"
    if line.bundle:
        name = line.bundle.text
        return name, "", bundles[name], "bundle"
    if line.pipeline:
        name = line.pipeline.text
        return name, line.settings, documents[name], "pipeline"
    if line.stage:
        return line.stage, "", "", "stage"
    return line.nest, "", "", "element"
