r"""The normal layout of a spec: the same YAML, indented by two, without stray blanks.

    layout("passes:\n    A:   # a comment\n") == "passes:\n  A:   # a comment\n"

Works on lines, by the places of the scanner's tokens: whatever is no indentation stays,
comments and the way a value is written above all. Lists stand two columns to the right
of their key, dashes are followed by one space, a comment of its own line stands at the
column of the line that it was at the column of. The order of keys is the author's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import yaml

from passgen.diagnostics import InternalError
from passgen.source import SourceFile
from passgen.spec import loader
from passgen.spec.located import plain

_STEP: Final = 2
_BLOCK_STYLES: Final = frozenset("|>")
_OPENING: Final = (yaml.FlowMappingStartToken, yaml.FlowSequenceStartToken)
_CLOSING: Final = (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_SCANNER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def layout(source: SourceFile) -> str:
    """Return the text of `source` in the normal layout.

    Raises:
        SpecError: it cannot be read.
        InternalError: the layout would change what the text says.
    """
    before = loader.load(source)
    text = source.text.removeprefix("\ufeff").replace("\r\n", "\n")
    places = _Places(text)
    done = "\n".join(_tidy(places))
    after = SourceFile(source.name, done)
    # As texts: a number that is none equals nothing.
    if repr(plain(loader.load(after))) != repr(plain(before)) or (
        _Places(done).comments() != places.comments()
    ):
        message = f"{source.name}: the layout would change what it says; it is left"
        raise InternalError(message)
    return done


def _tidy(places: _Places) -> Iterator[str]:
    """Yield the lines of the result; runs of blank lines become one, none at the ends.

    What belongs to texts of several lines is not touched.
    """
    is_blank = True
    for number, line in enumerate(places.moved()):
        if number in places.verbatim:
            is_blank = False
            yield line
        elif line.strip():
            is_blank = False
            yield line.rstrip(" \t")
        elif not is_blank:
            is_blank = True
            if any(each.strip() for each in places.lines[number:]):
                yield ""
    yield ""


@dataclass(slots=True)
class _Collection:
    """A block list or mapping that is open."""

    is_list: bool
    old: int
    new: int
    """Its columns, 0-based, before and after."""

    has_own_end: bool = True
    """Not so a list at the column of its key, which the scanner does not announce."""


@dataclass
class _Places:
    """Where the lines of a text go."""

    text: str
    lines: list[str] = field(init=False)
    verbatim: set[int] = field(default_factory=set)
    """Lines inside block scalars."""

    _columns: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The old and the new indentation of lines that begin an entry."""

    _inside: dict[int, int] = field(default_factory=dict)
    """The lines inside something that began on another: this."""

    _shifts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Of lines in block scalars: what they lose and what they get."""

    _gaps: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Spaces after dashes: from and to which old column there are more than one."""

    _entry_line: int = 0
    """Where the entry began that is being read."""

    _open: list[_Collection] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = self.text.split("\n")
        depth = 0  # of brackets and braces
        for token in yaml.scan(self.text, Loader=_SCANNER):
            if isinstance(token, _OPENING):
                depth += 1
            elif isinstance(token, _CLOSING):
                depth -= 1
            elif not depth:
                self._take(token)
            if isinstance(token, yaml.ScalarToken) and token.style in _BLOCK_STYLES:
                self._block_scalar(token.start_mark.line, token.end_mark)
            self._keep_with_its_entry(token.start_mark, token.end_mark)

    def _take(self, token: yaml.Token) -> None:
        """Follow the structure of blocks."""
        start = token.start_mark
        if isinstance(
            token, (yaml.BlockSequenceStartToken, yaml.BlockMappingStartToken)
        ):
            new = self._open[-1].new + _STEP if self._open else 0
            is_list = isinstance(token, yaml.BlockSequenceStartToken)
            self._open.append(_Collection(is_list, start.column, new))
        elif isinstance(token, yaml.BlockEndToken):
            self._end_unannounced()
            self._open.pop()
        elif isinstance(token, yaml.BlockEntryToken):
            self._item(start)
        elif isinstance(token, yaml.KeyToken):
            self._end_unannounced()
            self._entry(start)

    def _keep_with_its_entry(self, start: yaml.Mark, end: yaml.Mark) -> None:
        """Let the lines of a token that begin no entry go with the entry's."""
        last = end.line if end.column else end.line - 1
        for line in range(max(start.line, self._entry_line + 1), last + 1):
            self._inside.setdefault(line, self._entry_line)

    def moved(self) -> Iterator[str]:
        """Yield each line where it goes."""
        for number, line in enumerate(self.lines):
            bare = line.lstrip(" ")
            indent = len(line) - len(bare)
            if number in self._shifts:
                lost, got = self._shifts[number]
                yield " " * got + line[lost:] if indent >= lost else line[lost:]
            elif number in self._columns:
                for start, stop in reversed(self._gaps.get(number, [])):
                    line = f"{line[:start]} {line[stop:]}"  # noqa: PLW2901 - edited
                yield " " * self._columns[number][1] + line.lstrip(" ")
            elif bare.startswith("#") and number not in self._inside:
                yield " " * self._comment_column(number, indent) + bare
            elif number in self._inside and bare:
                old, new = self._columns.get(self._inside[number], (0, 0))
                yield " " * max(indent + new - old, 0) + bare
            else:
                yield bare

    def comments(self) -> list[str]:
        """Return the comments of the text, as far as they are lines of their own."""
        return [
            line.strip()
            for number, line in enumerate(self.lines)
            if line.lstrip(" ").startswith("#") and number not in self.verbatim
        ]

    def _item(self, mark: yaml.Mark) -> None:
        """Place the dash at `mark`, which may begin a list that was not announced."""
        if not self._open[-1].is_list:
            new = self._open[-1].new + _STEP
            unannounced = _Collection(
                is_list=True, old=mark.column, new=new, has_own_end=False
            )
            self._open.append(unannounced)
        self._entry(mark)
        line = self.lines[mark.line]
        gap = re.match(r" *", line[mark.column + 1 :])
        if gap and len(gap[0]) > 1 and line[mark.column + 1 + len(gap[0]) :][:1] != "#":
            stop = mark.column + 1 + len(gap[0])
            self._gaps.setdefault(mark.line, []).append((mark.column + 1, stop))

    def _end_unannounced(self) -> None:
        if self._open and not self._open[-1].has_own_end:
            self._open.pop()

    def _entry(self, mark: yaml.Mark) -> None:
        self._entry_line = mark.line
        if not self.lines[mark.line][: mark.column].strip(" "):
            self._columns[mark.line] = (mark.column, self._open[-1].new)

    def _block_scalar(self, header: int, end: yaml.Mark) -> None:
        last = end.line if end.column else end.line - 1
        inside = range(header + 1, min(last, len(self.lines) - 1) + 1)
        texts = [self.lines[number] for number in inside]
        full = [len(each) - len(each.lstrip(" ")) for each in texts if each.strip(" ")]
        around = self._open[-1] if self._open else None
        lost = margin = full[0] if full else 0
        got = around.new + _STEP if around else _STEP
        if indicator := re.search(r"[|>][-+]?([1-9])", self.lines[header]):
            lost, got = (around.old, around.new) if around else (0, 0)
            margin = lost + int(indicator[1])
        while texts and not texts[-1][margin:] and not texts[-1].strip(" "):
            texts.pop()  # blank lines after the text may be anybody's
        for number in inside[: len(texts)]:
            self.verbatim.add(number)
            self._shifts[number] = (lost, got)

    def _comment_column(self, number: int, indent: int) -> int:
        """Return the column of the comment in line `number`, which was at `indent`."""
        following = next(
            (self._columns[n] for n in sorted(self._columns) if n > number), None
        )
        before = [self._columns[n] for n in sorted(self._columns) if n < number]
        if following and (following[0] == indent or not before):
            return following[1]
        for old, new in reversed(before):
            if old == indent:
                return new
        return following[1] if following else 0
