"""The difference of two texts of IR, operation by operation.

The values of the old text have their names in the new one, so that a line that is only
numbered anew is no change. A value that is gone keeps its name, or gets one of its own:

    @@ -3,5 +3,4 @@ func.func @f(%x: i32) -> i32
         %0 = arith.muli %x, %x : i32
    -    %old_1 = arith.muli %x, %x : i32
         %1 = arith.addi %0, %x : i32
    -    func.return %old_1 : i32
    +    func.return %0 : i32
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from passgen_tools.ir_diff.matching import match_ir

_CONTEXT: Final = 3
"""How many lines around a change are shown."""

_COLORS: Final = {"-": 31, "+": 32, "@": 36}


class _Line(NamedTuple):
    """A line of a diff."""

    text: str
    """The line after its mark: `-`, `+`, or a space if both texts have it."""

    old_place: int
    """How many lines of the old text are before it."""

    new_place: int

    @property
    def mark(self) -> str:
        """The first character of the text."""
        return self.text[0]


def ir_diff(before: str, after: str, *, color: bool = False) -> str:
    """Return the operations that differ as a unified diff, empty if none does.

    The heading of a hunk is the operation around it.
    """
    if before == after:
        return ""
    lines = list(_diff_lines(_lines(before), _lines(after)))
    shown: list[str] = []
    for hunk in _hunks(lines):
        shown.append(_heading(lines, hunk))
        shown += [line.text for line in lines[hunk]]
    if color:
        shown = [_color(text) for text in shown]
    return "".join(f"{text}\n" for text in shown)


def colored_ir_diff(before: str, after: str) -> str:
    """Return the difference with the colors of a terminal."""
    return ir_diff(before, after, color=True)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _diff_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[_Line]:
    """Yield all lines of both texts: equal ones once, as the new text has them."""
    renamed, pairs = match_ir(old, new)
    end = len(old), len(new)
    old_begin = new_begin = 0
    for same, new_same in [*pairs, end]:
        for place in range(old_begin, same):
            yield _Line(f"-{renamed[place]}", place, new_begin)
        for place in range(new_begin, new_same):
            yield _Line(f"+{new[place]}", same, place)
        if (same, new_same) != end:
            yield _Line(f" {new[new_same]}", same, new_same)
        old_begin, new_begin = same + 1, new_same + 1


def _hunks(lines: Sequence[_Line]) -> Iterator[slice]:
    """Yield the changed lines with those around them.

    Changes share a hunk if the lines around them touch or overlap.
    """
    changed = [place for place, line in enumerate(lines) if line.mark != " "]
    begin: int | None = None
    behind = len(lines) + 2 * _CONTEXT + 1  # ends the last hunk
    for place, next_place in pairwise([*changed, behind]):
        if begin is None:
            begin = max(place - _CONTEXT, 0)
        num_between = next_place - place - 1
        if num_between > 2 * _CONTEXT:
            end = min(place + _CONTEXT + 1, len(lines))
            yield slice(begin, end)
            begin = None


def _heading(lines: Sequence[_Line], hunk: slice) -> str:
    """Return the first line of a hunk: where it is, and the operation around it."""
    shown = lines[hunk]
    num_old = sum(line.mark != "+" for line in shown)
    num_new = sum(line.mark != "-" for line in shown)
    old_range = _range(shown[0].old_place, num_old)
    new_range = _range(shown[0].new_place, num_new)
    operation = _operation_around(lines, hunk)
    return f"@@ -{old_range} +{new_range} @@ {operation}".rstrip()


def _range(begin: int, count: int) -> str:
    """Return lines as unified diffs name them.

    Lines are counted from 1; no lines have the number of the line before them.
    """
    if count == 0:
        return f"{begin},0"
    if count == 1:
        return f"{begin + 1}"
    return f"{begin + 1},{count}"


def _operation_around(lines: Sequence[_Line], hunk: slice) -> str:
    """Return the first line of the operation around the first change in a hunk.

    It is empty if the hunk shows that line.
    """
    places = range(hunk.start, hunk.stop)
    change = next(place for place in places if lines[place].mark != " ")
    depth = _depth(lines[change].text)
    for place in reversed(range(change)):
        line = lines[place]
        opens_region = line.mark != "+" and line.text.endswith("{")
        if opens_region and _depth(line.text) < depth:
            is_shown = place >= hunk.start
            return "" if is_shown else line.text[1:].strip(" {")
    return ""


def _depth(line: str) -> int:
    """Return the width of the indentation behind the mark."""
    return len(line) - len(line[1:].lstrip())


def _color(line: str) -> str:
    number = _COLORS.get(line[:1])
    return line if number is None else f"\x1b[{number}m{line}\x1b[0m"
