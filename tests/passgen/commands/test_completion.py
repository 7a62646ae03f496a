"""Completion of `passgen` command lines."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from passgen.commands import COMMANDS
from tests.passgen.conftest import Run


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_completes_its_options(run: Run, command: str) -> None:
    _, out, _ = run(f"--complete=passgen {command} --")

    assert {"--help", "--color"} <= set(out.splitlines())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(run: Run, shell: str) -> None:
    code, out, _ = run(f"--completion={shell}")

    assert code == 0
    assert "--complete=" in out


COMPLETE = """\
COMP_LINE='passgen lint --expl'
COMP_POINT=${#COMP_LINE}
_passgen passgen --expl lint
echo "${COMPREPLY[@]}"
"""


@pytest.mark.process
@pytest.mark.start
def test_bash_completes_a_command(run: Run) -> None:
    _, script, _ = run("--completion=bash")
    done = subprocess.run(
        [shutil.which("bash") or "bash", "--norc", "-c", f"{script}{COMPLETE}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "--explain\n"), done.stderr
