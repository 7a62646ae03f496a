"""Markdown of authors as a part of a page, which it cannot end or disturb."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from passgen.render.markdown.parsing import (
    AUTOLINK,
    MARGIN,
    ParsedText,
    edit_line,
)
from passgen.render.markdown.plain_text import (
    heading_anchor,
    md_fenced,
    one_line,
    visible,
)

if TYPE_CHECKING:  # imported when an author's text is read
    from markdown_it.token import Token

_MAX_HEADING: Final = 6
_BRACES: Final = str.maketrans("", "", "{}")
_ENTITIES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", '"': "&quot;", "\\": "&#92;", "\n": "&#10;"}
)


def after_colon(text: str) -> str:
    """Return one line of Markdown behind a colon, HTML as text; nothing for nothing."""
    line = one_line(text)
    return f": {edit_line(line)}" if line else ""


def block_text(
    text: str, below: int, indent: int = 0, taken: Collection[str] = ()
) -> str:
    """Return the Markdown `text` as a part of a section, which it cannot end.

    Headings become subheadings of the section, HTML becomes text (`tensor<i32>` is no
    tag), an open code block is closed, and labels of links are unique to the text. A
    text that is nested too deeply, or has too many open brackets, is shown as code.

    Args:
        text: the Markdown of an author.
        below: the level of the section's heading; the text's highest heading is moved
            one level below it unless it is deeper already.
        indent: the columns by which all lines are indented, for a list item.
        taken: the anchors of the page's own headings, as `heading_anchor` makes them; a
            heading of the text with such an anchor becomes a bold line.
    """
    lines = [_tidy(visible(line)) for line in re.split(r"\r\n|\r|\n", text.rstrip())]
    source = "\n".join(lines)
    parsed = ParsedText(source)
    if parsed.is_too_complex:
        block = md_fenced(source, "")
    else:
        block = _BlockEditor(lines, parsed, below, taken).text()
    return re.sub("^(?=.)", " " * indent, block, flags=re.MULTILINE)


def _tidy(line: str) -> str:
    """Return `line` without tabs in its margin and no-break spaces at its end."""
    line = MARGIN.sub(lambda match: match[0].expandtabs(4), line, count=1)
    bare = line.rstrip()
    ending = line[len(bare) :]
    return bare if ending.strip(" \t") else line


class _BlockEditor:
    """Edits the lines of a text for a section."""

    def __init__(
        self,
        lines: Sequence[str],
        parsed: ParsedText,
        below: int,
        taken: Collection[str],
    ) -> None:
        """Start without edits; the arguments are those of `block_text`."""
        self._lines = lines
        self._new_lines: list[str | None] = [*lines]
        """The lines as they become; `None` for a line that is removed."""

        self._parsed = parsed
        self._taken = taken
        levels = [
            _level(token) for token in parsed.tokens if token.type == "heading_open"
        ]
        highest = min(levels, default=_MAX_HEADING)
        self._shift = max(0, below + 1 - highest)
        """The number of levels by which headings are moved down."""

    def text(self) -> str:
        """Return the text with all edits."""
        self._empty_blank_lines()
        self._disarm_directives()
        for opening, inline in pairwise(self._parsed.tokens):
            if inline.type != "inline" or not opening.map:
                continue
            first, end = opening.map
            if opening.type == "heading_open":
                self._edit_heading(opening, inline.content, first, end)
            else:
                self._edit_paragraph(inline.content, first)
        self._edit_definitions()
        text = "\n".join(line for line in self._new_lines if line is not None)
        return text + self._missing_fence()

    def _empty_blank_lines(self) -> None:
        """Remove the spaces of blank lines outside code."""
        code: set[int] = set()
        for token in self._parsed.tokens:
            if token.type in {"fence", "code_block"} and token.map:
                code.update(range(*token.map))
        for number, line in enumerate(self._lines):
            if not line.strip() and number not in code:
                self._new_lines[number] = ""

    def _disarm_directives(self) -> None:
        """Remove the braces of fences that begin blocks of code as directives."""
        for token in self._parsed.tokens:
            if token.map and token.info.strip().startswith("{"):
                first, _ = token.map
                self._new_lines[first] = self._lines[first].translate(_BRACES)

    def _edit_heading(self, opening: Token, content: str, first: int, end: int) -> None:
        """Edit the heading in the lines from `first` to `end`."""
        text = self._parsed.apply_edits(content)
        if opening.markup.startswith("#"):
            margin, _, rest = self._lines[first].partition(opening.markup)
            rest = rest.replace(content, text, 1)
        else:  # underlined
            first_line, *_ = content.split("\n")
            margin, _, _ = self._lines[first].rpartition(first_line)
            rest = " " + " ".join(line.strip() for line in text.split("\n"))
            if rest.endswith("#"):
                rest += " #"  # the last # of a heading is not shown
            self._remove_lines(first + 1, end)
        if heading_anchor(content) in self._taken:
            self._new_lines[first] = self._bold_line(margin, text, first, end)
        else:
            level = min(_level(opening) + self._shift, _MAX_HEADING)
            self._new_lines[first] = margin + "#" * level + rest

    def _bold_line(self, margin: str, text: str, first: int, end: int) -> str:
        """Return a heading as a paragraph, with blank lines around it."""
        blank = re.sub(r"[^>]", " ", margin).rstrip()
        line = f"{margin}**{text}**"
        if first > 0 and self._lines[first - 1].strip():
            line = f"{blank}\n{line}"
        if end < len(self._lines) and self._lines[end].strip():
            line = f"{line}\n{blank}"
        return line

    def _edit_paragraph(self, content: str, first: int) -> None:
        """Edit the paragraph that begins in the line `first`."""
        old_lines = content.split("\n")
        new_lines = self._parsed.apply_edits(content).split("\n")
        pairs = zip(old_lines, new_lines, strict=True)
        for number, (old, new) in enumerate(pairs, first):
            margin, _, ending = self._lines[number].rpartition(old.strip())
            text = new.strip()
            if text.startswith(("<", ":::")) and not AUTOLINK.match(text):
                text = f"\\{text}"  # a tag or ::: here ends even a code span
            self._new_lines[number] = margin + text + ending

    def _edit_definitions(self) -> None:
        """Write each link definition with its new label, on one line."""
        for label, definition in self._parsed.definitions():
            first, end = definition["map"]
            margin, _, _ = self._lines[first].partition("[")
            target = definition["href"].translate(_ENTITIES)
            title = definition["title"].translate(_ENTITIES)
            line = f"{margin}[{label}]: <{target}>"
            if title:
                line += f' "{title}"'
            self._new_lines[first] = line
            self._remove_lines(first + 1, end)

    def _remove_lines(self, first: int, end: int) -> None:
        for number in range(first, end):
            self._new_lines[number] = None

    def _missing_fence(self) -> str:
        """Return the line that closes a block of code at the end of the text."""
        tokens = self._parsed.tokens
        last = tokens[-1] if tokens else None
        if last is None or last.type != "fence" or last.level or not last.map:
            return ""
        first, end = last.map
        is_closed = last.content.count("\n") < end - first - 1
        return "" if is_closed else f"\n{last.markup}"


def _level(heading: Token) -> int:
    """Return the level of a heading, whose tag is `h1` to `h6`."""
    return int(heading.tag[1:])
