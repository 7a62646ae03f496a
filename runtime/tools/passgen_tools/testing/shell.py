"""RUN lines in bash, with the programs of a project on its `PATH`.

They are files, not functions of bash: other programs, such as `env`, `timeout` and
`xargs`, start them too.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Final

import pytest

from passgen_tools.python_programs import python_path, words_of_program
from passgen_tools.testing.checkers import CHECKERS
from passgen_tools.testing.commands import FILE_TEXT, NeedsShell, unquote
from passgen_tools.testing.lit_test import RunLine

_SETTINGS: Final = """\
set -o pipefail
command_not_found_handle() {
    builtin echo "$1: command not found" >>"$failures"
    return 127
}
text_of_file() {
    cat -- "$1" 2>/dev/null && return
    builtin echo "cannot read '$1' for %{readfile:$1}" >>"$failures"
}
"""
_PIECE: Final = re.compile(
    rf"""\\.|{FILE_TEXT.pattern}|'[^']*'|"(?:[^"\\]|\\.)*\"""",
    re.DOTALL,
)


def run_in_shell(
    run: RunLine,
    command: str,
    programs: Mapping[str, str],
    needs_shell: NeedsShell,
    *,
    updates: bool,
) -> None:
    """Run the command of a RUN line in bash.

    Args:
        run: the line.
        command: with values in place of substitutions.
        programs: the function of each program, by name.
        needs_shell: why the command needs a shell.
        updates: whether CHECK lines should be renewed.

    Raises:
        Failed: the command failed, or a program of it could not be run.
    """
    with tempfile.TemporaryDirectory(prefix="mlir-programs-") as name:
        failures = Path(name) / "failures"
        failures.touch()
        commands = Path(name) / "bin"
        _write_programs(commands, programs, failures)
        functions = "".join(
            f'{each}() {{ {shlex.quote(str(commands / _file_name(each)))} "$@"; }}\n'
            for each in programs  # bash prefers its own `echo` to a file on its PATH
        )
        script = (
            f"failures={shlex.quote(str(failures))}\n{_SETTINGS}{functions}\n"
            f"{_with_file_texts(command)}\n"
        )
        folders = [str(commands), os.environ.get("PATH", "")]
        folder_of_python = str(Path(sys.executable).parent)
        if folder_of_python not in folders[1].split(os.pathsep):
            folders.insert(1, folder_of_python)
        path = os.pathsep.join(folders)
        done = subprocess.run(  # noqa: S603 - the test's own command
            ("bash", "-c", script),  # noqa: S607 - the user's bash
            env={**os.environ, "PATH": path, "PYTHONPATH": python_path()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
        failed = failures.read_text(encoding="utf-8")
    if done.returncode == 0 and not failed:
        return
    code = f"failed in bash with exit code {done.returncode}"
    parts = [
        f"{run.place} '{command}' {code}",
        failed,
        done.stderr,
        done.stdout,
    ]
    parts = [part.rstrip() for part in parts if part.strip()]
    if "command not found" in failed:
        parts.append("note: pytest.ini names programs of the project: `mlir_tools`")
    elif updates and any(checker in command for checker in CHECKERS):
        parts.append(
            "note: CHECK lines are not renewed for a RUN line that needs bash: "
            f"{needs_shell.reason}"
        )
    else:
        parts.append(f"note: bash runs this line: {needs_shell.reason}")
    pytest.fail("\n".join(parts), pytrace=False)


def _write_programs(folder: Path, programs: Mapping[str, str], failures: Path) -> None:
    """Write a program for each function, and those that are known to all tests."""
    python = shlex.quote(sys.executable)
    modules = shlex.quote(python_path())
    # `env` may have changed or removed what bash was given.
    find_modules = f'export PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}"{modules}\n'
    texts = dict.fromkeys(CHECKERS, f'{find_modules}exec {python} -m filecheck "$@"\n')
    for name, place in programs.items():
        words = shlex.join(words_of_program(place, str(failures)))
        texts[name] = f'{find_modules}exec {words} "$@"\n'
    read = resources.files(__package__).joinpath("not.sh").read_text(encoding="utf-8")
    texts["not"] = f"failures={shlex.quote(str(failures))}\n{read}"
    folder.mkdir()
    for name, text in texts.items():
        path = folder / _file_name(name)
        path.write_text(f"#!/bin/sh\n{text}", encoding="utf-8")
        path.chmod(0o755)


def _file_name(program: str) -> str:
    """Return the name of the file of a program, whose own name may be a path."""
    return program.replace("/", ":")


def _with_file_texts(command: str) -> str:
    """Return a command that reads the files of `%{readfile:...}`, each as one word."""

    def read(piece: re.Match[str]) -> str:
        text = piece[0]
        if text.startswith("'"):
            return FILE_TEXT.sub(lambda file: f"'\"{call(file[1])}\"'", text)
        if text.startswith('"'):
            return FILE_TEXT.sub(lambda file: call(file[1]), text)
        file = FILE_TEXT.fullmatch(text)
        return f'"{call(unquote(file[1]))}"' if file else text

    def call(path: str) -> str:
        return f"$(text_of_file {shlex.quote(path)})"

    return _PIECE.sub(read, command)
