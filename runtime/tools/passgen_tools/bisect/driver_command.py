"""The driver of a recorded run, which verifies, lowers and runs passes on IR."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from passgen_tools.check_command import (
    CheckCommand,
    CheckError,
    file_argument,
    files_in,
    shell_command,
)
from passgen_tools.ir_libraries import (
    DEFAULT_IR_LIBRARY,
    MLIRLibrary,
    find_ir_library,
    ir_library_titles,
)
from passgen_tools.record import RecordedSteps, RecordError, report_damage

_HARMLESS_FLAGS: Final = (
    "--ir",
    "--load-pass-plugin",
    "--allow-unregistered-dialect",
    "--mlir-very-unsafe-disable-verifier-on-parsing",
    "--verify-each",
)
"""The flags that `passgen-opt` records: they have no effects outside of the IR."""


def check_library(steps: RecordedSteps) -> None:
    """Check that modules of a run can be combined from the texts of operations.

    Raises:
        RecordError: the IR has the syntax of another IR library.
    """
    recorded = str(json.loads(steps.run.versions).get("context"))
    library = find_ir_library(recorded)
    nests_text = library is not None and library.nests_text
    has_dumps = "dumps" in json.loads(steps.run.settings)
    if not has_dumps and not nests_text and steps.record.children:
        expected = ir_library_titles(nests_text=True)
        raise RecordError(
            f"'{steps.record.path}' has IR of '{recorded}', which cannot be put"
            f" together from operations; expected IR of {expected}"
        )


MAX_MESSAGES_BYTES: Final = 16 * 1024 * 1024
"""How much of the end of a driver's output is kept; each rewrite prints a line."""


class DriverOutput(NamedTuple):
    """The output of a driver for some IR."""

    text: str
    problem: str
    """The reason why there is no text; empty if there is a text."""

    messages: str = ""
    """The last lines that the driver printed."""


class DriverCommand:
    """A driver such as `passgen-opt` or `mlir-opt`, with the flags that it needs."""

    def __init__(self, arguments: Sequence[str], *, is_trusted: bool = True) -> None:
        """Take the program and its flags.

        A program that is not on PATH is searched in the folder of Python's executable.

        Args:
            arguments: the program, then its flags.
            is_trusted: whether the program may be started; else errors only name it.
        """
        self._trust_problem = ""
        if not is_trusted:
            flag = shlex.quote(f"--driver={shlex.join(arguments)}")
            self._trust_problem = (
                f"the record names the driver '{shlex.join(arguments)}', which is"
                f" started only with {flag}"
            )
        program, *flags = arguments
        beside = Path(sys.executable).parent / program
        if shutil.which(program) is None and beside.exists():
            program = str(beside)
        self._arguments = (program, *flags)

    @classmethod
    def of_run(cls, steps: RecordedSteps) -> DriverCommand:
        """Return the driver that can repeat the passes of a recorded run.

        A record may come from others: only `passgen-opt` and `mlir-opt` are trusted,
        with flags that a driver records.

        Raises:
            RecordError: the record is damaged.
        """
        with report_damage(steps.record.path):
            settings = json.loads(steps.run.settings)
            versions = json.loads(steps.run.versions)
            command = list(map(str, settings.get("command", ())))
            if b"\0" in b"".join(map(os.fsencode, command)):
                raise ValueError("an argument of its driver has a zero byte")
        if not command:
            library = find_ir_library(str(versions.get("context")))
            name = DEFAULT_IR_LIBRARY if library is None else library.name
            command = ["passgen-opt", *[f"--ir={name}"] * (name != DEFAULT_IR_LIBRARY)]
        if "dumps" in settings:
            command = ["mlir-opt"]
        program, *flags = command
        is_known = program in {"passgen-opt", "mlir-opt"}
        names = {flag.partition("=")[0] for flag in flags}
        return cls(command, is_trusted=is_known and names.issubset(_HARMLESS_FLAGS))

    @property
    def files(self) -> list[Path]:
        """The files that the command names."""
        return files_in(self._arguments)

    @property
    def reduce_flags(self) -> list[str]:
        """The flags with which `passgen-reduce` can read the IR of the driver."""
        program, *given = self._arguments
        flags = [f"--ir={MLIRLibrary.name}"] * (Path(program).name == "mlir-opt")
        for argument in given:
            flag, _, value = argument.partition("=")
            if flag == "--load-pass-plugin":
                flags += [f"{flag}={name}" for name in value.split(",")]
            elif argument.startswith("--ir="):
                flags.append(argument)
            elif argument.removesuffix("=true") == "--allow-unregistered-dialect":
                flags.append(flag)
        return flags

    def command_for(self, path: str | Path, *flags: str) -> str:
        """Return the shell command that runs the driver on the file at `path`."""
        return shell_command([*self._arguments, file_argument(path), *flags])

    def script_for(self, word: str, *flags: str) -> str:
        """Return the command for a script that names the file by `word`: `"$1"`."""
        return f"{shlex.join(self._arguments)} {word} {shlex.join(flags)}"

    def run(self, text: str, *flags: str) -> DriverOutput:
        """Return the output for the IR in `text`; without flags, the IR itself."""
        if self._trust_problem:
            return DriverOutput("", self._trust_problem)
        with TemporaryDirectory(prefix="passgen-bisect-") as folder:
            output = Path(folder, "output.mlir")
            written = [*self._arguments, "{}", *flags, "-o", str(output)]
            try:
                command = CheckCommand(written, max_output_bytes=MAX_MESSAGES_BYTES)
                result = command.run(text)
            except CheckError as error:
                return DriverOutput("", f"{error} (--driver names another program)")
            if result.exit_code != 0 or not output.exists():
                lines = result.output.splitlines()
                errors = [line for line in lines if "error" in line]
                return DriverOutput("", (errors or lines or [str(result)])[0])
            return DriverOutput(output.read_text("utf-8"), "", result.output)
