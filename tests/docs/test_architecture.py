"""`docs/architecture.md` describes the packages of the import contract, and draws them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pictures import LAYERS
from pictures.architecture import NOTES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/architecture.md"


def test_drawing_notes_layers_that_exist() -> None:
    names = {name for rows in LAYERS.values() for row in rows for name in row}

    assert set(NOTES) <= names


@pytest.mark.parametrize("package", LAYERS)
def test_packages_are_listed_in_the_order_of_the_contract(package: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    _, _, section = text.partition(f"## The packages of `{package}`\n")
    section, _, _ = section.partition("\n## ")
    listed = re.findall(r"^\| `(\w+)` \| \S.* \|$", section, re.MULTILINE)

    assert listed == [name for row in LAYERS[package] for name in row]
