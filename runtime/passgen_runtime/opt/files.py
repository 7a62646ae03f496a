"""The input and the output of `passgen-opt`, with one message for each I/O error.

An output file is written completely or not at all.
"""

from __future__ import annotations

import sys
from pathlib import Path

from passgen_runtime.output_files import replace_file, write_stdout


class OptError(Exception):
    """The driver cannot go on; the text says why."""


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
