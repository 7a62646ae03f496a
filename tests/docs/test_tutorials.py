"""Tutorials and how-to pages: what to install, specs in good style, a way on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from passgen import read_group
from passgen.commands.new_driver import driver_values
from passgen.findings import lint_group
from passgen.render import laid_out, render
from passgen.source import SourceFile

ROOT = Path(__file__).parents[2]
TUTORIALS, HOW_TO = (
    sorted({*folder.glob("*.md")} - {folder / "index.md"})
    for folder in (ROOT / "docs/tutorial", ROOT / "docs/how-to")
)
SECTIONS = {"write", "run", "see", "maintain"}
"""The pages that list guides."""

GUIDES = [page for page in [*TUTORIALS, *HOW_TO] if page.stem not in SECTIONS]
_SPEC_NAME = re.compile(r"in `([\w./-]+\.yaml)`:$")


@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_specs_of_a_tutorial_have_no_findings(page: Path) -> None:
    found = specs(page.read_text(encoding="utf-8"))

    assert found, "a tutorial writes a spec in a file"
    for spec in found:
        messages = [finding.message for finding in lint_group(read_group(spec))]
        assert not messages, spec.name


@pytest.mark.parametrize("page", GUIDES, ids=[page.stem for page in GUIDES])
def test_a_guide_says_what_to_install_before_its_first_block(page: Path) -> None:
    before, fence, _ = page.read_text(encoding="utf-8").partition("\n```")

    assert fence
    assert re.search(r"\[[Ii]nstall\]\(\.\./install\.md\) first", before)


def test_how_to_install_stands_on_one_page_and_where_readers_begin() -> None:
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    installing = {
        page.relative_to(ROOT).as_posix()
        for page in pages
        if re.search(r"pip install [^`\n]*\./runtime", page.read_text("utf-8"))
        or "pip install .`" in page.read_text("utf-8")
    }

    assert installing == {"README.md", "docs/index.md", "docs/install.md"}


@pytest.mark.parametrize("page", GUIDES, ids=[page.stem for page in GUIDES])
def test_a_guide_ends_with_a_link(page: Path) -> None:
    *_, last = page.read_text(encoding="utf-8").split("\n\n")

    assert "](" in last


@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_the_driver_of_a_tutorial_is_as_passgen_new_writes_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    drivers = re.findall(r"in `\w+_opt\.py`:\n\n```python\n(.*?)```", text, re.DOTALL)
    groups = [read_group(spec).title for spec in specs(text)]
    values = driver_values(groups[0], package="")
    shape = laid_out("a.py", render("new/driver.py.j2", values), ROOT)

    assert drivers == [shape]
    assert text.count("console_main") == 1


def specs(page: str) -> list[SourceFile]:
    """Return the specs that a reader of `page` writes."""
    lines = page.split("\n")
    found = []
    for block in MarkdownIt("commonmark").parse(page):
        if block.type == "fence" and block.info == "yaml" and block.map:
            before = "\n".join(lines[: block.map[0]]).rstrip()
            if named := _SPEC_NAME.search(before):
                found.append(SourceFile(named[1], block.content))
    return found
