"""The drawing of `docs/architecture.md`: the layers of both packages as an SVG.

All text stands in filled boxes, so that it can be read on light and on dark pages.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

NOTES: Final = {
    "generate": "the way of a spec",
    "output": "generated Python",
    "instrumentations": "above the seam",
    "pass_instrumentation": "the seam",
    "context": "the waist",
}
"""What is written beside the name of a layer; such layers have another colour."""

ARROW_BEGINS_AT: Final = "output"
"""The layer of the first package that the arrow to the second one begins at."""

_COLUMN_WIDTH: Final = 380
_GAP_WIDTH: Final = 56
_ROW_HEIGHT: Final = 28
_ROW_DISTANCE: Final = 34
_MARGIN: Final = 12
_FONT_SIZE: Final = 14
_LETTER_WIDTH: Final = 0.61  # of a monospaced font, as a part of its size
_LAYER_COLOR: Final = "#4a6583"
_NOTED_COLOR: Final = "#a04f1c"
_HEAD_COLOR: Final = "#333f4f"
_LINE_COLOR: Final = "#7d8896"

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


def drawing(packages: dict[str, Layers]) -> str:
    """Return an SVG with a column for each package and a row for each layer."""
    width = _column_x(len(packages)) - _GAP_WIDTH + _MARGIN
    height = _row_y(max(map(len, packages.values())) + 1) + _MARGIN
    columns = [
        line
        for number, (package, rows) in enumerate(packages.items())
        for line in _column(_column_x(number), package, rows)
    ]
    begin = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" '
        f'font-size="{_FONT_SIZE}">'
    )
    return "\n".join(
        (
            begin,
            "<title>The layers of passgen and passgen_runtime</title>",
            *columns,
            *_arrow(next(iter(packages.values()))),
            "</svg>\n",
        )
    )


def _column_x(number: int) -> int:
    return _MARGIN + number * (_COLUMN_WIDTH + _GAP_WIDTH)


def _row_y(number: int) -> int:
    return 2 * _MARGIN + number * _ROW_DISTANCE


def _column(x: int, package: str, rows: Layers) -> Iterator[str]:
    """Yield the frame of a package, its name, and its layers."""
    height = _row_y(len(rows) + 1) - _MARGIN
    yield (
        f'<rect x="{x}" y="{_MARGIN}" width="{_COLUMN_WIDTH}" height="{height}" '
        f'rx="8" fill="none" stroke="{_LINE_COLOR}"/>'
    )
    left, width = x + _MARGIN, _COLUMN_WIDTH - 2 * _MARGIN
    yield from _box(left, 0, width, package, "imports point down ↓")
    gap = _ROW_DISTANCE - _ROW_HEIGHT
    for row, names in enumerate(rows, start=1):
        box_x = float(left)
        num_letters = sum(len(name) + 2 for name in names)
        for name in names:
            # Longer names take more of the row.
            share = (len(name) + 2) / num_letters
            box_width = (width - gap * (len(names) - 1)) * share
            yield from _box(box_x, row, box_width, name, NOTES.get(name, ""))
            box_x += box_width + gap


def _box(x: float, row: int, width: float, name: str, note: str) -> Iterator[str]:
    """Yield a box with `name` in its middle, or at its left if there is a `note`."""
    y = _row_y(row)
    color = _HEAD_COLOR if row == 0 else _NOTED_COLOR if note else _LAYER_COLOR
    yield (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_ROW_HEIGHT}" '
        f'rx="5" fill="{color}"/>'
    )
    text_x, anchor = (x + 10, "start") if note else (x + width / 2, "middle")
    font_size = min(_FONT_SIZE, int((width - 8) / (_LETTER_WIDTH * len(name))))
    yield (
        f'<text x="{text_x:.1f}" y="{y + 19}" text-anchor="{anchor}" fill="#fff" '
        f'font-size="{font_size}">{name}</text>'
    )
    if note:
        yield (
            f'<text x="{x + width - 10:.1f}" y="{y + 19}" text-anchor="end" '
            f'fill="#fff" font-family="system-ui, sans-serif">{note}</text>'
        )


def _arrow(rows: Layers) -> Iterator[str]:
    """Yield the arrow from a layer of the first package to the second package."""
    row = next(
        row for row, names in enumerate(rows, start=1) if ARROW_BEGINS_AT in names
    )
    begin_y, end_y = (_row_y(each) + _ROW_HEIGHT // 2 for each in (row, 0))
    begin_x, end_x = _column_x(1) - _GAP_WIDTH - _MARGIN, _column_x(1) + _MARGIN
    middle_x = _column_x(1) - _GAP_WIDTH // 2
    yield (
        f'<path d="M{begin_x} {begin_y} H{middle_x} V{end_y} H{end_x - 10}" '
        f'fill="none" stroke="{_LINE_COLOR}" stroke-width="2" stroke-dasharray="5 4"/>'
    )
    yield (
        f'<path d="M{end_x - 12} {end_y - 6} L{end_x} {end_y} '
        f'L{end_x - 12} {end_y + 6} Z" fill="{_LINE_COLOR}"/>'
    )
