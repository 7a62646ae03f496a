"""The pages of a site, read for what they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page leads to, and the places that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.scripts: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {values.get("id") or "", values.get("name") or ""}
        if tag == "script":
            self.scripts.append(values.get("src") or "")
        for key in ("href", "src"):
            if link := values.get(key):
                self.links.append(link)


def dead_links(site: Path) -> Iterator[str]:
    """Yield the links of the pages of `site` that lead nowhere inside of it."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path
            if parts.path:
                target = (path.parent / unquote(parts.path)).resolve()
            target = target / "index.html" if target.is_dir() else target
            ids = pages[target].ids if target in pages else set()
            if not target.exists() or (
                parts.fragment
                and target.suffix == ".html"
                and unquote(parts.fragment) not in ids
            ):
                yield f"{path.relative_to(site)}: {link}"
