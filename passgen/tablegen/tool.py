"""`llvm-tblgen`, which reads the TableGen language: found and run."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from passgen.diagnostics import UserError

if sys.platform == "linux":
    import resource

TOOL: Final = "llvm-tblgen"

_WHEEL: Final = Path("llvm", "bin", TOOL)
"""Its path below `site-packages` in the wheel with LLVM's tools."""

_MISSING_INCLUDE: Final = "could not find include file"

_MAX_MEMORY_BYTES: Final = 2**31
_MAX_DUMP_BYTES: Final = 2**28
"""What the tool may use where the system can bound it: `.td` files have loops."""

_MAX_SHOWN_BYTES: Final = 2**16
"""How much of the messages is shown: each of them repeats its line."""

_MAX_TIME_S: Final = 120

_MESSAGE: Final = re.compile(r":\d+:\d+: (?:error|warning|note|remark): ")
"""What stands in a message between its path and its text.

Below a message are the line, and a mark.
"""

_MARK: Final = re.compile(r"[ \t~]*\^[~ ]*")

_VERSIONED: Final = re.compile(r"llvm-tblgen-(\d+)")


class TablegenError(UserError):
    """The tool is missing, or refuses the file; the text says which."""


def find_tool() -> Path | None:
    """Return `llvm-tblgen`: of the environment, of the newest version, or on the path.

    An installation without a version in its name is often an old one.
    """
    installed = Path(sysconfig.get_path("platlib")) / _WHEEL
    if installed.is_file():
        return installed
    # Debian has its version in the name; the newest reads most files.
    found = {
        int(match[1]): path
        for folder in os.get_exec_path()
        for path in Path(folder).glob(f"{TOOL}-*")
        if (match := _VERSIONED.fullmatch(path.name))
    }
    if found:
        return found[max(found)]
    on_path = shutil.which(TOOL)
    return Path(on_path) if on_path else None


PASS_CLASSES: Final = Path("mlir", "Pass", "PassBase.td")
"""The file that every `Passes.td` includes."""


def find_headers(tool: Path | None) -> Path | None:
    """Return the include folder of an installed MLIR, that of `tool` first."""
    folders = [Path(sysconfig.get_path("platlib"), "mlir", "include")]
    if tool is not None:
        folders.insert(0, tool.resolve().parents[1] / "include")
    return next(
        (folder for folder in folders if (folder / PASS_CLASSES).is_file()), None
    )


def run_tool(file: Path, includes: Sequence[str], tool: Path | None = None) -> str:
    """Return the JSON dump of the records in `file`.

    Args:
        file: a `.td` file.
        includes: the folders to search for included files.
        tool: the `llvm-tblgen` to run instead of the one that is found.

    Raises:
        TablegenError: there is no tool, it refuses the file, or it takes too much
            memory or time.
    """
    command = tool or find_tool()
    if command is None:
        raise TablegenError(
            f"{file}: error: {TOOL} was not found, which reads TableGen\n"
            f"note: name it with --{TOOL}, or give the dump that '{TOOL} --dump-json' "
            "makes of the file"
        )
    arguments = [str(command), "--dump-json", str(file)]
    arguments += [f"-I{include}" for include in includes]
    with tempfile.TemporaryFile() as dump, tempfile.TemporaryFile() as messages:
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own tool
                arguments, stdout=dump, stderr=messages, stdin=subprocess.DEVNULL
            )
        except OSError as error:
            raise TablegenError(f"{command}: error: {error.strerror}") from error
        _set_limits(process.pid)
        try:
            process.wait(timeout=_MAX_TIME_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        messages.seek(0)
        text = messages.read(_MAX_SHOWN_BYTES).decode(errors="replace")
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        if process.returncode < 0:
            raise TablegenError(
                f"{file}: error: {TOOL} was ended by signal {-process.returncode}: it "
                f"may take {_MAX_TIME_S} s and {_MAX_MEMORY_BYTES // 2**20} MiB, "
                f"and print {_MAX_DUMP_BYTES // 2**20} MiB"
            )
        if process.returncode:
            text = _without_texts_of_others(text, [file.parent, *map(Path, includes)])
            if _MISSING_INCLUDE in text:
                text += (
                    "\nnote: 'passgen import -I DIR' names the folder with such files"
                )
            raise TablegenError(text)
        dump.seek(0)
        return dump.read().decode(errors="replace")


def _set_limits(pid: int) -> None:
    """Limit the resources of a process; Linux alone can do so from outside."""
    if sys.platform == "linux":
        for kind, bound in (
            (resource.RLIMIT_DATA, _MAX_MEMORY_BYTES),
            (resource.RLIMIT_FSIZE, _MAX_DUMP_BYTES),
            (resource.RLIMIT_CPU, _MAX_TIME_S),
        ):
            with contextlib.suppress(ProcessLookupError, ValueError):  # ended, or less
                resource.prlimit(pid, kind, (bound, bound))


def _without_texts_of_others(text: str, folders: Sequence[Path]) -> str:
    """Return messages without what files outside of `folders` contain.

    A `.td` file of others may include any file that can be read, and a message that
    shows its first line, or a word of it, may be read by anyone, as in the log of a
    build. The name of a file may look like a message: all places in a line must be in
    the folders.
    """
    inside = [folder.resolve() for folder in folders]
    shown: list[str] = []
    is_hidden = False
    for line in text.splitlines():
        if is_hidden:
            is_hidden = _MARK.fullmatch(line) is None
            continue
        for place in _MESSAGE.finditer(line):
            path = Path(line[: place.start()]).resolve()
            if not any(path.is_relative_to(folder) for folder in inside):
                is_hidden = True
                shown.append(f"{line[: place.end()]}the file is no TableGen")
                break
        else:
            shown.append(line)
    return "\n".join(shown)
