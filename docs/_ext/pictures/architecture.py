"""The picture of `docs/architecture.md`: the layers of both packages."""

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
"""The layer of the first package that the arrow to the second one begins at."""

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
    """Return an SVG with a column for each package and a row for each layer."""
    second_x = _MARGIN + _COLUMN + _GAP
    (first, first_rows), (second, second_rows), *_ = packages.items()
    drawing = Drawing(f"The layers of {first} and {second}")
    y_of = _column(drawing, _MARGIN, first, first_rows)
    _column(drawing, second_x, second, second_rows)
    from_x, middle = _MARGIN + _COLUMN - 6, second_x - _GAP / 2
    from_y = y_of[ARROW_BEGINS_AT] + _BOX / 2
    to_y = _MARGIN + 14
    drawing.arrow((from_x, from_y), (middle, from_y), (middle, to_y), (second_x, to_y))
    y = max(y_of.values()) + 48
    for look, note in LEGEND.items():
        drawing.box(_MARGIN, y, 14, 14, look)
        drawing.text(_MARGIN + 22, y + 11, note, is_note=True)
        y += 22
    return drawing.svg()


def _column(drawing: Drawing, x: int, package: str, rows: Layers) -> dict[str, float]:
    """Draw a package; return where the boxes are."""
    lines = [_lines(names) for names in rows]
    height = 30 + sum(len(each) * (_BOX + _BESIDE) + 3 for each in lines)
    drawing.box(x, _MARGIN, _COLUMN, height, "frame")
    drawing.text(x + _COLUMN / 2, _MARGIN + 18, package, "middle")
    y = _MARGIN + 28.0
    y_of: dict[str, float] = {}
    for line in lines:
        for names in line:
            _row(drawing, x + 6, y, names)
            y_of |= dict.fromkeys(names, y)
            y += _BOX + _BESIDE
        y += 3
    return y_of


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
