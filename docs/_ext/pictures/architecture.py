"""The picture of `docs/architecture.md`: the layers of the four packages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pictures.svg import WIDTH, Drawing, Look

NOTES: Final[dict[str, Look]] = {
    "generation": "first",
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
_BOX: Final = 21
_BESIDE: Final = 3
"""The distance of boxes in one layer; layers are further from each other."""

_MARGIN_LETTERS: Final = 2
_LETTER_WIDTH: Final = 6.5
"""What a box needs beside its name, in letters; the least width of a letter."""

Layers = Sequence[Sequence[str]]
"""The names in each layer of a package, the highest layer first."""

_Lines = Sequence[Sequence[Sequence[str]]]
"""Layers, each as the lines that its names take."""


class _Frame(NamedTuple):
    """Where a package is drawn."""

    x: float
    y: float
    width: float
    height: float


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
    """Return an SVG: the generator, beside it the tools above the runtime, then rules.

    Each layer is a row. All packages stand on the rules, which they import. The arrow
    is generated Python, which imports the runtime. The legend is above the generator,
    which has fewer layers than tools and runtime together.
    """
    generator, rules, runtime, tools = packages
    lines = {package: _lines(packages[package]) for package in packages}
    lines[rules] = _lines(packages[rules], WIDTH - 2 * _MARGIN)
    # The generator has the rules in a package of its own, which is drawn once.
    lines[generator] = _lines([row for row in packages[generator] if row != [rules]])
    right = _MARGIN + _COLUMN + _GAP
    runtime_top = _MARGIN + _height(lines[tools]) + _BESIDE
    bottom = runtime_top + _height(lines[runtime])
    generator_top = bottom - _height(lines[generator])
    drawing = Drawing(f"The layers of {generator}, {tools}, {runtime} and {rules}")
    frames = {
        generator: _Frame(_MARGIN, generator_top, _COLUMN, _height(lines[generator])),
        tools: _Frame(right, _MARGIN, _COLUMN, _height(lines[tools])),
        runtime: _Frame(right, runtime_top, _COLUMN, _height(lines[runtime])),
        rules: _Frame(
            _MARGIN, bottom + _BESIDE, WIDTH - 2 * _MARGIN, _height(lines[rules])
        ),
    }
    y_of = {
        package: _package(drawing, frame, package, lines[package])
        for package, frame in frames.items()
    }
    begin_x, middle = _MARGIN + _COLUMN - 6, right - _GAP / 2
    begin_y, end_y = y_of[generator][ARROW_BEGINS_AT] + _BOX / 2, runtime_top + 14
    points = (begin_x, begin_y), (middle, begin_y), (middle, end_y), (right, end_y)
    drawing.arrow(*points)
    y = _MARGIN
    for look, note in LEGEND.items():
        drawing.box(_MARGIN, y, 14, 14, look)
        drawing.text(_MARGIN + 22, y + 11, note, is_note=True)
        y += 22
    return drawing.svg()


def _height(layers: _Lines) -> float:
    """Return the height of a package with these layers."""
    return 30 + sum(len(each) * (_BOX + _BESIDE) + 3 for each in layers)


def _package(
    drawing: Drawing, frame: _Frame, package: str, layers: _Lines
) -> dict[str, float]:
    """Draw a package; return where the boxes are."""
    drawing.box(frame.x, frame.y, frame.width, frame.height, "frame")
    drawing.text(frame.x + frame.width / 2, frame.y + 18, package, "middle")
    y = frame.y + 28.0
    y_of: dict[str, float] = {}
    for layer in layers:
        for names in layer:
            _row(drawing, frame.x + 6, y, names, frame.width - 12)
            y_of |= dict.fromkeys(names, y)
            y += _BOX + _BESIDE
        y += 3
    return y_of


def _lines(layers: Layers, width: float = _COLUMN) -> _Lines:
    """Return each layer as lines that fit in a package of this width."""
    return [_split(names, width - 12) for names in layers]


def _split(names: Sequence[str], room: float) -> list[list[str]]:
    lines: list[list[str]] = [[]]
    for name in names:
        num_letters = sum(len(each) + _MARGIN_LETTERS for each in (*lines[-1], name))
        if lines[-1] and num_letters * _LETTER_WIDTH > room:
            lines.append([])
        lines[-1].append(name)
    return lines


def _row(
    drawing: Drawing, x: float, y: float, names: Sequence[str], width: float
) -> None:
    room = width - _BESIDE * (len(names) - 1)
    num_letters = sum(len(name) + _MARGIN_LETTERS for name in names)
    for name in names:
        # Longer names take more of the row.
        width = round(room * (len(name) + _MARGIN_LETTERS) / num_letters, 1)
        drawing.labeled(x, y, width, _BOX, name, NOTES.get(name, "name"))
        x += width + _BESIDE
