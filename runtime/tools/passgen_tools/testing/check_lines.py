"""CHECK lines for the output of a test, as LLVM's `generate-test-checks.py` makes them.

    // CHECK-LABEL: func.func @double(
    // CHECK-SAME:    %[[X:.*]]: i32) -> i32 {
    // CHECK-NEXT:    %[[VAL_0:.*]] = arith.addi %[[X]], %[[X]] : i32

Names of values become variables. The lines about a symbol stand above its definition in
the input; those about other text stand below the RUN lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

SPLIT_MARKER: Final = "// -----"

_DEFINITION: Final = re.compile(
    r"\s*[A-Za-z_]\w*(?:\.[\w.$]+)?"
    r'(?:\s+(?:\w+|"\w+"))*\s+@(?P<symbol>[\w.$-]+|"[^"]+")'
)
_MODULE: Final = re.compile(r"(builtin\.)?module \{")
_NAME: Final = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")|%(?P<name>[\w.$-]+)(?P<defines>(?::\d+)? = )?'
)
_ARGUMENTS: Final = re.compile(r"\s*\^[\w.$-]+\(")
_EXPECTED: Final = re.compile(r"\s*//\s*expected-")
_DIRECTIVE: Final = re.compile(
    r"//.*(?<![\w-])(RUN|XFAIL|REQUIRES|UNSUPPORTED|DEFINE|REDEFINE):"
)


@dataclass(frozen=True, slots=True)
class _OutputBlock:
    """Consecutive lines of the output."""

    symbol: str | None
    """The symbol that the first line defines; `None` outside of symbols."""

    lines: tuple[str, ...]


def with_checks(
    source: str,
    prefix: str,
    output: str,
    *,
    above: Sequence[str] = (),
    whole_lines: bool = False,
) -> str:
    """Return `source`, a test, with CHECK lines for `output` in place of the old ones.

    Args:
        source: the text of the test.
        prefix: of the lines to replace.
        output: the text that the lines describe; `{{.*}}` stands for paths in it.
        above: prefixes of lines that stay above these.
        whole_lines: whether `filecheck` matches whole lines.
    """
    chunks = _chunks(without_checks(source, prefix))
    outputs = _chunks(output)
    if len(chunks) != len(outputs):
        chunks = ["".join(chunks)]
        outputs = [output]
    return "".join(
        _Chunk(chunk, prefix, above, whole_lines=whole_lines).with_checks(text)
        for chunk, text in zip(chunks, outputs, strict=True)
    )


def without_checks(source: str, prefix: str) -> str:
    """Return `source` without its CHECK lines that have this prefix."""
    pattern = _check_line((prefix,))
    kept: list[str] = []
    for line in source.splitlines(keepends=True):
        match = pattern.search(line)
        if match is None:
            kept.append(line)
        elif line[: match.start()].strip():
            kept.append(f"{line[: match.start()]}\n")
        elif kept and kept[-1].strip() == "//":
            kept.pop()  # the line separated them from other comments
    return re.sub(r"\n{3,}", "\n\n", "".join(kept))


def _check_line(prefixes: Sequence[str]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, prefixes)) or "(?!)"
    return re.compile(rf"[ \t]*//[ \t]*({either})(-[A-Z]+(-\d+)?)?(\{{LITERAL\}})?:.*")


def _chunks(text: str) -> list[str]:
    """Return the parts of `text` that a split marker separates, markers in front."""
    parts: list[list[str]] = [[]]
    for line in text.splitlines(keepends=True):
        if line.strip() == SPLIT_MARKER:
            parts.append([])
        parts[-1].append(line)
    return ["".join(part) for part in parts]


def _blocks(lines: list[str]) -> Iterator[_OutputBlock]:
    """Yield the blocks of the output; the first one belongs to no symbol."""
    lines = [line.rstrip() for line in lines if line.strip() != SPLIT_MARKER]
    while lines and not lines[-1]:
        lines.pop()
    found = [match["symbol"] for line in lines if (match := _DEFINITION.match(line))]
    if len({*found}) < len(found):  # a CHECK-LABEL would match the first definition
        yield _OutputBlock(None, tuple(lines))
        return
    header = next((i for i, line in enumerate(lines) if line[:1] not in "#!"), 0)
    if lines and _MODULE.fullmatch(lines[header]) and lines[-1] == "}":
        if header:  # aliases of attributes and types
            yield _OutputBlock(None, tuple(lines[:header]))
        lines = lines[header + 1 : -1]
    margin = min((_margin(line) for line in lines if line), default=0)
    symbol: str | None = None
    block: list[str] = []
    for line in lines:
        match = _DEFINITION.match(line) if _margin(line) == margin else None
        if match is not None:
            if any(block):
                yield _OutputBlock(symbol, tuple(block))
            symbol, block = match["symbol"], []
        if line or block:
            block.append(line[margin:])
    if any(block):
        yield _OutputBlock(symbol, tuple(block))


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


class _Chunk:
    """A part of the test that is a file of its own, without old CHECK lines."""

    def __init__(
        self, text: str, prefix: str, above: Sequence[str], *, whole_lines: bool
    ) -> None:
        self._lines = text.splitlines(keepends=True)
        self._prefix = prefix
        self._whole_lines = whole_lines
        self._top = self._place_at_top(_check_line(above))

    def with_checks(self, output: str) -> str:
        """Return the text with lines for `output`."""
        lines, blocks = self._lines, list(_blocks(output.splitlines()))
        places = [self._place(block) for block in blocks]
        defined = [at for at, block in zip(places, blocks, strict=True) if block.symbol]
        is_ordered = places == sorted(places) and len({*defined}) == len(defined)
        stands_above = is_ordered and -1 not in places and not self._whole_lines
        if not stands_above:
            # Checks are in the order of the output, which is not that of the input.
            places = [self._top] * len(blocks)
        for place, block in reversed(list(zip(places, blocks, strict=True))):
            is_above = stands_above and block.symbol is not None
            indent = " " * _margin(lines[place]) if is_above else ""
            new = [f"{indent}{line}\n" for line in self._check_lines(block)]
            if place and place == self._top and lines[place - 1].strip():
                new.insert(0, "\n")
            if not is_above and place < len(lines) and lines[place].strip():
                new.append("\n")
            lines[place:place] = new
        return "".join(lines)

    def _place_at_top(self, above: re.Pattern[str]) -> int:
        """Return the index of the line below the marker, the RUN lines and `above`."""
        top = 0
        for index, line in enumerate(self._lines):
            if _DIRECTIVE.search(line) or line.strip() == SPLIT_MARKER:
                top = index + 1
        for index, line in enumerate(self._lines[top:], top + 1):
            if above.match(line):
                top = index
            elif line.strip():
                break
        return top

    def _place(self, block: _OutputBlock) -> int:
        """Return the index of the line above which the checks of `block` stand.

        It is -1 if the input does not define the symbol.
        """
        if block.symbol is None:
            return self._top
        lines = self._lines
        found = [
            index
            for index, line in enumerate(lines)
            if (match := _DEFINITION.match(line)) and match["symbol"] == block.symbol
        ]
        place = min(found, key=lambda index: _margin(lines[index]), default=-1)
        while place > 0 and _EXPECTED.match(lines[place - 1]):
            place -= 1  # it may say how far below it the operation is
        return place

    def _check_lines(self, block: _OutputBlock) -> Iterator[str]:
        variables, prefix = _Variables(), self._prefix
        first, *rest = block.lines
        match = _DEFINITION.match(first)
        if block.symbol is None or match is None or self._whole_lines:
            yield f"// {prefix}:       {variables.pattern(first)}"
        elif "%" in first:
            end = match.end() + first[match.end() :].startswith("(")
            yield f"// {prefix}-LABEL: {_escape(first[:end])}"
            yield f"// {prefix}-SAME:    {variables.pattern(first[end:]).strip()}"
        else:
            yield f"// {prefix}-LABEL: {_escape(first)}"
        while rest and not rest[-1]:
            rest.pop()
        for line in rest:
            if line:
                yield f"// {prefix}-NEXT:  {variables.pattern(line)}"
            else:
                yield f"// {prefix}-EMPTY:"


class _Variables:
    """The variables that stand for names of values in the checks of a block."""

    def __init__(self) -> None:
        self._current: dict[str, str] = {}
        self._taken: set[str] = set()

    def pattern(self, line: str) -> str:
        """Return the pattern that matches `line`."""
        has_arguments = _ARGUMENTS.match(line) is not None
        pieces: list[str] = []
        end = 0
        for match in _NAME.finditer(line):
            pieces.append(_escape(line[end : match.start()]))
            end = match.end()
            name = match["name"]
            if name is None:
                pieces.append(_escape(match[0]))
                continue
            is_new = name not in self._current or match["defines"] is not None
            if has_arguments and line.startswith(": ", match.end()):
                is_new = True
            if is_new:
                variable = self._current[name] = self._fresh(name)
                pieces.append(f"%[[{variable}:.*]]")
            else:
                pieces.append(f"%[[{self._current[name]}]]")
            pieces.append(match["defines"] or "")
        return "".join((*pieces, _escape(line[end:])))

    def _fresh(self, name: str) -> str:
        stem = re.sub(r"\W", "_", name).upper()
        stem = f"VAL_{stem}" if stem[0].isdigit() else stem
        variable, number = stem, 0
        while variable in self._taken:
            number += 1
            variable = f"{stem}_{number}"
        self._taken.add(variable)
        return variable


def _escape(text: str) -> str:
    """Return the pattern that matches `text`, in which `{{.*}}` stays as it is."""
    parts = text.split("{{.*}}")
    escaped = (
        re.sub(r"\{\{|\[\[", lambda found: _ESCAPES[found[0]], part) for part in parts
    )
    return "{{.*}}".join(escaped)


_ESCAPES: Final = {"{{": r"{{\{\{}}", "[[": r"{{\[\[}}"}
