"""The input and the output of `passgen-opt`, with one message for each I/O error.

An output file is written completely or not at all.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

from passgen_runtime.diagnostics import print_text
from passgen_runtime.opt.command_line import CommandLine
from passgen_runtime.output_files import (
    check_writable,
    is_same_file,
    replace_file,
    write_stdout,
)


class OptError(Exception):
    """An error that ends the driver."""


class FailedRunError(Exception):
    """A part of the input has failed, and its errors have been printed."""


def read_input(path: str) -> tuple[str, str]:
    """Return the text of the input, and the name that diagnostics give it.

    Raises:
        OptError: it cannot be read, or is not UTF-8.
    """
    name = "<stdin>" if path == "-" else path
    if path == "-" and (sys.stdin is None or sys.stdin.closed):
        raise OptError("error: cannot open input file '<stdin>': it is closed")
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        message = f"error: cannot open input file '{name}': {error.strerror}"
        raise OptError(message) from error
    try:
        return data.decode(), name
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name}:{line}: error: the input is not UTF-8: {error.reason}"
        raise OptError(message) from error


def check_destinations(line: CommandLine) -> None:
    """Check that the files that flags name can be written, and are not the same.

    The output may replace the input.

    Raises:
        OptError: one cannot be written, or would overwrite another one.
    """
    named = [("input", path) for path in line.positional]
    named += [
        (flag.destination, line.values[flag.name])
        for flag in line.flags
        if flag.destination
    ]
    files = [(what, Path(path)) for what, path in named if path and path != "-"]
    for (what, path), (other, written) in combinations(files, 2):
        is_in_place = (what, other) == ("input", "output")
        if not is_in_place and is_same_file(path, written):
            message = f"error: the {other} '{written}' would overwrite the {what}"
            raise OptError(f"{message}; name another file")
    for what, path in files:
        if what in {"input", "output"}:  # these have messages of MLIR's
            continue
        try:
            check_writable(path)
        except OSError as error:
            message = f"error: cannot write {what} '{path}': {error.strerror}"
            raise OptError(message) from error


def write_report(path: str | None, text: str) -> None:
    """Write a report to standard error, or to the end of the file at `path`.

    Raises:
        OptError: the file cannot be written.
    """
    if path is None or path == "-":
        print_text(text)
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        message = f"error: cannot write '{path}': {error.strerror}"
        raise OptError(message) from error


def write_output(path: str, text: str) -> None:
    """Write `text` to the file at `path`, or to standard output if it is `-`.

    Raises:
        OptError: it cannot be written.
    """
    try:
        if path == "-":
            write_stdout(text)
        else:
            replace_file(Path(path), text)
    except OSError as error:
        name = "standard output" if path == "-" else f"'{path}'"
        message = f"error: cannot write {name}: {error.strerror}"
        raise OptError(message) from error
