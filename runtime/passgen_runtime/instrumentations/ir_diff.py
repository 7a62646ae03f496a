"""The difference of two texts of IR, operation by operation.

A printer renumbers values when an operation before them is removed. So operations are
matched first, without the names of values; then the values of the old text get their
names in the new one. The diff shows the remaining changes:

    @@ -3,5 +3,4 @@ func.func @f(%x: i32) -> i32
         %0 = arith.muli %x, %x : i32
    -    %old_1 = arith.muli %x, %x : i32
         %1 = arith.addi %0, %x : i32
    -    func.return %old_1 : i32
    +    func.return %0 : i32
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from typing import Final

_VALUE: Final = re.compile(r"%[\w$.-]+")
_RESULTS: Final = re.compile(r"\s*((?:%[\w$.:-]+, )*%[\w$.:-]+) = ")
_ARGUMENT: Final = re.compile(r"%[\w$.-]+(?= = |: )")
_HUNK: Final = re.compile(r"@@ -(\d+)")
_NUM_FILE_LINES: Final = 2
"""The lines with file names at the start of a unified diff."""

_COLORS: Final = {"-": 31, "+": 32, "@": 36}


def ir_diff(before: str, after: str, *, color: bool = False) -> str:
    """Return the operations that differ as a unified diff, empty if none does.

    The heading of a hunk is the operation around it.
    """
    if before == after:
        return ""
    new = after.splitlines()
    old = list(_rename(before.splitlines(), new))
    lines = list(unified_diff(old, new, lineterm=""))[_NUM_FILE_LINES:]
    for number, line in enumerate(lines):
        if (hunk := _HUNK.match(line)) is not None:
            heading = _heading(old, int(hunk[1]) - 1, lines[number + 1 :])
            lines[number] = f"{line} {heading}".rstrip()
    return "".join(f"{_color(line) if color else line}\n" for line in lines)


def _rename(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield the lines of `old` with the names that their values have in `new`."""
    taken = {name for line in new for name in _VALUE.findall(line)}
    names: dict[str, str] = {}
    counterparts = _counterparts(old, new)
    for line, counterpart in zip(old, counterparts, strict=True):
        defined = _definitions(line)
        others = [] if counterpart is None else _definitions(new[counterpart])
        if len(others) != len(defined):
            # A removed value keeps its name, unless another value has it now.
            others = [f"%old_{name[1:]}" if name in taken else name for name in defined]
        names.update(zip(defined, others, strict=True))
        yield _VALUE.sub(lambda match: names.get(match[0], match[0]), line)


def _nameless(lines: Sequence[str]) -> list[str]:
    return [_VALUE.sub("%", line) for line in lines]


def _counterparts(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Return for each line of `old` the index of its new form in `new`, if any."""
    found: list[int | None] = [None] * len(old)
    start = new_start = 0
    matcher = SequenceMatcher(None, _nameless(old), _nameless(new))
    for block in matcher.get_matching_blocks():
        if block.a - start == block.b - new_start:  # lines that were rewritten
            found[start : block.a] = range(new_start, block.b)
        start, new_start = block.a + block.size, block.b + block.size
        found[block.a : start] = range(block.b, new_start)
    # The matcher takes any of several equal operations: prefer one of the same name.
    gap: int | None = None
    for number, counterpart in enumerate(found):
        if counterpart is None:
            gap = number if gap is None else gap
        elif gap is not None and old[gap] == new[counterpart]:
            found[gap], found[number] = counterpart, None
            gap += 1
        else:
            gap = None
    return found


def _definitions(line: str) -> list[str]:
    """Return the results and block arguments that `line` defines."""
    results = _RESULTS.match(line)
    if results is None:
        return _ARGUMENT.findall(line)
    return [*_VALUE.findall(results[1]), *_ARGUMENT.findall(line, results.end())]


def _heading(old: Sequence[str], start: int, hunk: Sequence[str]) -> str:
    """Return the first line of the operation around the first change in `hunk`.

    Args:
        old: the text before.
        start: the number of its lines before the hunk.
        hunk: the lines of the hunk, and maybe others behind it.

    Returns:
        An empty text if the hunk shows that line.
    """
    change = next(number for number, line in enumerate(hunk) if line[0] != " ")
    depth = _depth(hunk[change][1:])
    for number in range(start + change - 1, -1, -1):
        if old[number].endswith("{") and _depth(old[number]) < depth:
            return old[number].strip(" {") if number < start else ""
    return ""


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _color(line: str) -> str:
    number = _COLORS.get(line[:1])
    return line if number is None else f"\x1b[{number}m{line}\x1b[0m"
