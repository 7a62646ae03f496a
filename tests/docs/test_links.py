"""Links between pages that are read in the repository, such as README."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")})

GROUPS = sorted(ROOT.glob("docs/*/index.md"))
HOW_TO_GROUPS = [
    ROOT / "docs/how-to" / f"{name}.md" for name in ("write", "run", "see", "maintain")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert list(dead_links(page)) == []


def test_what_agents_are_told_to_read_is_there() -> None:
    docs = ROOT / "docs"
    text = (docs / "llms.txt").read_text(encoding="utf-8")
    pages = re.findall(r"\]\((.+)\.md\)", text)

    assert len(pages) == text.count("](") > 0
    assert [name for name in pages if not (docs / f"{name}.md").is_file()] == []


@pytest.mark.parametrize(
    "page", GROUPS, ids=lambda page: str(page.parent.relative_to(ROOT))
)
def test_a_group_lists_its_pages(page: Path) -> None:
    text, _, tree = page.read_text(encoding="utf-8").partition("```{toctree}")
    pages = re.findall(r"<([^>]+)>$|^([\w/-]+)$", tree, re.MULTILINE)

    listed = {f"{target or name}.md" for target, name in pages}
    # The pages of passes are generated.
    assert set(re.findall(r"\]\(([^)]+)\)", text)) >= listed - {"passes/index.md"}
    assert listed


@pytest.mark.parametrize("group", HOW_TO_GROUPS, ids=lambda group: group.stem)
def test_a_group_of_guides_lists_what_the_sidebar_has(group: Path) -> None:
    index = (group.parent / "index.md").read_text(encoding="utf-8")
    part = index.partition(f"<!-- {group.stem} -->")[2]
    part = part.partition(f"<!-- end of {group.stem} -->")[0]
    pages = re.findall(r"<([^>!]+)>$", group.read_text("utf-8"), re.MULTILINE)

    assert [f"{page}.md" for page in pages] == re.findall(r"\]\(([^)]+)\)", part)
    assert pages


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# One `two`\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](none.md) [b](other.md#one-two) [c](other.md#two) [d](#e) [f](other.md)\n"
    )

    assert list(dead_links(page)) == ["none.md", "other.md#two", "#e"]


def dead_links(page: Path) -> Iterator[str]:
    for token in tokens(page):
        link = str(token.attrs.get("href", ""))
        parts = urlsplit(link)
        if token.type != "link_open" or parts.scheme:
            continue
        target = page.parent / parts.path if parts.path else page
        if not target.exists() or (
            parts.fragment and parts.fragment not in ids(target)
        ):
            yield link


@cache
def ids(page: Path) -> set[str]:
    """Return the anchors of headings, as hosts of repositories make them."""
    text = list(tokens(page))
    headings = [
        inline.content
        for opening, inline in pairwise(text)
        if opening.type == "heading_open"
    ]
    return {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}


def tokens(page: Path) -> Iterator[Token]:
    for token in (
        MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))
    ):
        yield token
        yield from token.children or ()
