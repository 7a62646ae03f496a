"""Output: files that changed are written, each completely or not at all.

This is the last phase. All texts exist before the first file is touched, and each file
is replaced by a complete one in one step, so that no reader sees an incomplete file and
no full disk leaves one.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from passgen.diagnostics import UserError
from passgen.output.locks import remove_abandoned_folders, temporary_folder
from passgen.source import read_file


@dataclass(frozen=True)
class OutputFile:
    """The path of a file and its expected text."""

    path: Path
    text: str
    command: str = ""
    """The command line that renews it, if it is an output of a spec."""

    spec: str = ""
    """The spec as the command names it, if it is an output of one."""


@dataclass(frozen=True)
class StaleFile:
    """A file that is missing or out of date."""

    file: OutputFile
    is_missing: bool
    diff: str
    """A unified diff from the text on disk to the expected text."""


class OutputError(UserError):
    """A file cannot be read or written; the text says which and why."""

    def __init__(self, path: Path, error: OSError) -> None:
        """Report `error` about `path`."""
        reason = error.strerror or str(error)
        super().__init__(f"{path}: error: {reason[:1].lower()}{reason[1:]}")


def write(files: Sequence[OutputFile]) -> list[Path]:
    """Write the files that changed, creating their folders; return their paths.

    Raises:
        OutputError: a file cannot be written. No file was changed then, unless the disk
            failed while complete files were moved to their places.
    """
    devices = [file for file in files if _is_device(file.path)]
    changed = [
        file
        for file in files
        if file not in devices and not _holds(file.path, _encode(file))
    ]
    for folder in {_real_path(file.path).parent for file in files}:
        remove_abandoned_folders(folder)
    with contextlib.ExitStack() as stack:
        for complete, target in _complete_files(changed, stack):
            with _reported(target):
                complete.replace(target)
    for file in devices:
        with _reported(file.path):
            file.path.write_bytes(_encode(file))
    return [file.path for file in (*changed, *devices)]


def compare(files: Iterable[OutputFile]) -> list[StaleFile]:
    """Return the files that are missing or differ, in order; nothing is written.

    Raises:
        OutputError: a file exists but cannot be read.
    """
    stale = []
    for file in files:
        current = _current(file.path)
        if current != _encode(file):
            stale.append(StaleFile(file, current is None, _diff(file, current or b"")))
    return stale


def _is_device(path: Path) -> bool:
    """Return whether `path` must be written to, not replaced, such as /dev/null."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # writing to it will report the error
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Raise an `OutputError` about `path` for an error of the system in the block."""
    try:
        yield
    except OSError as error:
        raise OutputError(path, error) from error


def _real_path(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except OSError as error:  # the current folder was removed
        raise OutputError(path, error) from error


def _encode(file: OutputFile) -> bytes:
    return file.text.encode(errors="surrogateescape")  # it may have paths of any bytes


def _holds(path: Path, data: bytes) -> bool:
    """Return whether the file at `path` holds `data`; read at most one byte more."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(data) + 1) == data
    except FileNotFoundError:
        return False
    except OSError as error:
        raise OutputError(path, error) from error


def _current(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutputError(path, error) from error


def _diff(file: OutputFile, current: bytes) -> str:
    text = current.decode(errors="replace")
    # Lines that differ in their ends alone look equal.
    differ = "\r\n" in text and "\r\n" not in file.text
    ends = "\\ Lines end in CRLF, expected LF\n" if differ else ""
    old = text.splitlines(keepends=True)
    new = file.text.splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, f"{file.path}", f"{file.path} (renewed)")
    return ends + "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in lines
    )


def _complete_files(
    files: Iterable[OutputFile], stack: contextlib.ExitStack
) -> list[tuple[Path, Path]]:
    """Write a new file for each of `files`; return their paths, each with its target.

    They are in new folders beside their targets, which `stack` removes.

    Raises:
        OutputError: one cannot be written.
    """
    folders: dict[Path, Path] = {}
    waiting: list[tuple[Path, Path]] = []
    for file in files:
        target = _real_path(file.path)  # symbolic links stay
        with _reported(file.path):
            if target.parent not in folders:
                target.parent.mkdir(parents=True, exist_ok=True)
                new = temporary_folder(target.parent)
                folders[target.parent] = stack.enter_context(new)
            complete = folders[target.parent] / f"{len(waiting)}"
            complete.write_bytes(_encode(file))
            complete.chmod(_mode(target))
            waiting.append((complete, target))
    return waiting


def _mode(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)  # there is no way to read it without setting it
        os.umask(mask)
        return 0o666 & ~mask


_NOT_UNICODE: Final = re.compile("[\ud800-\udfff]")
"""The surrogates that stand for bytes of a path that are not UTF-8."""


def json_text(data: dict[str, Any]) -> str:
    """Return `data` as indented JSON with a line end."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return _NOT_UNICODE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"
