"""The contrast of texts with what is behind them, as WCAG 2 computes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_FAINT = """() => {
  const parsed = (color) => {
    const numbers = color.match(/[\\d.]+/g).map(Number);
    return numbers.length < 4 ? [...numbers, 1] : numbers;
  };
  const over = (top, bottom) =>
    [0, 1, 2].map((at) => top[at] * top[3] + bottom[at] * (1 - top[3])).concat(1);
  const luminance = (color) => {
    const [red, green, blue] = color.map((value) =>
      value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ancestors = (element) => element ? [...ancestors(element.parentElement), element] : [];
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || element.closest("script, style, svg") || !element.checkVisibility()) continue;
    const styles = ancestors(element).map((each) => getComputedStyle(each));
    const behind = styles.map((each) => parsed(each.backgroundColor))
      .reduce((below, each) => over(each, below), [255, 255, 255, 1]);
    const style = styles.at(-1);
    const color = parsed(style.color);
    color[3] *= styles.reduce((opacity, each) => opacity * each.opacity, 1);
    const [dark, light] = [luminance(over(color, behind)), luminance(behind)].sort((a, b) => a - b);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < (isLarge ? 3 : 4.5)) faint.push(`${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  return faint;
}"""


def faint_texts(page: Page) -> list[str]:
    """Return the texts on `page` below the contrast of level AA, each with its ratio."""
    texts: list[str] = page.evaluate(_FAINT)
    return texts
