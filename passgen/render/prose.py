r"""Markdown of authors, laid out anew: long lines are wrapped, and bare IR is fenced.

    wrap("a b c d", 4) == "a b\nc d"
    fenced_ir("So:\n%0 = foo.bar : i1") == "So:\n```mlir\n%0 = foo.bar : i1\n```"

Both change the layout only: a page shows the same words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
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


def wrap(text: str, columns: int) -> str:
    """Return the Markdown `text` with its paragraphs wrapped at `columns`.

    Lines that are short enough stay, and so do code, tables, IR and headings.
    """
    lines = text.split("\n")
    if max(map(len, lines)) <= columns or "\r" in text:
        return text
    parts = tuple(paragraphs(text))
    ir = {number for run in _ir(lines, parts) for number in run}
    for part in reversed(parts):
        prose = lines[part.start : part.stop]
        if max(map(len, prose)) <= columns or any(map(_is_table_row, prose)):
            continue
        if ir.isdisjoint(part) and not any(map(_HARD_BREAK.search, prose[:-1])):
            prose = [
                " ".join([prose[0], *(quoted.lstrip("> ") for quoted in prose[1:])])
            ]
        lines[part.start : part.stop] = [
            wrapped
            for number, line in enumerate(prose, part.start)
            for wrapped in ([line] if number in ir else _wrapped_line(line, columns))
        ]
    return "\n".join(lines)


_HARD_BREAK: Final = re.compile(r"(?:  |\\)$")


def _is_table_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _wrapped_line(line: str, columns: int) -> Iterator[str]:
    match = MARGIN.match(line)
    margin = current = match[0] if match else ""
    following = re.sub(r"[^\s>]", " ", margin)
    for unit in _UNIT.finditer(line, len(margin)):
        is_too_long = len(current) + len(unit[0]) > columns
        if is_too_long and current != margin and _STARTS_LINE.match(unit["word"]):
            yield current
            current = following + unit["word"]
        else:
            current += unit[0]
    yield current + line[len(line.rstrip()) :]


def fenced_ir(text: str) -> str:
    """Return the Markdown `text` with fences around IR that has none."""
    lines = text.split("\n")
    if "\r" in text or not any(map(_IS_IR.match, lines)):
        return text
    for run in reversed(tuple(_ir(lines, paragraphs(text)))):
        code = lines[run.start : run.stop]
        margin = " " * min(_indent(line) for line in code if line.strip())
        lines[run.start : run.stop] = [f"{margin}```mlir", *code, f"{margin}```"]
    return "\n".join(lines)


def md_section(text: str, taken: Collection[str]) -> str:
    """Return an author's Markdown as a part of a page's second-level section.

    `taken` is as for `block_text`.
    """
    return block_text(fenced_ir(text), 2, 0, taken)


def md_description(text: str, indent: int, taken: Collection[str]) -> str:
    """Return the description of an item of a list: one line behind it, or a block.

    Args:
        text: an author's Markdown.
        indent: the columns by which a block is indented.
        taken: as for `block_text`.
    """
    if is_line(text):
        return after_colon(text)
    return f"\n\n{block_text(fenced_ir(text), 3, indent, taken)}"


def is_line(text: str) -> bool:
    """Return whether `text` has at most one line, blank ones around it aside."""
    return len(text.strip().splitlines()) <= 1


def _ir(lines: list[str], parts: Iterable[range]) -> Iterator[range]:
    """Yield the lines of each piece of IR that begins in a paragraph of `parts`."""
    end = 0
    for part in parts:
        for number in part:
            if number >= end and _IS_IR.match(lines[number]):
                end = _end(lines, number) or _end(
                    lines[: part.stop], number, counts=False
                )
                yield range(number, end)


def _end(lines: list[str], start: int, *, counts: bool = True) -> int:
    """Return the end of the IR that begins at `start`; 0 if its braces do not match.

    Args:
        lines: the text.
        start: the number of a line that is plainly MLIR.
        counts: whether all lines up to the last brace belong to it.
    """
    end = depth = 0
    for number in range(start, len(lines)):
        line = lines[number]
        is_ir = _IS_IR.match(line) or _GOES_ON.match(line)
        is_outside = _indent(line) < _indent(lines[start]) or line.lstrip()[:3] == "```"
        if line.strip() and (is_outside or not (is_ir or depth > 0)):
            break
        code = line.partition("//")[0]
        if counts:
            depth += sum(map(code.count, "{(")) - sum(map(code.count, "})"))
        if line.strip() and depth <= 0:
            end = number + 1
    return 0 if depth > 0 else end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
