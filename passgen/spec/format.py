r"""The normal layout of a spec: the same YAML, indented by two, without extra blanks.

    layout("passes:\n    A:   # a comment\n") == "passes:\n  A:   # a comment\n"

Lines are moved by the locations of the scanner's tokens; comments, the spelling of
values and the order of keys stay. Lists are indented by two columns from their key, one
space follows a dash, and a comment on its own line moves with the entry that it is
aligned with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import yaml

from passgen.diagnostics import InternalError
from passgen.source import SourceFile
from passgen.spec import loader
from passgen.spec.located import plain

_STEP: Final = 2
_BLOCK_STYLES: Final = frozenset("|>")
_OPENING: Final = (yaml.FlowMappingStartToken, yaml.FlowSequenceStartToken)
_CLOSING: Final = (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_ENTRIES: Final = (yaml.BlockEntryToken, yaml.KeyToken, yaml.ValueToken)
_MARK: Final = re.compile(r"[-?:](?: |$)")
_SCANNER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def layout(source: SourceFile) -> str:
    """Return the text of `source` in the normal layout.

    Raises:
        SpecError: it is not the YAML of a spec.
        InternalError: the layout would change the data or the comments.
    """
    before = loader.load(source)
    places = _Places(source.text.removeprefix("\ufeff").replace("\r\n", "\n"))
    done = "\n".join(_tidy(places))
    after = loader.load(SourceFile(source.name, done))
    # As texts, because NaN is not equal to itself.
    if repr(plain(after)) != repr(plain(before)) or (
        _Places(done).comments() != places.comments()
    ):
        message = f"{source.name}: the layout would change its content; it is unchanged"
        raise InternalError(message)
    return done


def _tidy(places: _Places) -> Iterator[str]:
    """Yield the lines of the result.

    Outside texts, blank lines are merged, and dropped at the start and the end.
    """
    is_started = is_blank = False
    for number, line in enumerate(places.move()):
        if line.strip() or number in places.texts:
            if is_blank and is_started:
                yield ""
            is_blank = False
            is_started = True
            yield line if number in places.texts else line.rstrip(" \t")
        else:
            is_blank = True
    if not places.ends_in_block():
        yield ""


class _Collection(NamedTuple):
    """An open block list or mapping, with its columns before and after the layout."""

    is_list: bool
    old: int
    new: int


_TOP: Final = _Collection(is_list=False, old=0, new=0)


@dataclass
class _Places:
    """The lines of a text and their new columns."""

    text: str
    lines: list[str] = field(init=False)
    texts: set[int] = field(default_factory=set)
    """The lines whose blanks are part of a text of several lines."""

    _open: list[_Collection] = field(default_factory=list)
    _entries: dict[int, _Collection] = field(default_factory=dict)
    """The lines that begin an entry, each with the outermost collection around it."""

    _marks: Counter[int] = field(default_factory=Counter)
    """The number of entry marks (`-`, `?`, `:`) at the start of each line."""

    _blocks: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The lines of block scalars, each with its old and new indentation."""

    _ends: set[int] = field(default_factory=set)
    """The lines with the end of the document, which stay in the first column."""

    _covered: set[int] = field(default_factory=set)
    """The lines of scalars, where `#` begins no comment."""

    def __post_init__(self) -> None:
        self.lines = self.text.split("\n")
        depth = 0  # of brackets and braces
        for token in yaml.scan(self.text, Loader=_SCANNER):
            start, end = token.start_mark, token.end_mark
            depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
            if isinstance(token, yaml.ScalarToken) and token.style in _BLOCK_STYLES:
                self._block_scalar(start, end.line if end.column else end.line - 1)
            elif isinstance(token, yaml.ScalarToken):
                self.texts.update(range(start.line, end.line))
                self._covered.update(range(start.line, end.line + 1))
            elif isinstance(token, yaml.DocumentEndToken):
                self._ends.add(start.line)
            elif isinstance(token, _ENTRIES) and not depth:
                self._entry(token, start)

    def _entry(self, token: yaml.Token, mark: yaml.Mark) -> None:
        """Record the start of an entry, and its collection if it is the first one."""
        column = mark.column
        line = self.lines[mark.line]
        if isinstance(token, yaml.ValueToken) and line[:column].strip(" "):
            return  # the value of a key on the same line
        is_list = isinstance(token, yaml.BlockEntryToken)
        # A list may be in the column of its key: the next key ends it.
        while self._open and (
            self._open[-1].old > column
            or (self._open[-1].old == column and self._open[-1].is_list > is_list)
        ):
            self._open.pop()
        if not self._open or self._open[-1][:2] != (is_list, column):
            new = self._open[-1].new + _STEP if self._open else 0
            self._open.append(_Collection(is_list, column, new))
        self._entries.setdefault(mark.line, self._open[-1])
        self._marks[mark.line] += _MARK.match(line, column) is not None

    def _block_scalar(self, mark: yaml.Mark, last: int) -> None:
        header = self.lines[mark.line][mark.column :].split()[0]
        around = self._open[-1] if self._open else None
        numbers = range(mark.line + 1, min(last + 1, len(self.lines)))
        full = [number for number in numbers if self.lines[number].strip(" ")]
        first = self.lines[full[0]] if full else ""
        removed_indent = margin = len(first) - len(first.lstrip(" "))
        new_indent = around.new + _STEP if around else _STEP
        if indicator := re.search("[1-9]", header):
            removed_indent, new_indent = (around.old, around.new) if around else (0, 0)
            margin = removed_indent + int(indicator[0])
        if "+" not in header:  # blank lines after the text are not part of it
            full += [number for number in numbers if self.lines[number][margin:]]
            numbers = range(mark.line + 1, max(full, default=mark.line) + 1)
        self.texts.update(numbers)
        self._covered.update(numbers)
        self._blocks.update(dict.fromkeys(numbers, (removed_indent, new_indent)))

    def move(self) -> Iterator[str]:
        """Yield each line in its new column."""
        entry = _TOP
        columns: dict[int, int] = {}  # the new columns of the entries above, by old
        following = iter(sorted(self._entries))
        coming = next(following, -1)
        for number, line in enumerate(self.lines):
            bare = line.lstrip(" ")
            indentation = len(line) - len(bare)
            if number in self._blocks:
                removed_indent, new_indent = self._blocks[number]
                margin = " " * new_indent * (indentation >= removed_indent)
                yield margin + line[removed_indent:]
            elif number == coming:
                entry = self._entries[number]
                columns[entry.old] = entry.new
                coming = next(following, -1)
                yield " " * entry.new + _with_narrow_marks(bare, self._marks[number])
            elif self._is_comment(number):
                below = self._entries.get(coming, _TOP)
                around = {} if indentation == below.old else columns
                yield " " * around.get(indentation, below.new) + bare
            elif number in self._ends:
                yield bare
            elif bare:
                yield " " * max(indentation + entry.new - entry.old, 0) + bare
            else:
                yield ""

    def ends_in_block(self) -> bool:
        """Return whether a text ends with the file; a line end would be part of it."""
        last = len(self.lines) - 1
        removed_indent, _ = self._blocks.get(last, (len(self.lines[last]), 0))
        return len(self.lines[last]) > removed_indent

    def comments(self) -> list[str]:
        """Return the comments that are on their own lines."""
        return [
            line.strip()
            for number, line in enumerate(self.lines)
            if self._is_comment(number)
        ]

    def _is_comment(self, number: int) -> bool:
        line = self.lines[number]
        return line.lstrip(" ").startswith("#") and number not in self._covered


def _with_narrow_marks(line: str, marks: int) -> str:
    """Return `line` with one space after each of its first `marks` entry marks."""
    start = re.match(rf"(?:[-?:] +(?=[^ #])){{0,{marks}}}", line)
    assert start is not None
    return re.sub(" +", " ", start[0]) + line[start.end() :]
