r"""Markdown of authors, laid out anew: long lines are wrapped, and bare IR is fenced.

    wrap("a b c d", 4) == "a b\nc d"
    fenced_ir("So:\n%0 = foo.bar : i1") == "So:\n```mlir\n%0 = foo.bar : i1\n```"

Both change the layout only: a page shows the same words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from passgen.render.markdown import MARGIN, after_colon, block_text, paragraphs

_UNIT: Final = re.compile(r"(?P<blank>\s*)(?P<word>(?:(?P<ticks>`+).*?(?P=ticks)|\S)+)")
"""A word; a code span is a part of one."""

_STARTS_LINE: Final = re.compile(r"""(?!\d+[.)]|_|```)[\w("'`%@&/\\]""")
"""The start of a word that stays text at the start of a line."""

_OPERATION: Final = (
    r"""(?:"[a-z_]\w*(?:\.[\w$]+)+"|[a-z_]\w*(?:\.[\w$]+)+|module|func)"""
)
_IS_IR: Final = re.compile(
    rf"""
    \s*(?:
      %[\w$.\-]+ (?:\#\d+|:\d+)? (?:,\s*%[\w$.\-]+(?::\d+)?)* \s*=\s*"?[a-z]  # results
    | {_OPERATION}\b (?: .*\{{\s*$
      # `%` or `@`, after it a type or a bracket, and no end as that of a sentence.
      | [^%@]*+[%@] (?:(?!\s:\s|\)).)*+ (?:\s:\s|\)) (?: .*\S)? (?<![.:,]) \s*$ )
    | [\#!][a-z]\w*(?:\.\w+)? \s=\s [^\s]   # an alias
    | \^bb\d
    )
    """,
    re.VERBOSE,
)
"""A line that is plainly MLIR."""

_GOES_ON: Final = re.compile(
    r"\s*(?:[)\]}>]|//|\.\.\.\s*$|(?:[a-z_]+\.)?(?:return|yield)\b)"
)
"""A line that belongs to the IR before it."""

_HARD_BREAK: Final = re.compile(r"(?:  |\\)$")
"""The end of a line that ends with a line break on the page."""


def wrap(text: str, columns: int) -> str:
    """Return the Markdown `text` with its paragraphs wrapped at `columns`.

    Lines that are short enough stay, and so do code, tables, IR and headings.
    """
    lines = text.split("\n")
    if max(map(len, lines)) <= columns or "\r" in text:
        return text
    all_paragraphs = tuple(paragraphs(text))
    ir: set[int] = set()
    for piece in _pieces_of_ir(lines, all_paragraphs):
        ir.update(piece)
    for place in reversed(all_paragraphs):  # so that earlier lines keep their numbers
        paragraph = lines[place.start : place.stop]
        is_short = max(map(len, paragraph)) <= columns
        if is_short or any(map(_is_table_row, paragraph)):
            continue
        if ir.isdisjoint(place) and not any(map(_HARD_BREAK.search, paragraph[:-1])):
            paragraph = [_join_lines(paragraph)]
        wrapped: list[str] = []
        for number, line in enumerate(paragraph, place.start):
            if number in ir:
                wrapped.append(line)
            else:
                wrapped += _wrapped_line(line, columns)
        lines[place.start : place.stop] = wrapped
    return "\n".join(lines)


def fenced_ir(text: str) -> str:
    """Return the Markdown `text` with fences around IR that has none."""
    lines = text.split("\n")
    if "\r" in text or not any(map(_IS_IR.match, lines)):
        return text
    pieces = tuple(_pieces_of_ir(lines, paragraphs(text)))
    for piece in reversed(pieces):  # so that earlier lines keep their numbers
        code = lines[piece.start : piece.stop]
        margin = " " * min(_indent(line) for line in code if line.strip())
        lines[piece.start : piece.stop] = [f"{margin}```mlir", *code, f"{margin}```"]
    return "\n".join(lines)


def md_section(text: str, taken: Collection[str]) -> str:
    """Return an author's Markdown as a part of a page's second-level section.

    `taken` is as for `block_text`.
    """
    return block_text(fenced_ir(text), below=2, taken=taken)


def md_description(text: str, indent: int, taken: Collection[str]) -> str:
    """Return the description of an item of a list: one line behind it, or a block.

    Args:
        text: an author's Markdown.
        indent: the columns by which a block is indented.
        taken: as for `block_text`.
    """
    if is_line(text):
        return after_colon(text)
    return f"\n\n{block_text(fenced_ir(text), below=3, indent=indent, taken=taken)}"


def is_line(text: str) -> bool:
    """Return whether `text` has at most one line, blank ones around it aside."""
    return len(text.strip().splitlines()) <= 1


def _is_table_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _join_lines(paragraph: Sequence[str]) -> str:
    """Return the lines of a paragraph as one, with the margin of the first."""
    first, *others = paragraph
    return " ".join([first, *(line.lstrip("> ") for line in others)])


def _wrapped_line(line: str, columns: int) -> Iterator[str]:
    """Yield the lines that a line becomes, each with its margin."""
    match = MARGIN.match(line)
    margin = match[0] if match else ""
    margin_of_others = re.sub(r"[^\s>]", " ", margin)
    current = margin
    for unit in _UNIT.finditer(line, len(margin)):
        is_too_long = len(current) + len(unit[0]) > columns
        if is_too_long and current != margin and _STARTS_LINE.match(unit["word"]):
            yield current
            current = margin_of_others + unit["word"]
        else:
            current += unit[0]
    ending = line[len(line.rstrip()) :]
    yield current + ending


def _pieces_of_ir(lines: list[str], places: Iterable[range]) -> Iterator[range]:
    """Yield the lines of each piece of IR that begins in a paragraph.

    Args:
        lines: the text.
        places: the lines of each paragraph.
    """
    end = 0
    for place in places:
        for number in place:
            if number < end or not _IS_IR.match(lines[number]):
                continue
            end = _end_of_ir(lines, number)
            if end == 0:
                end = _end_of_ir(lines[: place.stop], number, counts=False)
            yield range(number, end)


def _end_of_ir(lines: list[str], start: int, *, counts: bool = True) -> int:
    """Return the end of the IR that begins at `start`; 0 if its braces do not match.

    Args:
        lines: the text.
        start: the number of a line that is plainly MLIR.
        counts: whether all lines up to the last brace belong to it.
    """
    min_indent = _indent(lines[start])
    end = depth = 0
    for number, line in enumerate(lines[start:], start):
        is_blank = not line.strip()
        if not is_blank and not _is_more_ir(line, min_indent, is_open=depth > 0):
            break
        if counts:
            depth += _num_opened(line)
        if not is_blank and depth <= 0:
            end = number + 1
    return 0 if depth > 0 else end


def _is_more_ir(line: str, min_indent: int, *, is_open: bool) -> bool:
    """Return whether a line behind IR belongs to it.

    Args:
        line: the line.
        min_indent: the indentation of the IR.
        is_open: whether a brace of the IR is open.
    """
    if _indent(line) < min_indent or line.lstrip().startswith("```"):
        return False
    return is_open or bool(_IS_IR.match(line) or _GOES_ON.match(line))


def _num_opened(line: str) -> int:
    """Return the number of brackets that a line opens, less those that it closes."""
    code, _, _ = line.partition("//")
    num_opening = code.count("{") + code.count("(")
    num_closing = code.count("}") + code.count(")")
    return num_opening - num_closing


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
