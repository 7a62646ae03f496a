"""Runs the commands of RUN lines: our own programs in this process, others in a shell.

Programs run as in a pipeline of the shell, one after the other. Their output includes
what native code writes to the file descriptors 1 and 2.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import IO, Any, Final

import pytest
from filecheck.error import CheckError
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options

from passgen_tools.python_programs import (
    EXCEPTION,
    START_ALONE,
    python_path,
    words_of_program,
)
from passgen_tools.testing.checkers import CHECKERS
from passgen_tools.testing.commands import (
    FILE_TEXT,
    Command,
    NeedsShell,
    Pipeline,
    parse_commands,
)
from passgen_tools.testing.lit_test import LitTest, RunLine, expand, path_substitutions
from passgen_tools.testing.settings import Settings
from passgen_tools.testing.shell import run_in_shell

_EXCEPTION: Final = -1
_LINES_AROUND: Final = 20
_MODES: Final = {"<": "rb", ">": "wb", ">>": "ab"}

# `filecheck` counts lines wrongly after a CHECK-LABEL: the excerpt shows the place.
_POSITION: Final = re.compile(r"^Current position at .*\n.*\n *\^+\n", re.MULTILINE)
_WRONG_PLACE: Final = re.compile(r"^(Matching at:)? ?<stdin>:\S+$", re.MULTILINE)

_IGNORED_WARNINGS: Final = (
    DeprecationWarning,
    PendingDeprecationWarning,
    ImportWarning,
    ResourceWarning,
)
"""The warnings that Python ignores by default."""


@dataclass(slots=True)
class Check:
    """A run of `filecheck`, the Python port of FileCheck, in a test."""

    run: RunLine

    matcher: Matcher = field(init=False)
    """`None` if the arguments are malformed."""

    failure: str = ""
    """The message of a failed check; empty if the check succeeded."""

    def __call__(self, arguments: Sequence[str]) -> int:
        """Run the check as a program."""
        try:
            options = parse_argv_options(["filecheck", *arguments])
            self.matcher = Matcher.from_opts(options)
        except (OSError, RuntimeError) as error:
            sys.stderr.write(f"filecheck: error: {error}\n")
            return 2
        try:
            return self.matcher.run()
        except CheckError:
            # It has said what is wrong, and fails again as it looks for a similar line.
            return 1

    @property
    def text(self) -> str:
        """The checked text."""
        return self.matcher.file.content if hasattr(self, "matcher") else ""

    def excerpt(self) -> str:
        """Return the checked text, with a mark where no match was found."""
        text = self.text
        if not text:
            return "--- it read nothing"
        lines = text.splitlines()
        position = min(self.matcher.file.range.start, len(text))
        marked = text.count("\n", 0, position)
        if position and text.startswith("\n", position):
            marked += 1
        first = max(marked - _LINES_AROUND, 0)
        last = min(marked + _LINES_AROUND, len(lines))
        part = f", lines {first + 1} to {last} of {len(lines)}"
        numbered = [
            f"{'>' if index == marked else ' '}{index + 1:>5} | {lines[index]}"
            for index in range(first, last)
        ]
        is_whole = last - first == len(lines)
        return "\n".join((f"--- it read{'' if is_whole else part}:", *numbered))


def run_test(
    test: LitTest, settings: Settings, folder: Path, *, goes_on: bool = False
) -> list[Check]:
    """Run the RUN lines of a test; return its checks that are not under `not`.

    Args:
        test: the test.
        settings: those of its project.
        folder: where the commands run, and write what `%t` names.
        goes_on: whether a check that fails does not end the test.

    Raises:
        Failed: a command failed, or succeeded under `not`.
    """
    values = {**path_substitutions(test.path, folder), **settings.substitutions}
    programs = settings.programs
    checks: list[Check] = []
    with contextlib.chdir(folder):
        for run in test.runs:
            command = _expanded(run, values, settings)
            known = {*programs, *CHECKERS}
            pipelines = parse_commands(command, known) if command.strip() else []
            if isinstance(pipelines, NeedsShell):
                run_in_shell(run, command, programs, pipelines, updates=goes_on)
                continue
            for pipeline in pipelines:
                checks += _run_here(run, pipeline, programs, goes_on=goes_on)
    return checks


def _expanded(run: RunLine, values: Mapping[str, str], settings: Settings) -> str:
    """Return the command of `run`, with values in place of names.

    Raises:
        Failed: a name has no value.
    """
    try:
        return expand(run, values, settings.features)
    except ValueError as error:
        message = f"{run.place} {error}"
    pytest.fail(message, pytrace=False)


def _run_here(
    run: RunLine, pipeline: Pipeline, programs: Mapping[str, str], *, goes_on: bool
) -> list[Check]:
    checks: list[Check] = []
    output = b""
    for command in pipeline:
        name, *_ = command.words = _with_file_texts(run, command.words)
        check = Check(run) if name in CHECKERS else None
        code, output, errors = call_program(check or programs[name], command, output)
        failure = ""
        if code < 0 or (code != 0) != command.must_fail:
            happened = _explain(command, check, code, output, errors)
            failure = f"{run.place} {happened}"
        if check and hasattr(check, "matcher") and not command.must_fail:
            check.failure = failure
            checks.append(check)
            failure = "" if goes_on else failure
        if failure:
            pytest.fail(failure, pytrace=False)
    return checks


def _with_file_texts(run: RunLine, words: Sequence[str]) -> list[str]:
    """Return the words with the texts of files in place of `%{readfile:...}`.

    Raises:
        Failed: a file cannot be read.
    """

    def read(found: re.Match[str]) -> str:
        with contextlib.suppress(OSError, ValueError):
            return Path(found[1]).read_bytes().decode()
        message = f"{run.place} cannot read '{found[1]}' for {found[0]}"
        pytest.fail(message, pytrace=False)

    return [FILE_TEXT.sub(read, word) for word in words]


def call_program(
    program: Check | str, command: Command, piped: bytes
) -> tuple[int, bytes, bytes]:
    """Run a program in this process; return its exit code, output and errors.

    Args:
        program: the program, or its function: `module:function`.
        command: its name, its arguments, and redirections.
        piped: its standard input.
    """
    with contextlib.ExitStack() as stack:
        output, errors = (
            stack.enter_context(tempfile.TemporaryFile()) for _ in range(2)
        )
        streams: list[IO[bytes]] = [io.BytesIO(piped), output, errors]
        for numbers, kind, target in command.redirections:
            if kind == ">&":
                file = streams[int(target)]
            else:
                file = stack.enter_context(Path(target).open(_MODES[kind]))
            for number in numbers:
                streams[int(number)] = file
        with _standard_streams(*streams), _without_pytest():
            code = _exit_code(program, command.words[1:])
        output.seek(0)
        errors.seek(0)
        return code, output.read(), errors.read()


@contextlib.contextmanager
def _standard_streams(
    stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]
) -> Iterator[None]:
    """Replace the standard streams of this process for a `with` block."""
    before = sys.stdin
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    os.dup2(stdout.fileno(), 1)
    os.dup2(stderr.fileno(), 2)
    open_text = partial(
        open, mode="w", encoding="utf-8", errors="backslashreplace", closefd=False
    )
    try:
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.read()), "utf-8")
        with (
            open_text(1) as output,
            open_text(2, buffering=1) as errors,
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(errors),
        ):
            yield
    finally:
        sys.stdin = before
        for number, copy in enumerate(kept, 1):
            os.dup2(copy, number)
            os.close(copy)


@contextlib.contextmanager
def _without_pytest() -> Iterator[None]:
    """Let warnings and logging do in a `with` block what they do in a new process."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for category in _IGNORED_WARNINGS:
            warnings.simplefilter("ignore", category)
        warnings.showwarning = _show_warning
        root.handlers = []
        root.setLevel(logging.WARNING)
        try:
            yield
        finally:
            root.handlers = handlers
            root.setLevel(level)


def _show_warning(*message: Any, **_: Any) -> None:  # noqa: ANN401 - as `warnings` does
    sys.stderr.write(warnings.formatwarning(*message[:4]))


def _exit_code(program: Check | str, arguments: Sequence[str]) -> int:
    try:
        if not isinstance(program, str):
            return program(arguments)
        call: Callable[[Sequence[str]], int] = resolve_name(program)
        with _starting_alone(program, arguments):
            return call(arguments)
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
            return 1
        return end.code or 0
    except Exception as error:  # noqa: BLE001 - of the program: the test shows it
        trace = error.__traceback__
        traceback.print_exception(error.with_traceback(trace and trace.tb_next))
        return _EXCEPTION


@contextlib.contextmanager
def _starting_alone(program: str, arguments: Sequence[str]) -> Iterator[None]:
    """Let a program ask for a process of its own, as `--contain` of a driver does."""

    def start() -> int:
        done = subprocess.run(  # noqa: S603 - the test's own program
            (*words_of_program(program), *arguments),
            input=sys.stdin.buffer.read(),
            env={**os.environ, "PYTHONPATH": python_path()},
            check=False,
        )
        return _EXCEPTION if done.returncode == EXCEPTION else done.returncode

    token = START_ALONE.set(start)
    try:
        yield
    finally:
        START_ALONE.reset(token)


def messages_of_check(errors: bytes) -> str:
    """Return the messages of a failed check, without the places that are wrong."""
    messages = errors.decode(errors="replace")
    return _WRONG_PLACE.sub(r"\1", _POSITION.sub("", messages))


def _explain(
    command: Command, check: Check | None, code: int, output: bytes, errors: bytes
) -> str:
    if code == _EXCEPTION:
        happened = "raised an exception"
    elif command.must_fail:
        happened = "succeeded, under 'not'"
    else:
        happened = f"failed with exit code {code}"
    parts = [f"'{shlex.join(command.words)}' {happened}"]
    messages = messages_of_check(errors) if check else errors.decode(errors="replace")
    if messages:
        parts.append(messages.rstrip("\n"))
    if "No check strings found" in messages:
        parts.append("note: `pytest --update-checks` writes CHECK lines")
    if check:
        parts.append(check.excerpt())
    elif output.strip():
        parts += ["--- its output:", output.decode(errors="replace").rstrip()]
    return "\n".join(parts)
