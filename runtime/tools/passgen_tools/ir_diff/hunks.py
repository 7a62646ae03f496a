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
from typing import Final, NamedTuple

from passgen_tools.ir_diff.matching import match_ir

_CONTEXT: Final = 3
"""How many lines around a change are shown."""

_COLORS: Final = {"-": 31, "+": 32, "@": 36}


class _Line(NamedTuple):
    """A line of the difference."""

    text: str
    """The line after its mark: `-`, `+` or a space."""

    old_index: int
    """The number of lines of the old text before it."""

    new_index: int
    """The number of lines of the new text before it."""

    @property
    def mark(self) -> str:
        """The mark of the line."""
        return self.text[0]

    @property
    def depth(self) -> int:
        """How far the line is indented, with its mark."""
        return len(self.text) - len(self.text[1:].lstrip())


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
        shown.extend(line.text for line in lines[hunk])
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
    old_begin = new_begin = 0
    for old_same, new_same in pairs:
        yield from _changed_lines(
            renamed, new, range(old_begin, old_same), range(new_begin, new_same)
        )
        yield _Line(f" {new[new_same]}", old_same, new_same)
        old_begin = old_same + 1
        new_begin = new_same + 1
    yield from _changed_lines(
        renamed, new, range(old_begin, len(old)), range(new_begin, len(new))
    )


def _changed_lines(
    old: Sequence[str], new: Sequence[str], removed: range, added: range
) -> Iterator[_Line]:
    """Yield the lines between two equal ones: first the removed, then the added."""
    for index in removed:
        yield _Line(f"-{old[index]}", index, added.start)
    for index in added:
        yield _Line(f"+{new[index]}", removed.stop, index)


def _hunks(lines: Sequence[_Line]) -> Iterator[slice]:
    """Yield the changed lines with those around them."""
    changed = [index for index, line in enumerate(lines) if line.mark != " "]
    if not changed:
        return
    first = last = changed[0]
    for index in changed[1:]:
        if index - last > 2 * _CONTEXT + 1:
            yield _with_context(lines, first, last)
            first = index
        last = index
    yield _with_context(lines, first, last)


def _with_context(lines: Sequence[_Line], first: int, last: int) -> slice:
    """Return the hunk of the changes from `first` to `last`."""
    begin = max(first - _CONTEXT, 0)
    end = min(last + _CONTEXT + 1, len(lines))
    return slice(begin, end)


def _heading(lines: Sequence[_Line], hunk: slice) -> str:
    """Return the first line of a hunk: where it is, and the operation around it."""
    shown = lines[hunk]
    begin = shown[0]
    num_old = sum(line.mark != "+" for line in shown)
    num_new = sum(line.mark != "-" for line in shown)
    old_range = _range(begin.old_index, num_old)
    new_range = _range(begin.new_index, num_new)
    around = _operation_around(lines, hunk)
    return f"@@ -{old_range} +{new_range} @@ {around}".rstrip()


def _range(begin: int, count: int) -> str:
    """Return lines as unified diffs name them."""
    if count == 0:
        return f"{begin},0"
    if count == 1:
        return f"{begin + 1}"
    return f"{begin + 1},{count}"


def _operation_around(lines: Sequence[_Line], hunk: slice) -> str:
    """Return the first line of the operation around the first change in a hunk.

    It is empty if the hunk shows that line.
    """
    change = hunk.start
    while lines[change].mark == " ":
        change += 1
    for index in reversed(range(change)):
        line = lines[index]
        opens_region = line.mark != "+" and line.text.endswith("{")
        if opens_region and line.depth < lines[change].depth:
            is_shown = index >= hunk.start
            return "" if is_shown else line.text[1:].strip(" {")
    return ""


def _color(line: str) -> str:
    """Return a line in the color of its mark."""
    number = _COLORS.get(line[:1])
    return line if number is None else f"\x1b[{number}m{line}\x1b[0m"
