r"""Tests in the form of LLVM's `lit`: commands and conditions in comments of a file.

    // RUN: my-opt %s --my-pass | filecheck %s
    // REQUIRES: bindings && !system-windows
    // DEFINE: %{pipeline} = builtin.module(func.func(cse))

A `\` at the end of a line continues it on the next line of the same keyword.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from passgen_runtime.testing.features import Condition

_DIRECTIVE: Final = re.compile(
    r"(?<![\w-])(RUN|XFAIL|REQUIRES|UNSUPPORTED|DEFINE|REDEFINE|END)([:.])(.*)"
)
_DEFINITION: Final = re.compile(r"\s*(%\{[\w:+-]+\})\s*=(.*)")
_LINE: Final = re.compile(r"%\(line\s*(?:([+-])\s*(\d+))?\)")
_MAX_EXPANSIONS: Final = 20


class TestFormatError(Exception):
    """A test file is malformed; the text has the place."""

    __test__ = False


@dataclass(frozen=True, slots=True)
class RunLine:
    """A command of a test, with its place."""

    line: int
    command: str
    """With substitutions, not yet expanded."""

    definitions: Mapping[str, str] = field(default_factory=dict)
    """What DEFINE and REDEFINE lines above it have defined."""


@dataclass(slots=True)
class LitTest:
    """A file, its commands, and the conditions under which they run."""

    __test__ = False

    path: Path
    text: str
    runs: list[RunLine] = field(default_factory=list)
    requires: list[Condition] = field(default_factory=list)
    unsupported: list[Condition] = field(default_factory=list)
    expected_failures: list[Condition] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Directive:
    keyword: str
    line: int
    text: str


def read_test(path: Path) -> LitTest:
    """Return the test in the file at `path`.

    Raises:
        TestFormatError: it is no test, or a line of it is malformed.
    """
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise TestFormatError(f"{path}: error: the test is not UTF-8") from error
    test = LitTest(path, text)
    conditions = {
        "REQUIRES": test.requires,
        "UNSUPPORTED": test.unsupported,
        "XFAIL": test.expected_failures,
    }
    definitions: dict[str, str] = {}
    for directive in _directives(path, text):
        if directive.keyword == "RUN":
            run = RunLine(directive.line, directive.text, dict(definitions))
            test.runs.append(run)
        elif directive.keyword in conditions:
            found = conditions[directive.keyword]
            for part in directive.text.split(","):
                found.append(_condition(path, directive, part))
        else:
            _define(path, directive, definitions)
    if not test.runs:
        raise TestFormatError(
            f"{path}:1: error: found no RUN line, expected a command such as\n"
            "// RUN: passgen-opt %s | filecheck %s\n"
            "note: files that tests read belong in a folder called 'Inputs'"
        )
    return test


def _condition(path: Path, directive: _Directive, text: str) -> Condition:
    try:
        return Condition.parse(text)
    except ValueError as error:
        message = f"{path}:{directive.line}: error: {directive.keyword}: {error}"
        raise TestFormatError(message) from error


def _define(path: Path, directive: _Directive, definitions: dict[str, str]) -> None:
    match = _DEFINITION.fullmatch(directive.text)
    place = f"{path}:{directive.line}: error: {directive.keyword}:"
    if match is None:
        raise TestFormatError(
            f"{place} found '{directive.text.strip()}', expected '%{{name}} = value'"
        )
    name, value = match.groups()
    if (name in definitions) != (directive.keyword == "REDEFINE"):
        state = "defined already" if name in definitions else "not defined yet"
        raise TestFormatError(f"{place} {name} is {state}")
    definitions[name] = value.strip()


def _directives(path: Path, text: str) -> Iterator[_Directive]:
    """Yield the directives of `text`, continued ones as one.

    Raises:
        TestFormatError: the last line is continued, or by another keyword's.
    """
    pending: _Directive | None = None
    for number, line in enumerate(text.splitlines(), 1):
        match = _DIRECTIVE.search(line)
        if match is None:
            continue
        keyword, punctuation, content = match.groups()
        if (keyword == "END") != (punctuation == "."):
            continue
        if pending is not None and pending.keyword != keyword:
            break
        if keyword == "END":
            break
        content = content.strip()
        if pending is not None:
            content = f"{pending.text} {content}"
        start = number if pending is None else pending.line
        if content.endswith("\\"):
            pending = _Directive(keyword, start, content[:-1].rstrip())
        else:
            pending = None
            yield _Directive(keyword, start, content)
    if pending is not None:
        raise TestFormatError(
            f"{path}:{pending.line}: error: a {pending.keyword} line ends with '\\', "
            f"and no {pending.keyword} line continues it"
        )


class Substitutions:
    """The values of `%s`, `%t` and other names in the commands of a test."""

    def __init__(
        self, path: Path, folder: Path, others: Mapping[str, str] | None = None
    ) -> None:
        """Let the test at `path` write into `folder`; `others` have precedence."""
        new = folder / f"{path.name}.tmp"
        paths = {
            "%s": path,
            "%S": path.parent,
            "%p": path.parent,
            "%t": new,
            "%T": folder,
        }
        values = {"%%": "%", "%basename_t": shlex.quote(path.stem), "%{pathsep}": ":"}
        for name, value in paths.items():
            values[name] = shlex.quote(str(value))
            values[f"%/{name[1]}"] = shlex.quote(value.as_posix())
            values[f"%{{{name[1]}:basename}}"] = shlex.quote(value.name)
            values[f"%{{{name[1]}:stem}}"] = shlex.quote(value.stem)
            values[f"%{{{name[1]}:real}}"] = shlex.quote(str(value.resolve()))
        self._values = {**values, **(others or {})}

    def expand(self, run: RunLine) -> str:
        """Return the command of `run`, with values in place of names."""

        def line_number(match: re.Match[str]) -> str:
            sign, offset = match.groups()
            number = int(offset or 0)
            return str(run.line - number if sign == "-" else run.line + number)

        values = {**self._values, **run.definitions}
        names = sorted(values, key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, names)))
        text = _LINE.sub(line_number, run.command)
        for _ in range(_MAX_EXPANSIONS):
            # '%%' is kept to the end: the '%' that it stands for begins no name.
            expanded = pattern.sub(
                lambda match: match[0] if match[0] == "%%" else values[match[0]], text
            )
            if expanded == text:
                break
            text = expanded
        return text.replace("%%", "%")
