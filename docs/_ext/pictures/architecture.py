"""The picture of `docs/architecture.md`: the layers of the three packages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pictures.svg import WIDTH, Drawing, Look

NOTES: Final[dict[str, Look]] = {
    "generate": "first",
    "output": "first",
    "instrumentations": "second",
    "pass_instrumentation": "second",
    "context": "second",
    "pass_manager": "second",
}
"""Layers that the page speaks of, and their color."""

LEGEND: Final[dict[Look, str]] = {
    "first": "the way of a spec",
    "second": "the waist and the seams",
}

ARROW_BEGINS_AT: Final = "output"
"""The layer of the generator that the arrow to the runtime begins at."""

_MARGIN: Final = 8
_GAP: Final = 20
_COLUMN: Final = (WIDTH - 2 * _MARGIN - _GAP) // 2
_ROOM: Final = _COLUMN - 12
_BOX: Final = 21
_BESIDE: Final = 3
"""The distance of boxes in one layer; layers are further from each other."""

Layers = Sequence[Sequence[str]]
"""The names in each layer of a package, the highest layer first."""


def layers(pyproject: Path) -> dict[str, Layers]:
    """Return the layers of the import contract by package."""
    with pyproject.open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return {
        contract["containers"][0]: [
            re.split(r"\s*[|:]\s*", layer) for layer in contract["layers"]
        ]
        for contract in contracts
        if contract["type"] == "layers"
    }


def architecture(packages: dict[str, Layers]) -> str:
    """Return an SVG: the generator, and beside it the tools above the runtime.

    Each layer is a row. The arrow is generated Python, which imports the runtime.
    """
    generator, runtime, tools = packages
    right = _MARGIN + _COLUMN + _GAP
    drawing = Drawing(f"The layers of {generator}, {tools} and {runtime}")
    rows, left_end = _column(drawing, (_MARGIN, _MARGIN), generator, packages)
    _, tools_end = _column(drawing, (right, _MARGIN), tools, packages)
    top = tools_end + _BESIDE
    _, right_end = _column(drawing, (right, top), runtime, packages)
    begin_x, middle = _MARGIN + _COLUMN - 6, right - _GAP / 2
    begin_y, end_y = rows[ARROW_BEGINS_AT] + _BOX / 2, top + 14
    points = (begin_x, begin_y), (middle, begin_y), (middle, end_y), (right, end_y)
    drawing.arrow(*points)
    y = max(left_end, right_end) + 12
    for look, note in LEGEND.items():
        drawing.box(_MARGIN, y, 14, 14, look)
        drawing.text(_MARGIN + 22, y + 11, note, is_note=True)
        y += 22
    return drawing.svg()


def _column(
    drawing: Drawing,
    corner: tuple[float, float],
    package: str,
    packages: dict[str, Layers],
) -> tuple[dict[str, float], float]:
    """Draw a package; return where the boxes are, and where the package ends."""
    x, top = corner
    lines = [_lines(names) for names in packages[package]]
    height = 30 + sum(len(each) * (_BOX + _BESIDE) + 3 for each in lines)
    drawing.box(x, top, _COLUMN, height, "frame")
    drawing.text(x + _COLUMN / 2, top + 18, package, "middle")
    y = top + 28.0
    y_of: dict[str, float] = {}
    for line in lines:
        for names in line:
            _row(drawing, x + 6, y, names)
            y_of |= dict.fromkeys(names, y)
            y += _BOX + _BESIDE
        y += 3
    return y_of, top + height


def _lines(names: Sequence[str]) -> list[list[str]]:
    """Return a layer as lines that fit in the column."""
    lines: list[list[str]] = [[]]
    for name in names:
        if lines[-1] and len("".join((*lines[-1], name))) * 7 + 20 > _ROOM:
            lines.append([])
        lines[-1].append(name)
    return lines


def _row(drawing: Drawing, x: float, y: float, names: Sequence[str]) -> None:
    room = _ROOM - _BESIDE * (len(names) - 1)
    num_letters = sum(len(name) + 2 for name in names)
    for name in names:
        # Longer names take more of the row.
        width = round(room * (len(name) + 2) / num_letters, 1)
        drawing.labeled(x, y, width, _BOX, name, NOTES.get(name, "name"))
        x += width + _BESIDE
