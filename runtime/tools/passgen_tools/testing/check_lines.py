"""CHECK lines for the output of a test, as LLVM's `generate-test-checks.py` makes them.

    // CHECK-LABEL: func.func @double(
    // CHECK-SAME:    %[[X:.*]]: i32) -> i32 {
    // CHECK-NEXT:    %[[VAL_0:.*]] = arith.addi %[[X]], %[[X]] : i32

Names of values and aliases become variables. The lines about a symbol stand above its
definition in the input; those about other text stand below the RUN lines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from passgen_tools.testing.lit_test import KEYWORDS

SPLIT_MARKER: Final = "// -----"

_DEFINITION: Final = re.compile(
    r"\s*[A-Za-z_]\w*(?:\.[\w.$]+)?"
    r'(?:\s+(?:\w+|"\w+"))*\s+@(?P<symbol>[\w.$-]+|"[^"]+")'
)
_MODULE: Final = re.compile(r"(builtin\.)?module \{")
_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_NAME: Final = re.compile(
    rf"{_STRING}|(?P<name>[%#!][\w.$-]+)(?P<defines>(?::\d+)? = )?"
)
_ALIAS: Final = re.compile(r"^([#!][\w.$-]+) = ", re.MULTILINE)
_CODE: Final = rf'(?:[^"/]|{_STRING}|/(?!/))*'
_OF_THE_PIPELINE: Final = ("note: in the pipeline ", "note: for a reproducer, add ")
"""How notes begin that say how the pass was run, and not what it does."""

_ARGUMENTS: Final = re.compile(r"\s*\^[\w.$-]+\(")
_EXPECTED: Final = re.compile(r"\s*//\s*expected-")
_DIRECTIVE: Final = re.compile(rf"//.*(?<![\w-])({'|'.join(KEYWORDS)}):")


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
        match = pattern.match(line)
        if match is None:
            kept.append(line)
        elif match["before"].strip():
            kept.append(f"{match['before'].rstrip()}\n")
        elif kept and kept[-1].strip() == "//":
            kept.pop()  # the line separated them from other comments
    return re.sub(r"\n{3,}", "\n\n", "".join(kept))


def _check_line(prefixes: Sequence[str]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, prefixes)) or "(?!)"
    before = rf"(?P<before>{_CODE}(?://.*?)??)"  # a check in a string is none
    check = rf"({either})(-[A-Z]+(-\d+)?)?(\{{LITERAL\}})?:.*"
    return re.compile(rf"{before}//[ \t]*{check}")


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
        variables = _Variables(_ALIAS.findall(output))
        checks = [list(self._check_lines(block, variables)) for block in blocks]
        places = [self._place(block) for block in blocks]
        defined = [at for at, block in zip(places, blocks, strict=True) if block.symbol]
        is_ordered = places == sorted(places) and len({*defined}) == len(defined)
        stands_above = is_ordered and -1 not in places and not self._whole_lines
        if not stands_above:
            # Checks are in the order of the output, which is not that of the input.
            places = [self._top] * len(blocks)
        found = list(zip(places, blocks, checks, strict=True))
        for place, block, block_checks in reversed(found):
            is_above = stands_above and block.symbol is not None
            indent = " " * _margin(lines[place]) if is_above else ""
            new = [f"{indent}{line}\n" for line in block_checks]
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
            found = above.match(line)
            if found and not found["before"].strip():
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

    def _check_lines(self, block: _OutputBlock, variables: _Variables) -> Iterator[str]:
        prefix = self._prefix
        variables.begin_block()
        first, *rest = block.lines
        match = _DEFINITION.match(first)
        if block.symbol is None or match is None or self._whole_lines:
            yield f"// {prefix}:       {variables.pattern(first)}"
        else:
            end = match.end() + first[match.end() :].startswith("(")
            label, same = _escape(first[:end]), variables.pattern(first[end:])
            if "[[" in same:
                yield f"// {prefix}-LABEL: {label}"
                yield f"// {prefix}-SAME:    {same.strip()}"
            else:
                yield f"// {prefix}-LABEL: {label}{same}"
        while rest and not rest[-1]:
            rest.pop()
        next_line = "-NEXT:  "
        for line in rest:
            if line.startswith(_OF_THE_PIPELINE):
                next_line = ":       "
            elif line:
                yield f"// {prefix}{next_line}{variables.pattern(line)}"
                next_line = "-NEXT:  "
            elif next_line.startswith("-"):
                yield f"// {prefix}-EMPTY:"


class _Variables:
    """The variables that stand for names in the checks of a part of a test.

    Those of aliases begin with `$`: they hold in all blocks.
    """

    def __init__(self, aliases: Collection[str]) -> None:
        self._aliases = aliases
        self._current: dict[str, str] = {}

    def begin_block(self) -> None:
        """Forget the names of values."""
        current = self._current.items()
        self._current = {name: text for name, text in current if name[0] != "%"}
        self._taken = {*self._current.values()}

    def pattern(self, line: str) -> str:
        """Return the pattern that matches `line`."""
        has_arguments = _ARGUMENTS.match(line) is not None
        pieces: list[str] = []
        end = 0
        for match in _NAME.finditer(line):
            pieces.append(_escape(line[end : match.start()]))
            end = match.end()
            name = match["name"]
            if name is None or (name[0] != "%" and name not in self._aliases):
                pieces.append(_escape(match[0]))
                continue
            defines = match["defines"] is not None or (
                has_arguments and line.startswith(": ", match.end())
            )
            if name not in self._current or (defines and name[0] == "%"):
                variable = self._current[name] = self._fresh(name)
                pieces.append(f"{name[0]}[[{variable}:.*]]")
            else:
                pieces.append(f"{name[0]}[[{self._current[name]}]]")
            pieces.append(match["defines"] or "")
        return "".join((*pieces, _escape(line[end:])))

    def _fresh(self, name: str) -> str:
        stem = re.sub(r"\W", "_", name[1:]).upper()
        stem = f"VAL_{stem}" if stem[0].isdigit() else stem
        stem = stem if name[0] == "%" else f"${stem}"
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
