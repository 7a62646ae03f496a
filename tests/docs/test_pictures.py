"""The drawings of the documentation show what the pages and the code say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pictures import DRAWINGS
from pictures.processes import batches_in_words
from pictures.svg import WIDTH, Drawing

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "docs/_static"
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawings_are_up_to_date(
    name: str, golden: Callable[[Path, str], None]
) -> None:
    golden(STATIC / f"{name}.svg", DRAWINGS[name]())


@pytest.mark.parametrize("name", DRAWINGS)
def test_every_drawing_is_on_a_page_with_words_for_it(name: str) -> None:
    image = re.compile(rf"!\[\w[^\]]+\]\((?:\.\./|docs/)*_static/{name}\.svg\)")

    assert any(image.search(page.read_text(encoding="utf-8")) for page in PAGES)


def test_the_words_for_batches_are_of_the_decision_that_is_drawn() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    image = re.compile(r"!\[([^\]]+)\]\([./]*_static/pictures/processes\.svg\)")
    words = [found for text in texts for found in image.findall(text)]

    assert words
    assert set(words) == {batches_in_words()}


def test_a_text_too_small_for_a_phone_is_refused() -> None:
    with pytest.raises(ValueError, match="needs more room than 50"):
        Drawing("a").text(0, 0, "affine-loop-invariant-code-motion", room=50)


def test_a_box_beside_the_drawing_is_refused() -> None:
    with pytest.raises(ValueError, match=f"not within {WIDTH}"):
        Drawing("a").box(10, 0, WIDTH, 10)
