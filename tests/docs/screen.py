"""What does not fit on a screen, as a browser lays a page out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_OVERFLOW = """() => {
  const scrolls = (element) =>
    element.tagName !== "ARTICLE" &&
    (["auto", "scroll"].includes(getComputedStyle(element).overflowX) ||
      scrolls(element.parentElement));
  return [...document.querySelectorAll("article *")]
    .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
    .filter((each) => !scrolls(each))
    .map((each) => each.textContent.slice(0, 40));
}"""


def overflow(page: Page) -> list[str]:
    """Return the texts on `page` that end right of the screen and cannot be scrolled."""
    texts: list[str] = page.evaluate(_OVERFLOW)
    return texts
