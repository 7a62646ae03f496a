"""Output: texts to files, written only where they changed, and never by halves.

The last phase. All texts are there before the first file is touched; each file is
replaced in one step by one that is complete, so that a reader, or a full disk, never
leaves half of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from passgen.diagnostics import UserError
from passgen.source import read_file


@dataclass(frozen=True)
class OutputFile:
    """A file as it should be."""

    path: Path
    text: str
    command: str = ""
    """The command line that renews it, if it is an output of a spec."""

    spec: str = ""
    """The spec as the command names it, if it is of one."""


@dataclass(frozen=True)
class StaleFile:
    """A file that is not as it should be."""

    file: OutputFile
    is_missing: bool
    diff: str
    """Unified, from what is there to what should be."""


class OutputError(UserError):
    """A file cannot be read or written; the text says which and why."""

    def __init__(self, path: Path, error: OSError | str) -> None:
        """Say that `path` cannot be used, for the reason in `error`."""
        reason = error if isinstance(error, str) else error.strerror or str(error)
        super().__init__(f"{path}: error: {reason[:1].lower()}{reason[1:]}")


def write(files: Sequence[OutputFile]) -> list[Path]:
    """Write the files that changed, creating their folders; return their paths.

    Raises:
        OutputError: a file cannot be written; then no file was, unless the disk failed
            while complete files were moved into place.
    """
    devices = [file for file in files if _is_device(file.path)]
    changed = [
        file
        for file in files
        if file not in devices and not _holds(file.path, _encoded(file))
    ]
    waiting: list[tuple[Path, Path]] = []
    try:
        for file in changed:
            target = _real_path(file.path)  # replaces no symbolic link
            waiting.append((_write_beside(target, file), target))
        for complete, target in waiting:
            _replace(complete, target)
    finally:
        for complete, _ in waiting:
            complete.unlink(missing_ok=True)
    for file in devices:
        _write_to_device(file)
    return [file.path for file in (*changed, *devices)]


def compare(files: Iterable[OutputFile]) -> list[StaleFile]:
    """Return the files that are missing or differ, in order; nothing is written.

    Raises:
        OutputError: a file is there but cannot be read.
    """
    stale = []
    for file in files:
        current = _current(file.path)
        if current != _encoded(file):
            stale.append(StaleFile(file, current is None, _diff(file, current or b"")))
    return stale


def _is_device(path: Path) -> bool:
    """Return whether `path` is something to write to, not to replace: /dev/null."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # what is wrong with it, the writing will tell
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _write_to_device(file: OutputFile) -> None:
    try:
        file.path.write_bytes(_encoded(file))
    except OSError as error:
        raise OutputError(file.path, error) from error


def _real_path(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except OSError as error:  # the current folder was removed
        raise OutputError(path, error) from error


def _encoded(file: OutputFile) -> bytes:
    return file.text.encode(errors="surrogateescape")  # a path may be any bytes


def _holds(path: Path, data: bytes) -> bool:
    """Return whether the file at `path` holds `data`, reading no more than that."""
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
    import difflib  # noqa: PLC0415 - what is written is compared by bytes

    old = current.decode(errors="replace").splitlines(keepends=True)
    new = file.text.splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, f"{file.path}", f"{file.path} (renewed)")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in lines
    )


def _write_beside(target: Path, file: OutputFile) -> Path:
    """Write a complete new file into the folder of `target`, with its permissions."""
    complete: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        complete = target.with_name(f".{target.name}.{os.urandom(6).hex()}")
        with complete.open("xb") as stream:
            stream.write(_encoded(file))
        complete.chmod(_mode(target))
    except OSError as error:
        if complete is not None:
            with contextlib.suppress(OSError):
                complete.unlink()
        raise OutputError(file.path, error) from error
    return complete


def _mode(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)  # the only way to learn it is to set it
        os.umask(mask)
        return 0o666 & ~mask


def _replace(complete: Path, target: Path) -> None:
    try:
        complete.replace(target)
    except OSError as error:
        raise OutputError(target, error) from error


_NOT_UNICODE: Final = re.compile("[\ud800-\udfff]")
"""What stands for the bytes of a path that are no UTF-8."""


def json_text(data: dict[str, Any]) -> str:
    """Return `data` as JSON, indented, on lines of its own."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return _NOT_UNICODE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"
