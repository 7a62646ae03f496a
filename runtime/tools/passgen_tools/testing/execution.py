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
from importlib import resources
from pathlib import Path
from pkgutil import resolve_name
from typing import IO, Any, Final

import pytest
from filecheck.error import CheckError
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options

from passgen_tools.testing.commands import Command, Pipeline, parse_commands
from passgen_tools.testing.lit_test import LitTest, RunLine, expand, path_substitutions
from passgen_tools.testing.settings import Settings

_CHECKERS: Final = ("filecheck", "FileCheck")
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
            command = expand(run, values, settings.features)
            known = {*programs, *_CHECKERS}
            pipelines = parse_commands(command, known) if command.strip() else []
            if pipelines is None:
                _run_in_shell(run, command, programs, updates=goes_on)
                continue
            for pipeline in pipelines:
                checks += _run_here(run, pipeline, programs, goes_on=goes_on)
    return checks


def _run_here(
    run: RunLine, pipeline: Pipeline, programs: Mapping[str, str], *, goes_on: bool
) -> list[Check]:
    checks: list[Check] = []
    output = b""
    for command in pipeline:
        name = command.words[0]
        check = Check(run) if name in _CHECKERS else None
        code, output, errors = _call(check or programs[name], command, output)
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


def _call(
    program: Check | str, command: Command, piped: bytes
) -> tuple[int, bytes, bytes]:
    """Run a program in this process; return its exit code, output and errors."""
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
        call: Callable[[Sequence[str]], int]
        call = resolve_name(program) if isinstance(program, str) else program
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
    messages = errors.decode(errors="replace")
    if check:
        messages = _WRONG_PLACE.sub(r"\1", _POSITION.sub("", messages))
    if messages:
        parts.append(messages.rstrip("\n"))
    if "No check strings found" in messages:
        parts.append("note: `pytest --update-checks` writes CHECK lines")
    if check:
        parts.append(check.excerpt())
    elif output.strip():
        parts += ["--- its output:", output.decode(errors="replace").rstrip()]
    return "\n".join(parts)


def _run_in_shell(
    run: RunLine, command: str, programs: Mapping[str, str], *, updates: bool
) -> None:
    calls = dict.fromkeys(_CHECKERS, '"$this_python" -m filecheck')
    calls |= {name: f"call_function {program}" for name, program in programs.items()}
    functions = "".join(
        f'{name}() {{ {call} "$@"; }}\n' for name, call in calls.items()
    )
    file = resources.files(__package__).joinpath("shell_functions.sh")
    functions += file.read_text(encoding="utf-8")
    script = f"this_python={shlex.quote(sys.executable)}\n{functions}\n{command}\n"
    folder, path = str(Path(sys.executable).parent), os.environ.get("PATH", "")
    if folder not in path.split(os.pathsep):
        path = f"{folder}{os.pathsep}{path}"
    modules = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(  # noqa: S603 - the test's own command
        ("bash", "-c", script),  # noqa: S607 - the user's bash
        env={**os.environ, "PATH": path, "PYTHONPATH": modules},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode == 0:
        return
    parts = [f"{run.place} '{command}' failed in bash with exit code {done.returncode}"]
    parts += [text.rstrip() for text in (done.stderr, done.stdout) if text.strip()]
    if "command not found" in done.stderr:
        parts.append("note: pytest.ini names programs of the project: `mlir_tools`")
    elif updates and any(name in command for name in _CHECKERS):
        parts.append("note: CHECK lines are not renewed for a RUN line that needs bash")
    pytest.fail("\n".join(parts), pytrace=False)
