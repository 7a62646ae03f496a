"""Markdown syntax: text and code as they are meant, anchors, comments, code blocks.

The filters of the Markdown templates, which `render` registers; `md_block`, for texts
that are Markdown themselves, is in `markdown_blocks`. The dialect is CommonMark.

    md_text("a < b | *c*") is the source that renders as those very characters
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from passgen.render.markdown_blocks import escape_html, visible


@dataclass(frozen=True)
class Link:
    """A name that the page may describe."""

    text: str
    anchor: str = ""
    """Where on the page; empty for a name that is described elsewhere."""


_SPECIAL: Final = re.compile(
    r"""
      [\\`*\[\]<|~$]              # inline markup wherever it stands
    | &(?=\#?\w+;)                # an entity
    | (?<![^\W_])_|_(?![^\W_])    # emphasis; inside a word an underscore is text
    | ^(?:[#>+=-]|\d+(?=[.)]))    # block markup at the start of a line
    """,
    re.VERBOSE,
)


def md_text(text: str) -> str:
    """Return plain `text` on one line, so that it renders as written."""
    line = visible(" ".join(text.split()))
    return _SPECIAL.sub(_backslashed, line)


def md_code(text: str) -> str:
    """Return `text` as a code span on one line; it must not be empty."""
    line = visible(re.sub(r"\r\n|\r|\n", " ", text))
    fence = "`" * (_longest_run("`", line) + 1)
    is_padded = line.strip(" ") and (
        line.startswith(("`", " ")) or line.endswith(("`", " "))
    )
    return f"{fence} {line} {fence}" if is_padded else f"{fence}{line}{fence}"


def md_code_list(texts: tuple[str, ...]) -> str:
    """Return `texts` as code spans with commas between them."""
    return ", ".join(md_code(text) for text in texts)


def md_links(links: tuple[Link, ...]) -> str:
    """Return the texts of `links` as code spans with commas between them, linked."""
    return ", ".join(
        (
            f"[{md_code(link.text)}](#{md_anchor(link.anchor)})"
            if link.anchor
            else md_code(link.text)
        )
        for link in links
    )


def md_indent(depth: int) -> str:
    """Return the indentation of an item of a list inside `depth` others."""
    return "  " * depth


def md_after_colon(text: str) -> str:
    """Return one line of Markdown behind a colon, HTML as text; nothing for nothing."""
    line = escape_html(visible(" ".join(text.split())))
    return f": {line}" if line else ""


def md_fenced(text: str, language: str) -> str:
    """Return the one line `text` as a block of code in `language`."""
    fence = "`" * max(3, _longest_run("`", text) + 1)
    return f"{fence}{language}\n{visible(text)}\n{fence}"


def md_anchor(text: str) -> str:
    """Return `text` as the name of an anchor; what links take stays as it is."""
    return re.sub(
        r"[^\w.-]", lambda match: f"-{ord(match[0]):x}-", text, flags=re.ASCII
    )


def md_comment(text: str) -> str:
    """Return `text` as a part of a one-line comment, which it cannot end."""
    line = visible(" ".join(text.split()))
    return re.sub(r"--(!?)>", r"-- \1>", line)


def md_verbatim(text: str) -> str:
    """Return `text`, which its author means to be a part of the page's source."""
    return text


def _longest_run(char: str, text: str) -> int:
    return max(map(len, re.findall(f"{char}+", text)), default=0)


def _backslashed(match: re.Match[str]) -> str:
    # Of a number at the start of a line, what follows it makes the list.
    return match[0] + "\\" if match[0].isdigit() else "\\" + match[0]
