"""IR before and after a pass, side by side, as reports show changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from html import escape
from typing import Final, NamedTuple

from pygments.token import STANDARD_TYPES

from passgen.render import visible
from passgen.site.html import MLIRLexer

_LEXER: Final = MLIRLexer()

_LEAST_LIKENESS: Final = 0.4
"""The share of equal tokens from which a line takes the place of another one."""


class _Row(NamedTuple):
    """A line before, and the one in its place after; `None` if there is none."""

    before: str | None
    after: str | None


class _Token(NamedTuple):
    """A token of a line, and its class in styles."""

    text: str
    style: str


def html_change(before: str, after: str) -> str:
    """Return the rows of a table: lines before in the left column, after in the right.

    On a narrow page the columns become one, in which unchanged lines stand once.
    """
    rows = _rows(visible(before).splitlines(), visible(after).splitlines())
    return "\n".join(map(_html_row, rows))


def _rows(before: Sequence[str], after: Sequence[str]) -> Iterator[_Row]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, start_after, end_after in matcher.get_opcodes():
        removed, added = before[start:end], after[start_after:end_after]
        if kind == "equal":
            yield from map(_Row, removed, added)
        else:
            yield from _paired(removed, added)


def _paired(removed: Sequence[str], added: Sequence[str]) -> Iterator[_Row]:
    """Yield the lines; each stands beside the one that is most like it, in order."""
    height, width = len(removed), len(added)
    words, words_after = [*map(_words, removed)], [*map(_words, added)]
    # best[i][j]: the most likeness of removed lines from i with added ones from j.
    best = [[0.0] * (width + 1) for _ in range(height + 1)]
    for i in reversed(range(height)):
        for j in reversed(range(width)):
            together = best[i + 1][j + 1] + _likeness(words[i], words_after[j])
            best[i][j] = max(best[i + 1][j], best[i][j + 1], together)
    i = j = 0
    while i < height or j < width:
        if i < height and (j == width or best[i][j] == best[i + 1][j]):
            yield _Row(removed[i], None)
            i += 1
        elif j < width and (i == height or best[i][j] == best[i][j + 1]):
            yield _Row(None, added[j])
            j += 1
        else:
            yield _Row(removed[i], added[j])
            i, j = i + 1, j + 1


def _words(line: str) -> frozenset[str]:
    return frozenset(token.text for token in _tokens(line))


def _likeness(words: frozenset[str], others: frozenset[str]) -> float:
    common = len(words & others)
    return 2 * common / max(len(words) + len(others), 1) - _LEAST_LIKENESS


def _html_row(row: _Row) -> str:
    before, after = _tokens(row.before or ""), _tokens(row.after or "")
    if row.before == row.after:
        cells = f"<td>{_html(before)}</td><td>{_html(after)}</td>"
        return f'<tr class="passgen-same">{cells}</tr>'
    changed: set[int] = set()
    changed_after: set[int] = set()
    if row.before is not None and row.after is not None:
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        for kind, start, end, start_after, end_after in matcher.get_opcodes():
            if kind != "equal":
                changed.update(range(start, end))
                changed_after.update(range(start_after, end_after))
    cells = _html_cell(row.before, "removed", _html(before, changed))
    cells += _html_cell(row.after, "added", _html(after, changed_after))
    return f"<tr>{cells}</tr>"


def _html_cell(line: str | None, kind: str, text: str) -> str:
    return "<td></td>" if line is None else f'<td class="passgen-{kind}">{text}</td>'


def _tokens(line: str) -> list[_Token]:
    found = _LEXER.get_tokens_unprocessed(line)
    return [_Token(text, STANDARD_TYPES.get(kind, "")) for _, kind, text in found]


def _html(tokens: Sequence[_Token], changed: Collection[int] = ()) -> str:
    parts = []
    for at, token in enumerate(tokens):
        is_marked = at in changed and token.text.strip()
        marks = (token.style, "passgen-word" if is_marked else "")
        style = " ".join(filter(None, marks))
        text = escape(token.text)
        parts.append(f'<span class="{style}">{text}</span>' if style else text)
    return "".join(parts)
