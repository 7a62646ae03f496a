"""reStructuredText syntax, as far as pages need it around their HTML."""

from __future__ import annotations

import re
from textwrap import indent
from typing import Final

from passgen.render.markdown_blocks import visible

_SPECIAL: Final = re.compile(r"[^\w\s.,;()-]|_")


def rst_title(text: str, mark: str) -> str:
    """Return the heading `text`, underlined with `mark`."""
    escaped = _SPECIAL.sub(r"\\\g<0>", " ".join(visible(text).split()))
    if escaped[:1] not in {"\\", ""} and not escaped[0].isalpha():
        escaped = f"\\{escaped}"  # "1." and "-" would begin a list
    return f"{escaped}\n{mark * max(2 * len(escaped), 4)}"


def rst_path(document: str) -> str:
    """Return the name of a document for a table of contents, from the source's root."""
    return f"/{document}"


def rst_comment(text: str) -> str:
    """Return `text` as a part of a comment, on one line."""
    return " ".join(visible(text).split())


def rst_raw_html(html: str) -> str:
    """Return a block of HTML, which is not read as reStructuredText."""
    return f".. raw:: html\n\n{indent(html, '   ')}"
