"""Runs the commands of RUN lines: our own programs in this process, others in a shell.

Programs run as in a pipeline of the shell, one after the other. What they write to the
file descriptors 1 and 2 is theirs too: native code prints there.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options

from passgen_runtime.testing.commands import (
    Command,
    Pipeline,
    Redirection,
    parse_commands,
)
from passgen_runtime.testing.lit_test import LitTest, RunLine, Substitutions

Program = Callable[[Sequence[str]], int]
"""A program as a function: takes its arguments, returns its exit code."""

_CHECKERS: Final = ("filecheck", "FileCheck")
_EXCEPTION: Final = -1
_LINES_AROUND: Final = 20

# `filecheck` counts lines wrongly after a CHECK-LABEL: the excerpt shows the place.
_POSITION: Final = re.compile(r"^Current position at .*\n.*\n *\^+\n", re.MULTILINE)
_WRONG_PLACE: Final = re.compile(r"^(Matching at:)? ?<stdin>:\S+$", re.MULTILINE)

_CALL: Final = (
    "import sys; from importlib import import_module; "
    "sys.exit(import_module({module!r}).{function}(sys.argv[1:]))"
)


@dataclass(frozen=True, slots=True)
class ProgramName:
    """The name of a program's function: `module:function`."""

    module: str
    function: str

    def __call__(self, arguments: Sequence[str]) -> int:
        """Call the function."""
        program: Program = getattr(import_module(self.module), self.function)
        return program(arguments)

    @property
    def shell_command(self) -> str:
        """The program as a command of the shell."""
        code = _CALL.format(module=self.module, function=self.function)
        return shlex.join((sys.executable, "-c", code))


OWN_PROGRAMS: Final = {"passgen-opt": ProgramName("passgen_runtime.opt", "main")}
"""The programs that every test can name."""


class RunFailure(Exception):  # noqa: N818 - as `PassFailure`: no mistake in the test
    """A RUN line failed; the text shows the command, its messages and its input."""


@dataclass(frozen=True, slots=True)
class Check:
    """A run of `filecheck` in a test."""

    line: int
    """Of the RUN line."""

    arguments: tuple[str, ...]
    text: str
    """What was checked."""

    failure: str
    """Why it failed; empty if it succeeded."""


@dataclass(slots=True)
class _Done:
    code: int
    output: bytes
    errors: bytes


@dataclass
class LitExecution:
    """Runs the RUN lines of a test."""

    test: LitTest
    programs: Mapping[str, ProgramName]
    folder: Path
    """Where the commands run, and write what `%t` names."""

    substitutions: Mapping[str, str] = field(default_factory=dict)
    goes_on: bool = False
    """Whether a check that fails does not end the test."""

    checks: list[Check] = field(default_factory=list)

    def run(self) -> None:
        """Run the test.

        Raises:
            RunFailure: a command failed, or succeeded under `not`.
        """
        names = Substitutions(self.test.path, self.folder, self.substitutions)
        known = {*self.programs, *_CHECKERS}
        with contextlib.chdir(self.folder):
            for run in self.test.runs:
                command = names.expand(run)
                pipelines = parse_commands(command, known)
                if pipelines is None:
                    self._run_in_shell(run, command)
                    continue
                for pipeline in pipelines:
                    self._run_here(run, pipeline)

    def _run_here(self, run: RunLine, pipeline: Pipeline) -> None:
        text = b""
        for command in pipeline:
            stdin = _input_of(command, text)
            is_check = command.words[0] in _CHECKERS
            checker = _Checker()
            program = checker if is_check else self.programs[command.words[0]]
            done = _call(program, command, stdin)
            succeeded = done.code >= 0 and (done.code != 0) == command.must_fail
            failure = "" if succeeded else self._explanation(run, command, done)
            if failure and is_check:
                failure = f"{failure}\n{checker.excerpt()}"
            if is_check and not command.must_fail:
                arguments = command.words[1:]
                self.checks.append(Check(run.line, arguments, checker.text, failure))
            if failure and not (is_check and self.goes_on):
                raise RunFailure(failure)
            text = done.output

    def _explanation(self, run: RunLine, command: Command, done: _Done) -> str:
        words = shlex.join(command.words)
        if done.code == _EXCEPTION:
            happened = "raised an exception"
        elif command.must_fail:
            happened = "succeeded, under 'not'"
        else:
            happened = f"failed with exit code {done.code}"
        parts = [f"{self.test.path}:{run.line}: error: '{words}' {happened}"]
        errors = done.errors.decode(errors="replace")
        if command.words[0] in _CHECKERS:
            errors = _WRONG_PLACE.sub(r"\1", _POSITION.sub("", errors))
        if errors:
            parts.append(errors.rstrip("\n"))
        if "No check strings found" in errors:
            parts.append("note: `pytest --update-checks` writes CHECK lines")
        if done.output.strip() and command.words[0] not in _CHECKERS:
            parts += ["--- its output:", done.output.decode(errors="replace").rstrip()]
        return "\n".join(parts)

    def _run_in_shell(self, run: RunLine, command: str) -> None:
        calls = {
            **{name: program.shell_command for name, program in self.programs.items()},
            **dict.fromkeys(_CHECKERS, f"{shlex.quote(sys.executable)} -m filecheck"),
        }
        functions = "".join(
            f'{name}() {{ {call} "$@"; }}\n' for name, call in calls.items()
        )
        script = f'set -o pipefail\nnot() {{ ! "$@"; }}\n{functions}{command}\n'
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        modules = os.pathsep.join(filter(None, sys.path))
        environment = {**os.environ, "PATH": path, "PYTHONPATH": modules}
        done = subprocess.run(  # noqa: S603 - the test's own command
            ("bash", "-c", script),  # noqa: S607 - the user's bash
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode == 0:
            return
        where = f"{self.test.path}:{run.line}: error:"
        parts = [f"{where} '{command}' failed in bash with exit code {done.returncode}"]
        texts = (
            output.decode(errors="replace") for output in (done.stderr, done.stdout)
        )
        parts += [text.rstrip() for text in texts if text.strip()]
        if b"command not found" in done.stderr:
            parts.append("note: pytest.ini names programs of the project: `mlir_tools`")
        raise RunFailure("\n".join(parts))


def _input_of(command: Command, piped: bytes) -> bytes:
    for redirection in command.redirections:
        if redirection.operator.endswith("<"):
            piped = Path(redirection.path).read_bytes()
    return piped


def _call(program: Program, command: Command, stdin: bytes) -> _Done:
    """Run a program in this process."""
    with contextlib.ExitStack() as stack:
        piped = stack.enter_context(tempfile.TemporaryFile())
        errors = stack.enter_context(tempfile.TemporaryFile())
        streams: dict[int, IO[bytes]] = {1: piped, 2: errors}
        for redirection in command.redirections:
            _redirect(streams, redirection, stack)
        with _streams(stdin, streams[1], streams[2]):
            code = _exit_code(program, command.words[1:])
        return _Done(code, _content(piped), _content(errors))


def _redirect(
    streams: dict[int, IO[bytes]],
    redirection: Redirection,
    stack: contextlib.ExitStack,
) -> None:
    operator = redirection.operator
    if operator.endswith("<"):
        return
    if not redirection.path:
        source, _, target = operator.partition(">&")
        streams[int(source or "1")] = streams[int(target)]
        return
    appends = operator.endswith(">>")
    path = Path(redirection.path)
    opened = stack.enter_context(path.open("ab") if appends else path.open("wb"))
    chosen = (1, 2) if operator.startswith("&") else (2 if operator[0] == "2" else 1,)
    for number in chosen:
        streams[number] = opened


def _content(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read()


@contextlib.contextmanager
def _streams(stdin: bytes, stdout: IO[bytes], stderr: IO[bytes]) -> Iterator[None]:
    """Let the standard streams of this process be these while the block runs."""
    before = sys.stdin, sys.stdout, sys.stderr
    for stream in before[1:]:
        stream.flush()
    kept = os.dup(1), os.dup(2)
    os.dup2(stdout.fileno(), 1)
    os.dup2(stderr.fileno(), 2)
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    sys.stdout = _text_stream(1)
    sys.stderr = _text_stream(2, line_buffering=True)
    try:
        yield
    finally:
        sys.stdout.close()
        sys.stderr.close()
        sys.stdin, sys.stdout, sys.stderr = before
        for number, copy in enumerate(kept, 1):
            os.dup2(copy, number)
            os.close(copy)


def _text_stream(number: int, *, line_buffering: bool = False) -> io.TextIOWrapper:
    raw = os.fdopen(number, "wb", closefd=False)
    return io.TextIOWrapper(
        raw, "utf-8", "backslashreplace", line_buffering=line_buffering
    )


def _exit_code(program: Program, arguments: Sequence[str]) -> int:
    try:
        return program(arguments)
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
            return 1
        return end.code or 0
    except Exception as error:  # noqa: BLE001 - of the program: the test shows it
        error.__traceback__ = _inside(error.__traceback__)
        traceback.print_exception(error)
        return _EXCEPTION


def _inside(trace: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that is in the program."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


class _Checker:
    """The Python port of FileCheck, as a program."""

    def __init__(self) -> None:
        self.text = ""
        """What is checked."""

        self._position = 0
        """Up to where the checks have matched."""

    def __call__(self, arguments: Sequence[str]) -> int:
        """Run it."""
        try:
            options = parse_argv_options(["filecheck", *arguments])
            matcher = Matcher.from_opts(options)
        except (OSError, RuntimeError) as error:
            sys.stderr.write(f"filecheck: error: {error}\n")
            return 2
        code: int = matcher.run()
        self.text = matcher.file.content
        self._position = min(matcher.file.range.start, len(self.text))
        return code

    def excerpt(self) -> str:
        """Return the checked text, with a mark where no match was found."""
        text, position = self.text, self._position
        if not text:
            return "--- it read nothing"
        lines = text.splitlines()
        marked = text.count("\n", 0, position)
        if position and text.startswith("\n", position):
            marked += 1
        first = max(marked - _LINES_AROUND, 0)
        last = min(marked + _LINES_AROUND, len(lines))
        part = f", lines {first + 1} to {last} of {len(lines)}"
        shown = [
            f"{'>' if index == marked else ' '}{index + 1:>5} | {lines[index]}"
            for index in range(first, last)
        ]
        is_whole = last - first == len(lines)
        return "\n".join((f"--- it read{'' if is_whole else part}:", *shown))
