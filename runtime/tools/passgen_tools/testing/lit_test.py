r"""Tests in the form of LLVM's `lit`: commands and conditions in comments of a file.

    // RUN: my-opt %s --my-pass | filecheck %s
    // REQUIRES: bindings && !system-windows
    // DEFINE: %{pipeline} = builtin.module(func.func(cse))

A `\` at the end of a line continues it on the next line of the same keyword.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from passgen_rules.suggestions import nearest_name
from passgen_tools.testing.commands import FILE_TEXT
from passgen_tools.testing.features import feature_names, holds

KEYWORDS: Final = (
    "RUN",
    "XFAIL",
    "REQUIRES",
    "UNSUPPORTED",
    "UNEVALUATED",
    "DEFINE",
    "REDEFINE",
)
"""The words that begin what a test says to its runner."""

_DIRECTIVE: Final = re.compile(rf"(?<![\w-])(?:({'|'.join(KEYWORDS)}):(.*)|END\.)")
_DEFINITION: Final = re.compile(r"\s*(%\{[\w:+-]+\})\s*=(.*)")
_NAME: Final = re.compile(r"%\{/?[A-Za-z_][\w:+-]*\}")
_LINE: Final = re.compile(r"%\(line\s*(?:([+-])\s*(\d+))?\)")
_MAX_EXPANSIONS: Final = 20
_BRANCH: Final = r"(?:(?!%if |%\}).)*"
_CONDITION: Final = re.compile(r"(?<!%)%if ([^%]*)%\{")
_INNERMOST_IF: Final = re.compile(
    rf"(?<!%)%if ((?:(?!%if |%\{{).)*)%\{{({_BRANCH})%\}}"
    rf"(?:\s*%else\s*%\{{({_BRANCH})%\}}|(?!\s*%else\b))"
)


@dataclass(frozen=True, slots=True)
class RunLine:
    """A command of a test, with its place."""

    path: Path
    line: int
    command: str
    """The command, in which substitutions are not yet expanded."""

    definitions: Mapping[str, str] = field(default_factory=dict)
    """The substitutions that DEFINE and REDEFINE lines above have defined."""

    @property
    def place(self) -> str:
        """The place of the command, which messages about it begin with."""
        return f"{self.path}:{self.line}: error:"


@dataclass(slots=True)
class LitTest:
    """A file, its commands, and the conditions under which they run."""

    __test__ = False

    path: Path
    text: str = ""
    runs: list[RunLine] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    expected_failures: list[str] = field(default_factory=list)
    allows_unevaluated: bool = False
    """Whether `--differential` accepts functions of which it can compare no call."""


def read_test(path: Path) -> LitTest:
    """Return the test in the file at `path`.

    Raises:
        ValueError: the file is not a test, or a line of it is malformed.
    """
    try:
        test = LitTest(path, path.read_bytes().decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: error: the test is not UTF-8") from error
    conditions = {
        "REQUIRES": test.requires,
        "UNSUPPORTED": test.unsupported,
        "XFAIL": test.expected_failures,
    }
    definitions: dict[str, str] = {}
    for line, keyword, text in _directives(test):
        try:
            _with_branches(text, ())
            if keyword == "RUN":
                test.runs.append(RunLine(path, line, text, dict(definitions)))
            elif keyword in conditions:
                for condition in map(str.strip, text.split(",")):
                    holds(condition, ())
                    conditions[keyword].append(condition)
            elif keyword == "UNEVALUATED":
                test.allows_unevaluated = read_unevaluated(text.strip())
            else:
                _define(keyword, text, definitions)
        except ValueError as error:
            raise ValueError(f"{path}:{line}: error: {keyword}: {error}") from error
    if not test.runs:
        raise ValueError(
            f"{path}:1: error: found no RUN line, expected a command such as\n"
            "// RUN: passgen-opt %s | filecheck %s\n"
            "note: files that tests read belong in a folder called 'Inputs'"
        )
    return test


def read_unevaluated(text: str) -> bool:
    """Return whether `--differential` accepts functions that it cannot compare.

    Raises:
        ValueError: the text is neither `allow` nor `fail`.
    """
    if text not in {"allow", "fail"}:
        raise ValueError(f"found '{text}', expected 'allow' or 'fail'")
    return text == "allow"


def _define(keyword: str, text: str, definitions: dict[str, str]) -> None:
    match = _DEFINITION.fullmatch(text)
    if match is None:
        raise ValueError(f"found '{text}', expected '%{{name}} = value'")
    name, value = match.groups()
    if (name in definitions) != (keyword == "REDEFINE"):
        state = "defined already" if name in definitions else "not defined yet"
        raise ValueError(f"{name} is {state}")
    definitions[name] = value.strip()


def _directives(test: LitTest) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the keyword and the text of directives, continued ones as one.

    Raises:
        ValueError: the last line is continued, or by another keyword's.
    """
    begun: tuple[int, str, str] | None = None
    for number, line in enumerate(test.text.splitlines(), 1):
        match = _DIRECTIVE.search(line)
        if match is None:
            continue
        keyword, text = match.groups()
        if keyword is None or (begun and begun[1] != keyword):
            break
        first, _, before = begun or (number, keyword, "")
        text = f"{before} {text.strip()}".strip()
        if text.endswith("\\"):
            begun = first, keyword, text[:-1].rstrip()
        else:
            begun = None
            yield first, keyword, text
    if begun is not None:
        first, keyword, _ = begun
        raise ValueError(
            f"{test.path}:{first}: error: a {keyword} line ends with '\\', "
            f"and no {keyword} line continues it"
        )


def path_substitutions(path: Path, folder: Path) -> dict[str, str]:
    """Return the values of `%s`, `%t` and the like, for new files in `folder`."""
    values = {
        "%%": "%%",
        "%basename_t": shlex.quote(path.stem),
        "%{pathsep}": os.pathsep,
        "%{fs-sep}": os.path.sep,
        "%{fs-src-root}": path.anchor,
        "%{fs-tmp-root}": folder.anchor,
    }
    new = folder / f"{path.name}.tmp"
    paths = {"s": path, "S": path.parent, "p": path.parent, "t": new, "T": folder}
    for name, value in paths.items():
        values[f"%{name}"] = shlex.quote(str(value))
        values[f"%/{name}"] = shlex.quote(value.as_posix())
        values[f"%:{name}"] = shlex.quote(_without_root(value))
        values[f"%{{{name}:basename}}"] = shlex.quote(value.name)
        values[f"%{{{name}:stem}}"] = shlex.quote(value.stem)
        values[f"%{{{name}:real}}"] = shlex.quote(str(value.resolve()))
        values[f"%{{/{name}:real}}"] = shlex.quote(value.resolve().as_posix())
        in_sed = re.sub("[@&]", r"\\\g<0>", value.as_posix())  # as in `s@a@b@`
        values[f"%{{/{name}:regex_replacement}}"] = in_sed
    # A path in a text in quotes, which a shell and two programs read.
    values["%/et"] = str(new).replace("\\", "\\" * 8)
    return values


def _without_root(path: Path) -> str:
    """Return a path that can be appended to one of a folder."""
    drive = path.drive.removesuffix(":")
    return drive + path.as_posix().removeprefix(path.drive).removeprefix(
        "" if drive else "/"
    )


def expand(
    run: RunLine, substitutions: Mapping[str, str], features: Collection[str] = ()
) -> str:
    """Return the command of `run`, with values in place of names.

    `%{readfile:...}` stays: an earlier command may write the file.

    Raises:
        ValueError: a name has no value.
    """

    def line_number(match: re.Match[str]) -> str:
        return str(run.line + int(f"{match[1] or '+'}{match[2] or 0}"))

    values = {**substitutions, **run.definitions}
    words = [name for name in values if not name.startswith("%")]
    names = sorted(values.keys() - words, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, names)))

    def with_values(text: str) -> str:
        for _ in range(_MAX_EXPANSIONS):
            text = _with_branches(text, features)
            text = pattern.sub(lambda match: values[match[0]], text)
        return text

    text = with_values(_LINE.sub(line_number, run.command))
    for word in words:  # once each, as in lit: a value may begin with its word
        whole = rf"(?<![\w/.-]){re.escape(word)}(?![\w/.-])"
        text = re.sub(whole, values[word].replace("\\", r"\\"), text)
    text = with_values(text)
    without_files = FILE_TEXT.sub("", text.replace("%%", ""))
    if found := _NAME.search(without_files):
        raise ValueError(_unknown(found[0], names))
    # '%%' is replaced last: its '%' begins no name.
    return text.replace("%%", "%")


def expand_under_all_features(
    run: RunLine, substitutions: Mapping[str, str], features: Collection[str]
) -> Iterator[str]:
    """Yield the command of `run` with each branch of its `%if` taken at least once.

    Conditions on several features are tried with one of them, all and none.

    Raises:
        ValueError: a name has no value in the command for these `features`.
    """
    yield expand(run, substitutions, features)
    texts = (run.command, *run.definitions.values(), *substitutions.values())
    names = {
        name
        for text in texts
        for condition in _CONDITION.findall(text)
        for name in feature_names(condition)
    }
    if names:
        for others in ((), names, *((name,) for name in sorted(names))):
            with contextlib.suppress(ValueError):
                yield expand(run, substitutions, others)


def _unknown(name: str, names: Collection[str]) -> str:
    """Return the message about a name that is left when values are in place."""
    if name in names:
        return f"the value of '{name}' has '{name}' itself"
    known = [each for each in names if each.startswith("%{")]
    nearest: str | None = f"%{name[2:-1]}"
    if nearest not in names:
        nearest = nearest_name(name, [*known, "%{readfile:PATH}"])
    advice = f"Did you mean '{nearest}'?\n" if nearest else ""
    return (
        f"found '{name}', which is no substitution\n{advice}"
        f"note: '%{name}' is the text itself"
    )


def _with_branches(text: str, features: Collection[str]) -> str:
    """Return `text` with the branches that `%if` selects.

    Raises:
        ValueError: an `%if` is malformed.
    """

    def branch(match: re.Match[str]) -> str:
        condition, then, otherwise = match.groups("")
        return then if holds(condition.strip(), features) else otherwise

    found = 1
    while found:
        text, found = _INNERMOST_IF.subn(branch, text)
    if re.search(r"(?<!%)%if ", text):
        raise ValueError("found '%if', expected '%if FEATURE %{...%} %else %{...%}'")
    return text
