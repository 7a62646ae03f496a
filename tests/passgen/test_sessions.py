"""Calls of `passgen`, one after another, and what is printed: a folder each.

A folder of `sessions/` has files, the command lines in `commands`, and in `printed.txt`
what each of them prints, with its exit code, and the files that are new or other at
the end, the short ones with their texts.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.passgen.conftest import Run, files, without_long_lists

FOLDER = Path(__file__).with_name("sessions")
SESSIONS = sorted(path.name for path in FOLDER.iterdir())
COMMAND = re.compile(r"^passgen\b", re.MULTILINE)
SHORT = 1000  # bytes
# argparse lays it out otherwise in each version of Python.
USAGE = re.compile(r"^usage: passgen .*?\n(?=passgen[a-z ]*: error: )", re.DOTALL)


@pytest.mark.parametrize("session", SESSIONS)
def test_what_is_printed(
    session: str, run: Run, golden: Callable[[Path, str], None]
) -> None:
    shutil.copytree(FOLDER / session, ".", dirs_exist_ok=True)
    Path("printed.txt").unlink(missing_ok=True)
    before = {name: Path(name).read_bytes() for name in files()}
    printed = ""
    for command in COMMAND.split(Path("commands").read_text())[1:]:
        code, out, err = run(*shlex.split(command))
        messages = USAGE.sub("usage: ...\n", err)
        printed += f"$ passgen{command}{without_long_lists(out)}"
        messages = without_long_lists(messages.replace(str(Path.cwd()), "FOLDER"))
        printed += f"(messages)\n{messages}" if messages else ""
        printed += f"(exit code {code})\n\n"

    for name in files():
        data = Path(name).read_bytes()
        if data != before.get(name):
            text = data.decode() if len(data) < SHORT else ""
            printed += f"(file {name})\n{text}\n"
    golden(FOLDER / session / "printed.txt", printed.rstrip("\n") + "\n")
