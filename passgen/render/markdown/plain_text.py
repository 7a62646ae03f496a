"""Plain text as Markdown that renders as written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

_SPECIAL: Final = re.compile(
    r"""
      [\\`*\[\]<|~$]              # inline markup wherever it stands
    | \{(?=[^\s{}]+}`)           # a role of MyST
    | &(?=\#?\w+;)                # an entity
    | (?<![^\W_])_|_(?![^\W_])    # emphasis; inside a word an underscore is text
    | ^(?:[#>+=-]|\d+(?=[.)]))    # block markup at the start of a line
    """,
    re.VERBOSE,
)
_CODE_OR_SPECIAL: Final = re.compile(
    rf"(?P<code>(?<!`)`[^`]+`(?!`))|{_SPECIAL.pattern}", re.VERBOSE
)

_BARE_PIPE: Final = re.compile(r"(?<!\\)\|")
"""A pipe that ends a cell of a table, also in code."""

_JOINERS: Final = "\u200c\u200d"
"""Format characters that scripts and emoji need; others can mislead."""


def md_text(text: str) -> str:
    """Return plain `text` on one line, so that it renders as written."""
    return _SPECIAL.sub(_escape, one_line(text))


def md_summary(text: str) -> str:
    """Return plain `text` on one line, in which code between backquotes is code."""

    def keep_code(match: re.Match[str]) -> str:
        return match["code"] or _escape(match)

    return _CODE_OR_SPECIAL.sub(keep_code, one_line(text))


def md_cell(text: str) -> str:
    """Return plain `text` for a cell of a table; code between backquotes is code."""
    return _BARE_PIPE.sub(r"\|", md_summary(text))


def _escape(match: re.Match[str]) -> str:
    """Return special characters as text."""
    if match[0].isdigit():
        # Not the number at the start of a line but the mark behind it makes the list.
        return f"{match[0]}\\"
    return f"\\{match[0]}"


def md_code(text: str) -> str:
    """Return `text` as a code span on one line; it must not be empty."""
    line = visible(re.sub(r"\r\n|\r|\n", " ", text))
    fence = "`" * (_longest_run("`", line) + 1)
    needs_padding = line.startswith(("`", " ")) or line.endswith(("`", " "))
    if needs_padding and line.strip(" "):
        return f"{fence} {line} {fence}"
    return f"{fence}{line}{fence}"


def md_code_list(texts: Sequence[object]) -> str:
    """Return texts or names as code spans with commas between them."""
    return ", ".join(md_code(str(text)) for text in texts)


def md_fenced(text: str, language: str) -> str:
    """Return `text` as a block of code in `language`."""
    return fenced_block(visible(text), language)


def fenced_block(text: str, language: str) -> str:
    """Return `text` as a block of code, with its invisible characters."""
    fence = "`" * max(3, _longest_run("`", text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def md_link(name: str, anchors: Mapping[str, str]) -> str:
    """Return `name` as a code span that leads to its anchor, if it has one."""
    code = md_code(name)
    return f"[{code}](#{md_anchor(anchors[name])})" if name in anchors else code


def md_links(names: Sequence[str], anchors: Mapping[str, str]) -> str:
    """Return `names` with commas between them, each as `md_link` has it."""
    return ", ".join(md_link(name, anchors) for name in names)


def md_anchor(text: str) -> str:
    """Return `text` as the name of an anchor; characters that links allow stay."""

    def code_point(match: re.Match[str]) -> str:
        return f"-{ord(match[0]):x}-"

    return re.sub(r"[^\w.-]", code_point, text, flags=re.ASCII)


def heading_anchor(text: str) -> str:
    """Return the anchor that sites such as GitHub give to a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def md_comment(text: str) -> str:
    """Return `text` as a part of a one-line comment, which it cannot end."""
    return re.sub(r"--(!?)>", r"-- \1>", one_line(text))


def md_indent(depth: int) -> str:
    """Return the indentation of an item of a list inside `depth` others."""
    return "  " * depth


def md_verbatim(text: str) -> str:
    """Return `text`, which is a part of the page's source already."""
    return text


def md_pad(text: str, width: int) -> str:
    """Return `text`, source already, with spaces up to `width` bytes."""
    return text + " " * (width - len(text.encode()))


def one_line(text: str) -> str:
    """Return `text` as `visible` does, with one space for each run of white space."""
    return visible(" ".join(text.split()))


def visible(text: str) -> str:
    """Return `text` with U+FFFD for control characters and changes of direction."""
    if text.isprintable():
        return text
    return "".join(char if _is_visible(char) else "\ufffd" for char in text)


def _is_visible(char: str) -> bool:
    if char in "\n\t" or char in _JOINERS or char.isprintable():
        return True
    return unicodedata.category(char) == "Zs"


def _longest_run(char: str, text: str) -> int:
    """Return the length of the longest run of `char` in `text`."""
    return max(map(len, re.findall(f"{char}+", text)), default=0)
