"""Completion of `passgen` command lines."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sysconfig
import time
from pathlib import Path

import pytest

from passgen.commands import COMMANDS
from tests.passgen.conftest import Run


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("passgen ", sorted(COMMANDS)),
        ("passgen li", ["lint", "list"]),
        ("passgen lo", []),  # a file
        ("passgen --exp", ["--expect-outputs"]),
        ("passgen a.yaml --te", ["--template-dir"]),
        ("passgen --target mark", ["markdown"]),
        ("passgen --target=mark", ["markdown"]),
        ("passgen watch --out", ["--outputs-file"]),
        ("passgen --complet", ["--completion"]),
        ("passgen --completion ", ["bash", "fish", "zsh"]),
        ("passgen lint --explain option-", ["option-undocumented"]),
        ("passgen drift --explain=pass-", None),
        ("passgen diff --format=s", ["sarif"]),
        ("passgen init --editor=z", ["zed"]),
        ("passgen new --color ", ["always", "auto", "never"]),
        ("passgen list --json a", []),
        ("passgen", sorted(COMMANDS)),
    ],
)
def test_completion(run: Run, line: str, completed: list[str] | None) -> None:
    code, out, err = run(f"--complete={line}")

    found = out.splitlines()[1:]
    assert (code, err) == (0, "")
    assert found == completed or (completed is None and found)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_completes_its_options(run: Run, command: str) -> None:
    _, out, _ = run(f"--complete=passgen {command} --")

    assert {"--help", "--color"} <= set(out.splitlines())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(run: Run, shell: str) -> None:
    code, out, _ = run(f"--completion={shell}")

    assert code == 0
    assert "--complete=" in out


@pytest.mark.process
def test_bash_completes_a_command(run: Run) -> None:
    _, script, _ = run("--completion=bash")
    primary, secondary = pty.openpty()
    bash = subprocess.Popen(
        [shutil.which("bash") or "bash", "--norc", "--noprofile", "-i"],
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        start_new_session=True,
        env={
            **os.environ,
            "PATH": f"{Path(sysconfig.get_path('scripts'))}:{os.environ['PATH']}",
            "PS1": "$ ",
        },
    )
    os.close(secondary)
    try:
        os.write(primary, script.encode())
        os.write(primary, b"clear\npassgen lint --expl\t")
        seen = b""
        end = time.monotonic() + 60
        while b"lint --explain" not in seen and time.monotonic() < end:
            seen += os.read(primary, 4096)
    finally:
        bash.kill()
        bash.wait()
        os.close(primary)

    assert b"lint --explain" in seen
