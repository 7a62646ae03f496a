"""Pictures of specs: the way to the generated files, and the order in a pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from passgen import Options, generate, read_group
from passgen.model import (
    Block,
    BundleElement,
    Constraints,
    Element,
    OrderingRule,
    PassElement,
    PassGroup,
)
from passgen.source import SourceFile
from passgen.targets import TARGETS
from pictures.svg import WIDTH, Box, Drawing

_MARGIN: Final = 8
_BOX: Final = 22
_LINE: Final = 27

_PHASES: Final = {
    "spec": "YAML read, validated, resolved",
    "model": "the declarations, as frozen dataclasses",
    "checks": "rules about more than one key",
    "targets": "the values that templates need",
    "render": "templates filled, Python laid out",
    "output": "files written whole, or not at all",
}
"""What each phase does, in a few words; `docs/architecture.md` says more."""


def way_of_a_spec(spec: SourceFile, phases: Sequence[str]) -> str:
    """Return a picture of `phases` from `spec` to the files of all targets."""
    files = generate([spec], Options(targets=tuple(TARGETS))).files
    drawing = Drawing("The phases from a spec to the files generated from it")
    width, y = 110, 10.0
    middle = _MARGIN + width / 2
    drawing.labeled(_MARGIN, y, width, _BOX, spec.name, "second")
    for phase in phases:
        drawing.arrow((middle, y + _BOX), (middle, y + _BOX + 12))
        y += _BOX + 12
        drawing.labeled(_MARGIN, y, width, _BOX, phase, "first")
        drawing.text(_MARGIN + width + 10, y + 15, _PHASES[phase], is_note=True)
    drawing.arrow((middle, y + _BOX), (middle, y + _BOX + 14))
    y += _BOX + 14
    columns = 2
    gap = 6
    file_width = (WIDTH - 2 * _MARGIN - gap * (columns - 1)) / columns
    for number, file in enumerate(files):
        row, column = divmod(number, columns)
        x = _MARGIN + column * (file_width + gap)
        drawing.labeled(x, y + row * _LINE, file_width, _BOX, str(file.path), "third")
    return drawing.svg()


def order_in_a_pipeline(spec: SourceFile) -> str:
    """Return a picture of the first pipeline of `spec` and of the rules in it."""
    group = read_group(spec)
    pipeline = group.pipelines[0]
    boxes: dict[str, Box] = {}
    parts = _boxes(group, pipeline.elements, boxes)
    anchor = pipeline.anchor.name if pipeline.anchor else "any"
    drawing = Drawing(f"The pipeline {pipeline.argument}, and the rules of its passes")
    width = 246
    around = Box(f"{pipeline.argument} on {anchor}", parts=parts)
    drawing.nested(around, _MARGIN, 10, width)
    right = _MARGIN + width
    label_y = 0.0
    rules = sorted(
        (boxes[earlier].middle_y, boxes[later].middle_y, label)
        for earlier, later, label in _rules(group, list(boxes))
    )
    for lane, (from_y, to_y, label) in enumerate(rules):
        x = right + 10 + 9 * lane
        ends = right - 18
        drawing.arrow(
            *((ends, from_y + 4), (x, from_y + 4), (x, to_y - 4), (ends, to_y - 4))
        )
        label_y = max(label_y + 16, (from_y + to_y) / 2)
        drawing.line((x, label_y), (right + 46, label_y))
        drawing.text(right + 49, label_y + 4, label, room=WIDTH - right - 52)
    return drawing.svg()


def _boxes(
    group: PassGroup, elements: tuple[Element, ...], passes: dict[str, Box]
) -> list[Box]:
    """Return the boxes of `elements`; those of passes are numbered and kept."""
    bundles = {each.name: each for each in group.bundles}
    boxes: list[Box] = []
    for element in elements:
        inner = boxes
        if element.condition:
            inner = []
            test = "is not" if element.condition.is_negated else "is"
            value = str(element.condition.value).lower()
            label = f"if {element.condition.option} {test} {value}"
            boxes.append(Box(label, "faded", inner))
        if isinstance(element, PassElement):
            box = Box(f"{len(passes) + 1} {element.argument}", "first")
            passes[element.argument] = box
            inner.append(box)
        elif isinstance(element, BundleElement):
            parts = _boxes(group, bundles[element.name].elements, passes)
            inner.append(Box(f"bundle {element.name}", parts=parts))
        elif isinstance(element, Block):
            parts = _boxes(group, element.elements, passes)
            stage = "stage " if element.kind == "stage" else ""
            is_own = element.kind != "when"
            inner += [Box(f"{stage}{element.name}", parts=parts)] if is_own else parts
    return boxes


def _rules(group: PassGroup, arguments: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield what the passes ask: the earlier pass, the later one, and the key."""
    known = {each.argument: each.constraints for each in group.passes}
    known |= {each.argument: each.constraints for each in group.external_passes}
    for argument in arguments:
        for rule in known[argument].ordering:
            for other in _partners(rule, known, arguments):
                pair = (other, argument) if rule.wants_earlier else (argument, other)
                yield (*pair, rule.kind)
        for needed in known[argument].required_analyses:
            for other in arguments:
                provided = known[other].provided_analyses
                if needed.name in [each.name for each in provided]:
                    yield other, argument, f"requires {needed.name}"


def _partners(
    rule: OrderingRule, known: dict[str, Constraints], arguments: list[str]
) -> Iterator[str]:
    for partner in rule.partners:
        for other in arguments:
            tags = [each.name for each in known[other].tags]
            if partner.name == other or (partner.is_tag and partner.name in tags):
                yield other
