"""Links in the Markdown of authors, and where they lead on a site.

On the Markdown page of a group, `#cse` leads to the pass `cse`; `#-cse` does so on a
page of mlir-tblgen, and `passes.md#cse` leads there from elsewhere. A site has a page
for each pass instead, and no such places.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from passgen.render.markdown import heading_anchor
from passgen.render.prose import fenced_ir

if TYPE_CHECKING:  # imported when a text has a link
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MAY_LINK: Final = re.compile(r"\]\s*[(:]")
_PAGE_OF_PASSES: Final = re.compile(r"(?:.*/)?\w*passes(?:\.[\w.]+)?/?", re.IGNORECASE)


def linked_name(href: str, names: Collection[str]) -> str | None:
    """Return the name of `names` that a link leads to on a page of passes, if any."""
    address = urlsplit(href)
    place = unquote(address.fragment)
    if address.scheme or address.netloc:
        return None
    if address.path and not _PAGE_OF_PASSES.fullmatch(address.path):
        return None
    if place in names:
        return place
    if (bare := place.removeprefix("pass-")) in names:
        return bare
    # A heading of mlir-tblgen is `-cse`, in old versions with the summary behind it.
    found = [name for name in names if f"{place}-".startswith(f"-{name.lower()}-")]
    return max(found, key=len, default=None)


def linked_heading(href: str, tokens: list[Token]) -> Token | None:
    """Return the heading of a parsed text that a link in the text leads to, if any."""
    for at, token in enumerate(tokens):
        is_heading = token.type == "heading_open"
        if is_heading and href == f"#{heading_anchor(tokens[at + 1].content)}":
            return token
    return None


def lost_links(text: str, names: Collection[str]) -> Iterator[str]:
    """Yield the relative links and images of a text that lead nowhere on a site.

    Args:
        text: the Markdown of an author.
        names: what has a page, or a place on one.
    """
    if not _MAY_LINK.search(text):
        return
    tokens = _parser().parse(fenced_ir(text))
    for token in tokens:
        for part in token.children or ():
            href = part.attrGet("href") or part.attrGet("src")
            if not isinstance(href, str) or not _is_relative(href):
                continue
            is_known = linked_name(href, names) or linked_heading(href, tokens)
            if not is_known:
                yield href


def _is_relative(href: str) -> bool:
    """Return whether a link means a file or a place beside the page it is written for.

    A link to a page in HTML is written for a site.
    """
    address = urlsplit(href)
    is_address = address.scheme or address.netloc or href.startswith("/")
    return not is_address and not address.path.endswith(".html")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - see above

    return MarkdownIt("commonmark", {"html": False}).enable("table")
