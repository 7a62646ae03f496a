"""The input and the output of `passgen-opt`, with one message for each I/O error.

An output file is written completely or not at all.
"""

from __future__ import annotations

import sys
from itertools import chain, combinations, product
from pathlib import Path

from passgen_runtime.output_files import (
    check_writable,
    is_same_file,
    replace_file,
    shown_path,
    text_of_path,
    write_all,
    write_stdout,
)
from passgen_tools.opt.command_line import CommandLine, Flag, dash


class OptError(Exception):
    """An error that ends the driver."""


class FailedRunError(Exception):
    """A part of the input has failed, and its errors have been printed."""


def unwritable(path: str | Path, error: OSError, what: str = "") -> OptError:
    """Return the error about a file that cannot be written; `-` is standard output."""
    name = "standard output" if path == "-" else f"{what}'{shown_path(path)}'"
    return OptError(f"error: cannot write {name}: {error.strerror}")


def read_input(path: str) -> tuple[str, str]:
    """Return the text of the input, and the name that diagnostics give it.

    Raises:
        OptError: it cannot be read, or is not UTF-8.
    """
    name = "<stdin>" if path == "-" else text_of_path(path)
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

    Then a run that changes its folder writes them where they are now. The output may
    replace the input.

    Raises:
        OptError: one cannot be written, or would overwrite another one.
    """
    sources = [("input", Path(path)) for path in line.positional if path != "-"]
    files: list[tuple[str, Path]] = []
    beside: list[tuple[str, Path]] = []
    for flag in line.flags:
        value = line.values.get(flag.name)
        if flag.source and value:
            read = flag.source(value)
            sources.append((f"record that {dash(flag.name)} reads", Path(read)))
            sources += _beside_record(read)
        elif flag.destination and value and value != "-":
            if flag.is_record:
                beside += _beside_record(value)
            files.append((flag.destination, Path(value)))
    for flag in line.flags:
        if flag.is_folder and (value := line.values[flag.name]):
            _check_folder(flag, Path(value), sources)
    pairs = chain(product(sources, files + beside), combinations(files + beside, 2))
    for (what, path), (other, written) in pairs:
        if (what, other) != ("input", "output") and is_same_file(path, written):
            message = (
                f"error: the {other} '{shown_path(written)}' would overwrite the {what}"
            )
            raise OptError(f"{message}; name another file")
    _check_writable(files)


def _check_writable(files: list[tuple[str, Path]]) -> None:
    for what, path in files:
        if what == "output":  # it has a message of MLIR's
            continue
        try:
            check_writable(path)
        except OSError as error:
            raise unwritable(path, error, f"{what} ") from error


def _beside_record(record: str) -> list[tuple[str, Path]]:
    from passgen_tools.record import files_beside

    return [("file beside the record", file) for file in files_beside(record)]


def _check_folder(
    flag: Flag[object], folder: Path, sources: list[tuple[str, Path]]
) -> None:
    """Check that no file that is read lies in a folder whose files are replaced."""
    for what, path in sources:
        if path.resolve().is_relative_to(folder.resolve()):
            message = (
                f"error: the {what} '{shown_path(path)}' lies in the folder of "
                f"{dash(flag.name)}, which might overwrite it"
            )
            raise OptError(f"{message}; name another folder")


class GrowingFile:
    """A file, or standard output for `-`, that shows what has happened so far.

    What ends the process early leaves it. An error of writing is one of the run: it
    ends no pass, and nothing more is written.
    """

    def __init__(self, path: str, unwritten: list[OptError]) -> None:
        """Write to the end of the file at `path`; add an error to `unwritten`."""
        self._path = path
        self._unwritten = unwritten
        self._has_failed = False

    def write(self, text: str) -> None:
        """Write `text` at once."""
        if self._has_failed:
            return
        try:
            if self._path == "-":
                write_stdout(text)
            else:
                with Path(self._path).open("ab", buffering=0) as file:
                    write_all(file, text.encode(errors="backslashreplace"))
        except OSError as error:
            self._has_failed = True
            self._unwritten.append(unwritable(self._path, error))


def earlier_files(*paths: str | None) -> list[str]:
    """Return those of `paths` at which there is a file."""
    return [path for path in paths if path and Path(path).is_file()]


def begin_file(path: str) -> None:
    """Empty the file at `path`, which is to grow; `-` and devices are left alone.

    Raises:
        OptError: it cannot be written.
    """
    file = Path(path)
    if path == "-" or (file.exists() and not file.is_file()):
        return
    try:
        file.write_bytes(b"")
    except OSError as error:
        raise unwritable(path, error) from error


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
        raise unwritable(path, error) from error
