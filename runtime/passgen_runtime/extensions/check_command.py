"""A program of the user that judges a file of IR.

    check = CheckCommand(["mlir-opt", "{}"], timeout_s=60)
    check.run("module {}").verdict  # good, bad or skip

Its exit code says what `git bisect run` understands: 0 is good, 125 says that the IR
cannot be judged, and any other code is bad, as is a signal that ends the program.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal, TypeAlias

from passgen_runtime.errors import PassError

Verdict: TypeAlias = Literal["good", "bad", "skip"]

PLACEHOLDER: Final = "{}"
"""Stands for the name of the file in the arguments."""

_EXIT_SKIP: Final = 125
_EXITS_NOT_RUNNABLE: Final = (126, 127)
_MAX_OUTPUT_BYTES: Final = 16 * 1024


class CheckError(PassError):
    """A check cannot be run."""


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
        if self.exit_code >= 0:
            return f"exit code {self.exit_code}"
        with suppress(ValueError):
            return f"signal {signal.Signals(-self.exit_code).name}"
        return f"signal {-self.exit_code}"


class CheckCommand:
    """The command line of a check; several threads may run it at once."""

    def __init__(
        self, arguments: Sequence[str], *, timeout_s: float | None = None
    ) -> None:
        """Make a check of a program and its arguments.

        Args:
            arguments: the program first. `{}` stands for the file, which is the last
                argument if none has `{}`. There is no shell; `sh -c '...'` is one.
            timeout_s: a program that takes longer is ended, which is bad.

        Raises:
            CheckError: there is no such program.
        """
        if not arguments:
            raise CheckError("expected a check: a program that gets a file of IR")
        program = arguments[0]
        if shutil.which(program) is None:
            is_there = Path(program).exists()
            problem = "it cannot be executed" if is_there else "it is not found"
            raise CheckError(f"cannot run '{program}': {problem}")
        self.arguments = tuple(arguments)
        if not any(PLACEHOLDER in argument for argument in arguments):
            self.arguments += (PLACEHOLDER,)
        self.timeout_s = timeout_s
        self._running: set[subprocess.Popen[bytes]] = set()

    def __str__(self) -> str:
        """Return the command as a shell reads it, with `{}` for the file."""
        return self.command_for(PLACEHOLDER)

    def command_for(self, path: str) -> str:
        """Return the command on the file at `path` as a shell reads it."""
        return shlex.join(self._arguments_for(path))

    def run(self, text: str) -> CheckResult:
        """Judge IR, which the program gets in a file of its own.

        Raises:
            CheckError: the program cannot be started, or the file be written.
        """
        try:
            with TemporaryDirectory(prefix="passgen-check-") as folder:
                path = Path(folder, "input.mlir")
                path.write_text(text, encoding="utf-8", errors="surrogatepass")
                return self._run_on(path, Path(folder, "output"))
        except OSError as error:
            name = error.filename or self.arguments[0]
            message = f"cannot run '{name}': {error.strerror}"
            raise CheckError(message) from error

    def end(self) -> None:
        """End the programs that other threads are running."""
        for process in tuple(self._running):
            _kill(process)

    def _arguments_for(self, path: str) -> list[str]:
        return [argument.replace(PLACEHOLDER, path) for argument in self.arguments]

    def _run_on(self, path: Path, output: Path) -> CheckResult:
        timed_out = False
        with output.open("w+b") as file:
            process = subprocess.Popen(  # noqa: S603 - the user names the program
                self._arguments_for(str(path)),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                process_group=0,  # what it has started is ended with it
            )
            self._running.add(process)
            try:
                process.wait(self.timeout_s)
            except subprocess.TimeoutExpired:
                timed_out = True
            finally:  # also if this process is interrupted
                self._running.discard(process)
                if process.returncode is None:
                    _kill(process)
                    process.wait()
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MAX_OUTPUT_BYTES))
            shown = file.read().decode(errors="replace")
        return CheckResult(process.returncode, shown, timed_out)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and what it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
