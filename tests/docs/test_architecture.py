"""`docs/architecture.md` describes the packages of the import contract, and draws them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs import layer_drawing

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/architecture.md"
DRAWING = ROOT / "docs/_static/architecture.svg"
LAYERS = layer_drawing.layers(ROOT / "pyproject.toml")


def test_drawing_shows_the_import_contract(golden: Callable[[Path, str], None]) -> None:
    golden(DRAWING, layer_drawing.drawing(LAYERS))


def test_drawing_notes_layers_that_exist() -> None:
    names = {name for rows in LAYERS.values() for row in rows for name in row}

    assert set(layer_drawing.NOTES) <= names


@pytest.mark.parametrize("package", LAYERS)
def test_packages_are_listed_in_the_order_of_the_contract(package: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    _, _, section = text.partition(f"## The packages of `{package}`\n")
    section, _, _ = section.partition("\n## ")
    listed = re.findall(r"^\| `(\w+)` \| \S.* \|$", section, re.MULTILINE)

    assert listed == [name for row in LAYERS[package] for name in row]
