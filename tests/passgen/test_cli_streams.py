"""Standard output and error of the process: closed, full, a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

SPEC = "passes:\n  CountOps: {argument: count-ops, summary: Count operations}\n"
WRONG = "passes:\n  CountOps: {summary: Count operations}\n"
COMMAND = [sys.executable, "-m", "passgen.cli"]


def process(
    *arguments: str, folder: Path, stdout: int = subprocess.PIPE
) -> tuple[int, str]:
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "arguments", [("a.yaml",), ("--target", "python", "-o", "-", "a.yaml"), ("--help",)]
)
def test_error_standard_output_is_closed_by_its_reader(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "a.yaml").write_text(SPEC)
    reader, writer = os.pipe()
    os.close(reader)

    result = process(*arguments, folder=tmp_path, stdout=writer)
    os.close(writer)
    assert result == (
        1,
        "passgen: error: standard output was closed before everything was written\n",
    )


def test_a_diff_that_is_not_read_to_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("description: |\n" + "  text\n" * 20_000 + SPEC)
    with subprocess.Popen(
        [*COMMAND, "--check", "a.yaml"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        first = running.stdout.readline()
        running.stdout.close()
        message = running.stderr.read()

    assert first == "--- a_passes.py\n"
    assert (running.returncode, message) == (
        1,
        "passgen: error: standard output was closed before everything was written\n",
    )


def test_the_messages_may_be_closed_by_their_reader(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(WRONG)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, "a.yaml"], cwd=tmp_path, stdout=writer, stderr=writer, check=False
    )
    os.close(writer)

    assert done.returncode == 1


def test_error_standard_output_is_full(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SPEC)
    arguments = ("--target", "python", "-o", "-", "a.yaml")
    with Path("/dev/full").open("w") as full:
        result = process(*arguments, folder=tmp_path, stdout=full.fileno())

    assert result == (1, "standard output: error: no space left on device\n")


def on_a_terminal(
    folder: Path, *arguments: str, stream: str = "stderr", **environment: str
) -> str:
    """Return what `passgen` writes to a terminal, which is its `stream`."""
    terminal, end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment}
    out, err = (end, None) if stream == "stdout" else (None, end)
    command = [*COMMAND, *arguments]
    subprocess.run(
        command, cwd=folder, env=environment, stdout=out, stderr=err, check=False
    )
    os.close(end)
    text = os.read(terminal, 10_000).decode()
    os.close(terminal)
    return text


def test_color_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(WRONG)
    text = on_a_terminal(tmp_path, "a.yaml")

    assert "a.yaml:2:3: \x1b[1;31merror:\x1b[0m " in text


def test_reports_are_in_color_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SPEC)
    text = on_a_terminal(tmp_path, "lint", "a.yaml", stream="stdout")

    assert "a.yaml:2:3: \x1b[1;35mwarning:\x1b[0m pass 'count-ops' has " in text
    assert "a.yaml:1:1: \x1b[1;36mnote:\x1b[0m group 'A' has no summary" in text


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_color_where_it_is_not_wanted(
    tmp_path: Path, variable: dict[str, str]
) -> None:
    (tmp_path / "a.yaml").write_text(WRONG)
    text = on_a_terminal(tmp_path, "a.yaml", **variable)

    assert text.startswith("a.yaml:2:3: error: ")
    assert "\x1b" not in text
