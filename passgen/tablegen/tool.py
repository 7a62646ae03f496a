"""`llvm-tblgen`, which reads the TableGen language: found and run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from passgen.diagnostics import UserError

TOOL: Final = "llvm-tblgen"

_WHEEL: Final = Path("llvm", "bin", TOOL)
"""Its path below `site-packages` in the wheel with LLVM's tools."""

_MISSING_INCLUDE: Final = "could not find include file"

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
        TablegenError: there is no tool, or it refuses the file.
    """
    command = tool or find_tool()
    if command is None:
        message = (
            f"{file}: error: {TOOL} was not found, which reads TableGen\n"
            f"note: name it with --{TOOL}, or give the dump that '{TOOL} --dump-json' "
            "makes of the file"
        )
        raise TablegenError(message)
    arguments = [str(command), "--dump-json", str(file)]
    arguments += [f"-I{include}" for include in includes]
    try:
        done = subprocess.run(  # noqa: S603 - the user's own tool
            arguments, capture_output=True, check=False
        )
    except OSError as error:
        message = f"{command}: error: {error.strerror}"
        raise TablegenError(message) from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").rstrip("\n")
        if _MISSING_INCLUDE in said:
            said += "\nnote: 'passgen import -I DIR' names the folder with such files"
        raise TablegenError(said)
    return done.stdout.decode(errors="replace")
