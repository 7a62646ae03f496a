"""The titles of the documentation's pages are short, and have no code in them."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MAX_LETTERS = 45
"""Those of a line on a page that is 704 pixels wide."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_title_is_one_line_without_code(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    title = next(line for line in lines if line.startswith("# "))[2:]

    assert "`" not in title
    assert len(title) <= MAX_LETTERS
