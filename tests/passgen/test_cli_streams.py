"""Standard output and error of the process: closed, full, a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.start]

SPEC = "passes:\n  CountOps: {argument: count-ops, summary: Count operations}\n"
WRONG = "passes:\n  CountOps: {argument: count-ops}\n"
COMMAND = ["passgen"]


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


def test_error_standard_error_is_closed_by_its_reader(tmp_path: Path) -> None:
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
    with Path("/dev/full").open("w") as full:
        result = process(
            "--target",
            "python",
            "-o",
            "-",
            "a.yaml",
            folder=tmp_path,
            stdout=full.fileno(),
        )

    assert result == (1, "standard output: error: no space left on device\n")


@pytest.mark.parametrize(
    ("spec", "arguments", "stream", "shown"),
    [
        (WRONG, (), "stderr", "a.yaml:2:3: \x1b[1;31merror:\x1b[0m "),
        (SPEC, ("lint",), "stdout", "a.yaml:1:1: \x1b[1;36mnote:\x1b[0m group 'A' has"),
        (SPEC, ("lint",), "stdout", "a.yaml:2:3: \x1b[1;35mwarning:\x1b[0m pass "),
    ],
    ids=["error", "note", "warning"],
)
def test_color_on_a_terminal(
    tmp_path: Path, spec: str, arguments: tuple[str, ...], stream: str, shown: str
) -> None:
    (tmp_path / "a.yaml").write_text(spec)
    terminal, end = pty.openpty()
    subprocess.run(
        [*COMMAND, *arguments, "a.yaml"],
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": ""},
        check=False,
        **{stream: end},  # type: ignore[call-overload] # one of its parameters
    )
    os.close(end)
    text = os.read(terminal, 10_000).decode()
    os.close(terminal)

    assert shown in text


HOSTILE = """\
passes:
  CountOps: {argument: count-ops, summary: "a\\e[31mb\\u009b\\u202e"}
  "A\\e]0;b\\a": {argument: b}
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("a.yaml",),
        ("lint", "a.yaml"),
        ("list", "a.yaml"),
        ("list", "good.yaml"),
        ("list", "--json", "good.yaml"),
        ("diff", "good.yaml", "other.yaml"),
        ("drift", "a.yaml"),
        ("--check", "--target=cpp", "good.yaml"),
        ("--target=cpp", "-o", "-", "good.yaml"),
        ("format", "\x1b[31m.yaml"),
        ("\x1b[31m",),
        ("--\x1b[31m",),
        ("lint", "--explain", "\x1b[31m"),
    ],
    ids=" ".join,
)
def test_control_characters_reach_a_terminal_escaped(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "a.yaml").write_text(HOSTILE)
    good = "".join(HOSTILE.splitlines(keepends=True)[:2])
    (tmp_path / "good.yaml").write_text(good)
    (tmp_path / "other.yaml").write_text(good.replace("31m", "32m"))
    (tmp_path / "\x1b[31m.yaml").write_text("passes:\n    A: {argument: b}\n")
    terminal, end = pty.openpty()
    subprocess.run(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        env={**os.environ, "TERM": "dumb"},
        stdout=end,
        stderr=end,
        check=False,
    )
    os.close(end)
    shown = os.read(terminal, 100_000).decode()
    os.close(terminal)

    assert shown
    assert not re.search("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", shown), shown


def test_output_for_a_program_keeps_control_characters(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(HOSTILE.replace("  ", "    "))
    done = subprocess.run(
        [*COMMAND, "list", "--json", "-"],
        input=b'passes: {A: {argument: a, summary: "\\x7f"}}',
        capture_output=True,
        check=True,
    )

    assert b'"summary": "\x7f"' in done.stdout


@pytest.mark.parametrize("arguments", [("a.yaml",), ("--no-such-flag",), ("list",)])
def test_messages_go_nowhere_if_standard_error_is_closed(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "a.yaml").write_text(WRONG)
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" 2>&-', "sh", *COMMAND, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        check=False,
    )

    assert done.stdout == b""
    assert done.returncode == (1 if "a.yaml" in arguments else 2)
