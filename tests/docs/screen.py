"""Texts that do not fit on a screen, or break badly, as a browser lays a page out."""

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


_BROKEN = """() => {
  const texts = new Set();
  const range = document.createRange();
  for (const code of document.querySelectorAll("article :not(pre) > code")) {
    const block = code.parentElement.closest("dd, dt, h1, h2, h3, li, p, td");
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (block && walker.nextNode()) {
      for (const { 0: word, index } of walker.currentNode.data.matchAll(/\\w+/g)) {
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        const lines = [...range.getClientRects()];
        const width = lines.reduce((sum, line) => sum + line.width, 0);
        if (lines.length > 1 && width < block.clientWidth - 20) texts.add(word);
      }
    }
  }
  return [...texts];
}"""


def broken_words(page: Page) -> list[str]:
    """Return the words of code on `page` that break though a line has room for them."""
    texts: list[str] = page.evaluate(_BROKEN)
    return texts
