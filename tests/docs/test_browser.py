"""Both sites in a real browser: search, console, widths, themes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.browser import DESK, PHONE
from tests.docs.built_sites import built_site
from tests.docs.contrast import faint_texts
from tests.docs.screen import broken_words, overflow
from tests.docs.site_pages import dead_links

if TYPE_CHECKING:
    from playwright.sync_api import Page

_LONGEST_LINE = """() => {
  const range = document.createRange();
  const lines = [...document.querySelectorAll("article section > p")].flatMap((paragraph) => {
    range.selectNodeContents(paragraph);
    const height = parseFloat(getComputedStyle(paragraph).lineHeight);
    const count = Math.round(range.getBoundingClientRect().height / height);
    return count > 2 ? [paragraph.innerText.length / count] : [];
  });
  return Math.max(...lines);
}"""

pytestmark = pytest.mark.browser

NUM_PARTS = 4
"""Of the visit of all pages: workers share them."""


@pytest.fixture(scope="module")
def sites(
    documentation: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    specs = ["specs/affine.yaml", "specs/transforms.yaml"]
    command = ["-m", "passgen.cli", "site", *specs, "-o"]
    passes = built_site(tmp_path_factory, "passes", *command)
    return {"passes": passes, "docs": documentation}


@pytest.mark.parametrize("site", ["passes", "docs"])
def test_search_finds_a_pass_by_the_name_of_an_option(
    sites: dict[str, Path], page: Page, site: str
) -> None:
    page.goto(f"{(sites[site] / 'search.html').as_uri()}?q=unroll-full-threshold")
    found = page.locator("#search-results li a", has_text="affine-loop-unroll").first
    found.wait_for()
    found.click()

    assert page.locator("h1").inner_text().startswith("affine-loop-unroll")
    assert page.locator("#option-unroll-full-threshold").is_visible()


def test_every_link_of_the_documentation_leads_somewhere(
    sites: dict[str, Path],
) -> None:
    assert list(dead_links(sites["docs"])) == []


def test_the_index_shows_what_holds_all_words(
    sites: dict[str, Path], page: Page
) -> None:
    page.goto((sites["passes"] / "index.html").as_uri())
    page.fill("#passgen-query", "FUNC unroll jam")

    assert page.inner_text("#passgen-count") == "1 of 29"
    assert page.locator(".passgen-index tbody tr:visible").count() == 1


def test_the_index_shows_the_options_that_were_searched_for(
    sites: dict[str, Path], page: Page
) -> None:
    page.goto((sites["passes"] / "index.html").as_uri())
    assert page.locator(".passgen-option:visible").count() == 0
    page.fill("#passgen-query", "full-threshold")
    page.locator(".passgen-option:visible").click()

    page.locator("#option-unroll-full-threshold").wait_for(state="visible")
    assert page.url.endswith("affine-loop-unroll.html#option-unroll-full-threshold")


def test_the_index_is_filtered_by_group_and_operation(
    sites: dict[str, Path], page: Page
) -> None:
    page.goto((sites["passes"] / "index.html").as_uri())
    page.select_option("#passgen-group", "Transforms")
    assert page.inner_text("#passgen-count") == "10 of 29"
    page.select_option("#passgen-group", "Affine")
    page.select_option("#passgen-anchor", "FunctionOpInterface")

    assert page.inner_text("#passgen-count") == "3 of 29"


@pytest.mark.parametrize("part", range(NUM_PARTS))
@pytest.mark.parametrize("page", [PHONE], indirect=True, ids=["phone"])
def test_texts_fit_the_screen_and_names_break_between_their_words(
    sites: dict[str, Path], page: Page, part: int
) -> None:
    faults = {}
    paths = sorted(path for site in sites.values() for path in site.rglob("*.html"))
    for path in paths[part::NUM_PARTS]:
        page.goto(path.as_uri())  # once for all measures, for it takes most of the time
        found = {"too wide for a phone": overflow(page)}
        if sites["docs"] in path.parents:
            found["broken"] = broken_words(page)
        page.set_viewport_size(DESK)
        found["too wide for a desk"] = overflow(page)
        page.set_viewport_size(PHONE)
        if any(found.values()):
            faults[path.name] = found

    assert faults == {}


@pytest.mark.parametrize("page", [DESK], indirect=True, ids=["desk"])
def test_the_first_screen_shows_buttons_commands_and_two_pictures_of_one_height(
    documentation: Path, page: Page
) -> None:
    page.goto((documentation / "index.html").as_uri())
    shown = page.locator(".buttons a, .highlight-sh, .hero img:visible")
    bottoms, heights = (
        shown.evaluate_all(
            f"all => all.map(element => element.getBoundingClientRect().{side})"
        )
        for side in ("bottom", "height")
    )

    assert len(bottoms) == 6
    assert max(bottoms) < DESK["height"]
    assert heights[-1] == pytest.approx(heights[-2], abs=2)


@pytest.mark.parametrize("page", [DESK], indirect=True, ids=["desk"])
def test_a_line_has_about_70_letters_and_a_title_32_pixels(
    documentation: Path, page: Page
) -> None:
    page.goto((documentation / "how-to/report.html").as_uri())
    letters = page.evaluate(_LONGEST_LINE)

    assert 55 < letters < 85
    size = page.locator("h1").evaluate("title => getComputedStyle(title).fontSize")
    assert size == "32px"


@pytest.mark.parametrize("page", [DESK], indirect=True, ids=["desk"])
def test_pictures_of_reports_show_letters_in_their_size(
    documentation: Path, page: Page
) -> None:
    page.goto((documentation / "how-to/report.html").as_uri())
    pictures = page.locator("img.picture:visible")
    scales = pictures.evaluate_all(
        "all => all.map(one => one.naturalWidth / one.width)"
    )

    assert scales == [2, 2]


@pytest.mark.parametrize("page", [DESK], indirect=True, ids=["desk"])
def test_the_sidebar_shows_groups_and_unfolds_the_one_of_the_page(
    documentation: Path, page: Page
) -> None:
    links = page.locator(".sidebar-tree a:visible")
    page.goto((documentation / "index.html").as_uri())
    assert links.count() <= 10
    page.goto((documentation / "how-to/report.html").as_uri())

    assert "Report of a run" in links.all_inner_texts()
    assert "A pass on xDSL's IR" not in links.all_inner_texts()


def test_the_reference_shows_the_parameters_of_a_pass(
    documentation: Path, page: Page
) -> None:
    page.goto((documentation / "reference/runtime.html").as_uri())
    page.get_by_role("link", name="OperationPass", exact=True).click()

    signature = page.locator("dt", has_text="class OperationPass").first
    signature.wait_for()
    assert signature.inner_text().startswith("class OperationPass(options: ")


def test_every_block_of_code_is_copied_a_session_without_its_output(
    documentation: Path, page: Page
) -> None:
    page.goto((documentation / "how-to/report.html").as_uri())
    blocks = page.locator("div.highlight")
    assert blocks.locator("button.copybtn").count() == blocks.count() > 3

    page.goto((documentation / "index.html").as_uri())
    session = page.locator(".highlight-console", has_text="count_ops.yaml --target")
    session.hover()
    session.locator("button.copybtn").click()
    page.evaluate("document.body.append(document.createElement('textarea'))")
    page.locator("textarea").last.focus()
    page.keyboard.press("Control+V")

    assert page.locator("textarea").last.input_value() == (
        "passgen count_ops.yaml --target python --target cpp --target markdown"
    )


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
def test_pages_follow_the_theme_of_the_system(
    sites: dict[str, Path],
    page: Page,
    scheme: Literal["light", "dark"],
    is_dark: bool,  # noqa: FBT001 - the expectation
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto((sites["passes"] / "index.html").as_uri())
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", color)[:3])

    assert (red + green + blue < 3 * 128) == is_dark


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    ["index", "reference/spec", "reference/passes/affine/affine-loop-unroll"],
)
def test_texts_have_contrast(
    documentation: Path, page: Page, name: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto((documentation / f"{name}.html").as_uri())
    assert faint_texts(page) == []

    page.add_style_tag(content="article h1 { opacity: 0.3 }")
    assert len(faint_texts(page)) > 0


@pytest.mark.parametrize("page", [DESK], indirect=True, ids=["desk"])
def test_names_of_options_are_as_dark_as_the_text_and_bold(
    documentation: Path, page: Page
) -> None:
    name = "reference/passes/affine/affine-loop-unroll"
    page.goto((documentation / f"{name}.html").as_uri())
    look = "element => [getComputedStyle(element).color, getComputedStyle(element).fontWeight]"
    color, weight = page.locator("#option-unroll-factor > code").evaluate(look)

    assert color == page.locator("article > section").evaluate(look)[0]
    assert weight == "700"


def test_the_table_of_mlirs_passes_is_filtered_by_words(
    sites: dict[str, Path], page: Page
) -> None:
    page.goto((sites["docs"] / "reference/mlir-passes.html").as_uri())
    page.fill(".pass-filter", "affine UNROLL factor")

    shown = page.locator("tbody tr:visible td:first-child").all_inner_texts()

    assert shown == ["AffineLoopUnroll", "AffineLoopUnrollAndJam"]
