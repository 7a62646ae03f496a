"""Runs the RUN lines of filecheck/**/*.mlir in this process.

A RUN line is a pipeline of `passgen-opt`, `passgen-test-opt` and `filecheck`, each
perhaps behind `not`; a `\\` at its end continues it on the next RUN line. `%s` is the
file, `%t` a path for a new one, `2>&1` joins standard error to standard output. Every
stage has to succeed, under `not` to fail.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser

from passgen_runtime import opt
from tests.passgen_test_opt.registry import REGISTRY, make_context

FOLDER = Path(__file__).parent / "filecheck"
_RUN = re.compile(r"^\s*//\s*RUN:\s*(.*?)\s*$")


class RunLineError(AssertionError):
    """A RUN line failed, or is none that this harness can run."""


@dataclass(frozen=True)
class RunLine:
    path: Path
    line: int
    command: str
    new_path: Path = Path("out.tmp")

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Stage:
    arguments: list[str]
    must_fail: bool
    joins_stderr: bool


def run_lines(path: Path) -> Iterator[RunLine]:
    pending = ""
    start = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = _RUN.match(line)
        if match is None:
            continue
        start = start if pending else number
        pending += match[1]
        if pending.endswith("\\"):
            pending = pending.removesuffix("\\")
            continue
        yield RunLine(path, start, pending)
        pending = ""
    if pending:
        raise RunLineError(f"{path}:{start}: error: the last RUN line is continued")


def stages(run: RunLine) -> list[Stage]:
    lexer = shlex.shlex(run.command, posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            found.append([])
        else:
            with_path = word.replace("%s", str(run.path))
            found[-1].append(with_path.replace("%t", str(run.new_path)))
    return [_stage(run, arguments) for arguments in found]


def _stage(run: RunLine, arguments: list[str]) -> Stage:
    joins_stderr = "2>&1" in arguments
    arguments = [each for each in arguments if each != "2>&1"]
    must_fail = arguments[:1] == ["not"]
    arguments = arguments[must_fail:]
    if arguments[:1] not in (["passgen-opt"], ["passgen-test-opt"], ["filecheck"]):
        message = f"{run.place}: error: cannot run '{' '.join(arguments)}'"
        raise RunLineError(message)
    return Stage(arguments, must_fail, joins_stderr)


def execute(run: RunLine) -> None:
    text = ""
    for stage in stages(run):
        output, errors = io.StringIO(), io.StringIO()
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output if stage.joins_stderr else errors),
        ):
            if stage.arguments[0] == "filecheck":
                code = _filecheck(stage.arguments, text)
            else:
                code = _opt(*stage.arguments, text=text)
        if (code != 0) != stage.must_fail:
            expected = "failed" if not stage.must_fail else "succeeded, under 'not'"
            raise RunLineError(
                f"{run.place}: error: '{shlex.join(stage.arguments)}' {expected}\n"
                f"{errors.getvalue()}--- output\n{output.getvalue()}"
                f"--- input\n{text}"
            )
        text = output.getvalue()


def _opt(program: str, *arguments: str, text: str) -> int:
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
    try:
        if program == "passgen-opt":
            return opt.main(arguments)
        return opt.main(arguments, registry=REGISTRY, make_context=make_context)
    finally:
        sys.stdin = stdin


def _filecheck(arguments: list[str], text: str) -> int:
    options = parse_argv_options(list(arguments))
    return Matcher(options, FInput("<stdin>", text), Parser.from_opts(options)).run()


@pytest.mark.parametrize(
    "path",
    sorted(FOLDER.rglob("*.mlir")),
    ids=lambda path: path.relative_to(FOLDER).as_posix(),
)
def test_run_lines(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    runs = list(run_lines(path.relative_to(FOLDER)))

    assert runs, f"{path}: error: no RUN line"
    for run in runs:
        execute(replace(run, new_path=tmp_path / "new"))


# The harness itself.

INPUT = "func.func @f() {\n  func.return\n}\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("case.mlir")


def _execute_all(path: Path, text: str) -> None:
    path.write_text(text + INPUT, encoding="utf-8")
    for run in run_lines(path):
        execute(run)


def test_check_that_fails_names_file_and_line_of_both(write: Path) -> None:
    text = "\n// RUN: passgen-opt %s | filecheck %s\n// CHECK: func.func @g\n"

    with pytest.raises(RunLineError) as error:
        _execute_all(write, text)

    message = str(error.value)
    assert message.startswith(
        "case.mlir:2: error: 'filecheck case.mlir' failed\ncase.mlir:3: "
    )
    assert "func.func @f()" in message


def test_driver_that_fails_shows_its_errors(write: Path) -> None:
    text = "// RUN: passgen-opt %s --pass-pipeline='any(nix)' | filecheck %s\n"

    with pytest.raises(RunLineError, match="'nix' does not refer to a registered pass"):
        _execute_all(write, text)


def test_not_wants_failure(write: Path) -> None:
    _execute_all(write, "// RUN: not passgen-opt %s --pass-pipeline='any(nix)'\n")

    with pytest.raises(RunLineError, match=r"case.mlir:1: .* succeeded, under 'not'"):
        _execute_all(write, "// RUN: not passgen-opt %s\n")


def test_prefix_continuation_and_joined_errors(write: Path) -> None:
    text = (
        "// RUN: not passgen-opt %s \\\n"
        "// RUN:   --pass-pipeline='any(nix)' 2>&1 \\\n"
        "// RUN:   | filecheck %s --check-prefix ERROR\n"
        "// ERROR: error: 'nix' does not refer\n"
    )

    _execute_all(write, text)


def test_input_of_the_driver_comes_through_the_pipe(write: Path) -> None:
    _execute_all(
        write, "// RUN: passgen-opt %s | passgen-opt - | filecheck %s\n// CHECK: @f\n"
    )


def test_unknown_command_is_refused(write: Path) -> None:
    with pytest.raises(RunLineError, match=r"case.mlir:1: error: cannot run 'cat x'"):
        _execute_all(write, "// RUN: cat x | filecheck %s\n")


def test_dangling_continuation_is_refused(write: Path) -> None:
    with pytest.raises(RunLineError, match="last RUN line is continued"):
        _execute_all(write, "// RUN: passgen-opt %s \\\n")
