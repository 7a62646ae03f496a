"""The site of all passes that LLVM 22 ships, imported from its `Passes.td`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from passgen.cli import main
from tests.docs.screen import overflow
from tests.docs.site_pages import dead_links
from tests.llvm_tools import find_system_include, find_tool, missing

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.llvm


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_tool("llvm-tblgen") is None:
        missing("llvm-tblgen")
    root = find_system_include() or missing("the include directory")
    folder = tmp_path_factory.mktemp("mlir")
    specs = []
    for path in sorted(root.rglob("Passes.td")):
        names = path.relative_to(root / "mlir").parent.parts
        spec = folder / f"{'_'.join(names).lower()}.yaml"
        assert main(["import", str(path), "-I", str(root), "-o", str(spec)]) == 0
        specs.append(str(spec))
    assert main(["site", "--title", "MLIR", *specs, "-o", str(folder / "site")]) == 0
    return folder / "site"


def test_every_link_leads_somewhere_but_those_into_sources_of_mlir(site: Path) -> None:
    pages = list(site.rglob("*.html"))

    assert len(pages) > 290 + 33
    # Descriptions link to files of MLIR's own site, and such texts are left as they are.
    assert [link for link in dead_links(site) if ".md" not in link] == []


def test_the_index_is_searched_by_option(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    page.fill("#passgen-query", "unroll-full-threshold")

    assert page.locator(".passgen-index tbody tr:visible").count() == 1
    assert page.locator(".passgen-index tbody tr").count() >= 290


def test_the_search_finds_a_pass_by_option(site: Path, page: Page) -> None:
    page.goto(f"{(site / 'search.html').as_uri()}?q=bufferize-function-boundaries")
    found = page.locator("#search-results li a", has_text="one-shot-bufferize").first
    found.wait_for()
    found.click()

    # A click does not wait for the page that it leads to.
    page.locator("#option-bufferize-function-boundaries").wait_for(state="visible")
    # The name of its group is longer than the space beside it on a phone.
    assert overflow(page) == []
