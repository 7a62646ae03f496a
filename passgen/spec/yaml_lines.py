"""The lines of YAML, with the parts of its structure that begin or continue in them.

The tokens of PyYAML's scanner tell these by their locations. Lines and columns are
counted from 0.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import Final, NamedTuple

import yaml

_STEP: Final = 2
"""The columns by which the normal layout indents a level."""

_BLOCK_STYLES: Final = frozenset("|>")
_OPENING: Final = (yaml.FlowMappingStartToken, yaml.FlowSequenceStartToken)
_CLOSING: Final = (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_ENTRIES: Final = (yaml.BlockEntryToken, yaml.KeyToken, yaml.ValueToken)
_MARK: Final = re.compile(r"[-?:](?: |$)")
_SCANNER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Collection(NamedTuple):
    """An open block list or mapping, with its columns before and after the layout."""

    is_list: bool
    old: int
    new: int


class BlockIndent(NamedTuple):
    """The indentation of a block scalar before and after the layout."""

    old: int
    new: int


_TOP: Final = Collection(is_list=False, old=0, new=0)


class YamlLines:
    """The lines of a YAML text."""

    def __init__(self, text: str) -> None:
        """Scan `text`."""
        self.lines = text.split("\n")
        self.texts: set[int] = set()
        """The lines whose blanks are part of a text of several lines."""

        self.entries: dict[int, Collection] = {}
        """The lines that begin an entry, each with the collection of the first one."""

        self.marks: Counter[int] = Counter()
        """The number of entry marks (`-`, `?`, `:`) at the start of each line."""

        self.blocks: dict[int, BlockIndent] = {}
        """The lines of block scalars."""

        self.document_ends: set[int] = set()
        """The lines with the end of the document, which stay in the first column."""

        self._open: list[Collection] = []
        """The collections around the token that is scanned, outermost first."""

        self._covered: set[int] = set()
        """The lines of scalars, where `#` begins no comment."""

        self._scan(text)
        self._entry_lines = sorted(self.entries)

    def is_comment(self, number: int) -> bool:
        """Return whether a line has nothing but a comment."""
        line = self.lines[number]
        return line.lstrip(" ").startswith("#") and number not in self._covered

    def comments(self) -> list[str]:
        """Return the comments that are on their own lines."""
        return [
            line.strip()
            for number, line in enumerate(self.lines)
            if self.is_comment(number)
        ]

    def collection_below(self, number: int) -> Collection:
        """Return the collection of the first entry below a line."""
        index = bisect_left(self._entry_lines, number)
        if index == len(self._entry_lines):
            return _TOP
        return self.entries[self._entry_lines[index]]

    def ends_in_block(self) -> bool:
        """Return whether a text ends with the file; a line end would be part of it."""
        last = len(self.lines) - 1
        length = len(self.lines[last])
        return last in self.blocks and length > self.blocks[last].old

    def _scan(self, text: str) -> None:
        depth = 0  # of brackets and braces
        for token in yaml.scan(text, Loader=_SCANNER):
            if isinstance(token, _OPENING):
                depth += 1
            elif isinstance(token, _CLOSING):
                depth -= 1
            elif isinstance(token, yaml.ScalarToken):
                self._add_scalar(token)
            elif isinstance(token, yaml.DocumentEndToken):
                self.document_ends.add(token.start_mark.line)
            elif isinstance(token, _ENTRIES) and depth == 0:
                self._add_entry(token)

    def _add_scalar(self, token: yaml.ScalarToken) -> None:
        """Record the lines of a scalar."""
        start, end = token.start_mark, token.end_mark
        if token.style in _BLOCK_STYLES:
            self._add_block(start, end.line + 1 if end.column else end.line)
        else:
            self.texts.update(range(start.line, end.line))
            self._covered.update(range(start.line, end.line + 1))

    def _add_block(self, header_mark: yaml.Mark, end: int) -> None:
        """Record the lines of a block scalar, which are before the line `end`."""
        first = header_mark.line + 1
        end = min(end, len(self.lines))
        header, *_ = self.lines[header_mark.line][header_mark.column :].split()
        around = self._open[-1] if self._open else None
        if indicator := re.search("[1-9]", header):
            indent = (
                BlockIndent(around.old, around.new) if around else BlockIndent(0, 0)
            )
            margin = indent.old + int(indicator[0])
        else:
            full_lines = (line for line in self.lines[first:end] if line.strip(" "))
            first_line = next(full_lines, "")
            margin = len(first_line) - len(first_line.lstrip(" "))
            indent = BlockIndent(margin, around.new + _STEP if around else _STEP)
        if "+" not in header:  # blank lines after the text are not part of it
            while end > first and not self._is_full(end - 1, margin):
                end -= 1
        self.texts.update(range(first, end))
        self._covered.update(range(first, end))
        self.blocks.update(dict.fromkeys(range(first, end), indent))

    def _is_full(self, number: int, margin: int) -> bool:
        """Return whether a line of a block scalar has more than its indentation."""
        line = self.lines[number]
        return bool(line.strip(" ") or line[margin:])

    def _add_entry(self, token: yaml.Token) -> None:
        """Record the start of an entry, and its collection if it is the first one."""
        mark = token.start_mark
        column = mark.column
        line = self.lines[mark.line]
        if isinstance(token, yaml.ValueToken) and line[:column].strip(" "):
            return  # the value of a key on the same line
        is_list = isinstance(token, yaml.BlockEntryToken)
        self._close_collections(column, is_list=is_list)
        around = self._open[-1] if self._open else None
        if around is None or (around.is_list, around.old) != (is_list, column):
            new = around.new + _STEP if around else 0
            self._open.append(Collection(is_list, column, new))
        self.entries.setdefault(mark.line, self._open[-1])
        if _MARK.match(line, column):
            self.marks[mark.line] += 1

    def _close_collections(self, column: int, *, is_list: bool) -> None:
        """Close the collections that an entry in `column` ends."""
        while self._open:
            innermost = self._open[-1]
            # A list may be in the column of its key: the next key ends it.
            is_beside_key = innermost.old == column and innermost.is_list
            is_ended = innermost.old > column or (is_beside_key and not is_list)
            if not is_ended:
                return
            self._open.pop()
