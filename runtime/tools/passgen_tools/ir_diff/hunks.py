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
from math import inf
from typing import Final, TypeAlias

from passgen_tools.ir_diff.matching import match_ir

_CONTEXT: Final = 3
"""How many lines around a change are shown."""

_COLORS: Final = {"-": 31, "+": 32, "@": 36}

_Line: TypeAlias = tuple[str, int, int]
"""A line with its mark, and the numbers of lines before it in both texts."""


def ir_diff(before: str, after: str, *, color: bool = False) -> str:
    """Return the operations that differ as a unified diff, empty if none does.

    The heading of a hunk is the operation around it.
    """
    if before == after:
        return ""
    lines = list(_diff_lines(_lines(before), _lines(after)))
    shown = [
        text
        for hunk in _hunks(lines)
        for text in (_heading(lines, hunk), *(text for text, _, _ in lines[hunk]))
    ]
    return "".join(f"{_color(line) if color else line}\n" for line in shown)


def colored_ir_diff(before: str, after: str) -> str:
    """Return the difference with the colors of a terminal."""
    return ir_diff(before, after, color=True)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _diff_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[_Line]:
    """Yield all lines of both texts: equal ones once, as the new text has them."""
    renamed, pairs = match_ir(old, new)
    i = j = 0
    for same, new_same in [*pairs, (len(old), len(new))]:
        yield from ((f"-{renamed[line]}", line, j) for line in range(i, same))
        yield from ((f"+{new[line]}", same, line) for line in range(j, new_same))
        i, j = same + 1, new_same + 1
        if same < len(old):
            yield f" {new[new_same]}", same, new_same


def _hunks(lines: Sequence[_Line]) -> Iterator[slice]:
    """Yield the changed lines with those around them."""
    changed = [place for place, (text, _, _) in enumerate(lines) if text[0] != " "]
    begin = None
    for place, following in pairwise([*changed, inf]):
        begin = max(place - _CONTEXT, 0) if begin is None else begin
        if following - place > 2 * _CONTEXT + 1:
            yield slice(begin, min(place + _CONTEXT + 1, len(lines)))
            begin = None


def _heading(lines: Sequence[_Line], hunk: slice) -> str:
    """Return the first line of a hunk: where it is, and the operation around it."""
    shown = lines[hunk]
    _, old_begin, new_begin = shown[0]
    num_old = sum(text[0] != "+" for text, _, _ in shown)
    num_new = sum(text[0] != "-" for text, _, _ in shown)
    ranges = f"-{_range(old_begin, num_old)} +{_range(new_begin, num_new)}"
    return f"@@ {ranges} @@ {_operation_around(lines, hunk)}".rstrip()


def _range(begin: int, count: int) -> str:
    """Return lines as unified diffs name them."""
    return f"{begin + 1}" if count == 1 else f"{begin + (count > 0)},{count}"


def _operation_around(lines: Sequence[_Line], hunk: slice) -> str:
    """Return the first line of the operation around the first change in a hunk.

    It is empty if the hunk shows that line.
    """
    places = range(hunk.start, hunk.stop)
    change = next(place for place in places if lines[place][0][0] != " ")
    depth = _depth(lines[change][0])
    for place in range(change - 1, -1, -1):
        text = lines[place][0]
        if text[0] != "+" and text.endswith("{") and _depth(text) < depth:
            return text[1:].strip(" {") if place < hunk.start else ""
    return ""


def _depth(line: str) -> int:
    return len(line) - len(line[1:].lstrip())


def _color(line: str) -> str:
    number = _COLORS.get(line[:1])
    return line if number is None else f"\x1b[{number}m{line}\x1b[0m"
