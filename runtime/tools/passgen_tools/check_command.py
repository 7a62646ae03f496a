"""A program of the user that judges a file of IR.

    check = CheckCommand(["mlir-opt", "{}"], timeout_s=60)
    check.run("module {}").verdict  # good, bad or skip

Its exit code says what `git bisect run` understands: 0 is good, 125 says that the IR
cannot be judged, and any other code is bad, as is a signal that ends the program.

Each check has a session of its own, which ends with it: when the program has ended,
at its time limit, or when the search is told to stop. Its output goes through a pipe,
and only the end of it is kept.
"""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Literal, NoReturn, TypeAlias

from passgen_runtime.diagnostics import visible
from passgen_runtime.errors import PassError
from passgen_runtime.output_files import is_same_file
from passgen_tools.processes import adopt_orphans, end_orphans, signal_name

if TYPE_CHECKING:
    from types import FrameType

Verdict: TypeAlias = Literal["good", "bad", "skip"]

PLACEHOLDER: Final = "{}"
"""The argument that stands for the name of the file."""

_EXIT_SKIP: Final = 125
_EXITS_NOT_RUNNABLE: Final = (126, 127)
_EXIT_SIGNAL: Final = 128
_MAX_OUTPUT_BYTES: Final = 64 * 1024
_PAUSE_S: Final = 0.01
_SIGNAL_PAUSE_S: Final = 0.1


class CheckError(PassError):
    """A check cannot be run."""


def stop_exit_code(error: KeyboardInterrupt) -> int:
    """Return the exit code of a program that a signal has stopped, as shells do."""
    number: int = error.args[0] if error.args else signal.SIGINT
    return _EXIT_SIGNAL + number


def run_program(main: Callable[[], int]) -> NoReturn:
    """Run `main` as a process, which signals stop in order, and all it has started.

    On Linux, that includes processes that have left the session of a check. A signal
    raises `KeyboardInterrupt` with its number.
    """
    stops = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        stops.append(signal.SIGHUP)

    def stop(number: int, _: FrameType | None) -> None:
        for stop_signal in stops:  # what cleans up now must not be stopped again
            signal.signal(stop_signal, signal.SIG_IGN)
        raise KeyboardInterrupt(number)

    for stop_signal in stops:
        if signal.getsignal(stop_signal) != signal.SIG_IGN:  # as `nohup` wants it
            signal.signal(stop_signal, stop)
    adopt_orphans()
    try:
        sys.exit(main())
    except KeyboardInterrupt as error:
        sys.exit(stop_exit_code(error))
    finally:
        end_orphans()


def file_argument(path: str | Path) -> str:
    """Return `path` as an argument that no program takes for a flag."""
    text = str(path)
    return f"./{text}" if text.startswith("-") else text


def shell_command(arguments: Iterable[str]) -> str:
    """Return a command as a shell reads it after messages have made it visible."""
    return " ".join(map(_shell_word, arguments))


def _shell_word(text: str) -> str:
    if visible(text) == text:
        return shlex.quote(text)
    data = os.fsencode(text).decode("latin-1")
    quoted = (
        char if char.isascii() and char.isprintable() else f"\\x{ord(char):02x}"
        for char in data.replace("\\", "\\\\").replace("'", "\\'")
    )
    return f"$'{''.join(quoted)}'"


def files_in(arguments: Iterable[str]) -> list[Path]:
    """Return the files that a command line names: its program, and what that reads.

    The words of an argument count, too: it may be a script, or `--flag=FILE`.
    """
    found: dict[Path, None] = {}
    for argument in arguments:
        words = [argument, argument.partition("=")[2]]
        with suppress(ValueError):  # no closing quotation
            words += shlex.split(argument)
        for word in filter(None, words):
            with suppress(OSError, ValueError):  # it is too long, or has a NUL
                path = Path(shutil.which(word) or word)
                if path.is_file():
                    found[path] = None
    return list(found)


def _interpreter_of(program: str) -> str:
    """Return what the first line of a script says, if the system cannot follow it."""
    try:
        with Path(shutil.which(program) or program).open("rb") as file:
            line = file.readline(_MAX_OUTPUT_BYTES)
    except OSError:
        return ""
    if not line.startswith(b"#!"):
        return "no interpreter: begin it with '#!/bin/sh'"
    name = line[2:].decode(errors="replace").rstrip("\n")
    if name.endswith("\r"):
        return f"the interpreter '{name[:-1].strip()}' with a carriage return"
    return f"the interpreter '{name.strip()}'"


def check_output(output: Path, inputs: Iterable[str | Path | None]) -> None:
    """Check that writing `output` destroys none of the files that a search reads.

    Raises:
        CheckError: it would.
    """
    for path in inputs:
        if path is not None and is_same_file(Path(path), output):
            raise CheckError(
                f"the output '{output}' would overwrite '{path}', which is read;"
                " name another file"
            )


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The end of a check: its exit code and its output."""

    exit_code: int
    """The negative number of the signal if one has ended the program."""

    output: str
    """The last lines of standard output and standard error."""

    timed_out: bool = False

    @property
    def verdict(self) -> Verdict:
        """The verdict about the IR, by the exit code."""
        if self.exit_code == 0:
            return "good"
        return "skip" if self.exit_code == _EXIT_SKIP else "bad"

    @property
    def found_no_program(self) -> bool:
        """Whether a shell could not start a program: the IR was not judged then."""
        return self.exit_code in _EXITS_NOT_RUNNABLE

    def __str__(self) -> str:
        """Return the end of the program in words: `exit code 1`, `signal SIGSEGV`."""
        if self.timed_out:
            return "ended at its time limit"
        name = signal_name(self.exit_code).removeprefix("signal ")
        return f"signal {name}" if name else f"exit code {self.exit_code}"


class CheckCommand:
    """The command line of a check; several threads may run it at once."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        timeout_s: float | None = None,
        max_output_bytes: int = _MAX_OUTPUT_BYTES,
    ) -> None:
        """Make a check of a program and its arguments.

        Args:
            arguments: the program first. An argument `{}` stands for the file, which
                is the last one if there is none. There is no shell: `sh -c '...'` is
                one.
            timeout_s: a program that takes longer is ended, which is bad.
            max_output_bytes: how much of the end of the output is kept.

        Raises:
            CheckError: there is no such program, or `{}` stands inside an argument.
        """
        if not arguments:
            raise CheckError("expected a check: a program that gets a file of IR")
        program = arguments[0]
        if shutil.which(program) is None:
            is_there = Path(program).exists()
            problem = "it cannot be executed" if is_there else "it is not found"
            raise CheckError(f"cannot run '{program}': {problem}")
        self.arguments = tuple(arguments)
        if PLACEHOLDER not in arguments:
            for argument in arguments:
                if PLACEHOLDER in argument:
                    raise CheckError(
                        f"'{argument}' has {PLACEHOLDER} inside, expected it as an"
                        " argument of its own\nnote: in a script, the file is"
                        ' "$1": sh -c \'... "$1" ...\' sh {}'
                    )
            self.arguments += (PLACEHOLDER,)
        self.timeout_s = timeout_s
        self._max_output_bytes = max_output_bytes
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_stopped = False

    def command_for(self, path: str) -> str:
        """Return the command on the file at `path` as a shell reads it."""
        file = file_argument(path)
        return shell_command(
            file if argument == PLACEHOLDER else argument for argument in self.arguments
        )

    def script_for(self, word: str) -> str:
        """Return the command in a script, in which `word` is the file: `"$1"`."""
        return " ".join(
            word if argument == PLACEHOLDER else shlex.quote(argument)
            for argument in self.arguments
        )

    def run(self, text: str) -> CheckResult:
        """Judge IR, which the program gets in a file of its own.

        Raises:
            CheckError: the program cannot be started, or the file be written.
        """
        # An exception of a signal must not come between the start of a program and
        # the note of it: it reaches the main thread alone.
        with ThreadPoolExecutor(1) as thread:
            future = thread.submit(self._run, text)
            try:
                # A signal that another thread gets ends no wait without a limit.
                while wait([future], timeout=_SIGNAL_PAUSE_S).not_done:
                    pass
                return future.result()
            finally:
                while wait([future], timeout=0).not_done:
                    self.end()
                    wait([future], timeout=_PAUSE_S)

    def end(self) -> None:
        """End the programs that other threads are running."""
        for process in tuple(self._running):
            _kill(process)

    def stop(self) -> None:
        """End the programs that run, and those that other threads start later."""
        self._is_stopped = True
        self.end()

    def _run(self, text: str) -> CheckResult:
        try:
            with TemporaryDirectory(
                prefix="passgen-check-",
                ignore_cleanup_errors=True,  # a process may end while it writes there
            ) as folder:
                path = Path(folder, "input.mlir")
                path.write_text(text, encoding="utf-8", errors="surrogatepass")
                return self._run_on(str(path))
        except OSError as error:
            name = error.filename or self.arguments[0]
            message = f"cannot run '{name}': {error.strerror}"
            if interpreter := _interpreter_of(name):
                message += f"\nnote: its first line names {interpreter}"
            raise CheckError(message) from error

    def _run_on(self, path: str) -> CheckResult:
        process = subprocess.Popen(  # noqa: S603 - the user names the program
            [path if word == PLACEHOLDER else word for word in self.arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,  # what it has started is ended with it
        )
        self._running.add(process)
        if self._is_stopped:
            _kill(process)
        timed_out = False
        output = _OutputTail(process, self._max_output_bytes)
        try:
            process.wait(self.timeout_s)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            self._running.discard(process)
            _kill(process)
            process.wait()
            shown = output.end()
        return CheckResult(process.returncode, shown, timed_out)


class _OutputTail:
    """The end of the output of a process, which a thread reads."""

    def __init__(self, process: subprocess.Popen[bytes], max_bytes: int) -> None:
        self._max_bytes = max_bytes
        assert process.stdout is not None
        self._pipe = process.stdout
        self._tail = bytearray()
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def end(self) -> str:
        """Return the output of a process that has ended."""
        self._has_ended.set()
        self._thread.join()
        self._pipe.close()
        return self._tail.decode(errors="replace")

    def _read(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._pipe, selectors.EVENT_READ)
            # A process that has left the session may hold the pipe for ever: after
            # the end, what the pipe holds is read, and no more.
            is_open = True
            while is_open and not self._has_ended.is_set():
                if selector.select(_PAUSE_S):
                    is_open = self._read_once()
            if is_open and selector.select(0):
                self._read_once()

    def _read_once(self) -> bool:
        part = self._pipe.read(_MAX_OUTPUT_BYTES)
        self._tail += part
        del self._tail[: -self._max_bytes]
        return bool(part)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and what it has started."""
    with suppress(ProcessLookupError, PermissionError):  # macOS: only zombies are left
        os.killpg(process.pid, signal.SIGKILL)
