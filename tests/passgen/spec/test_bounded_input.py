"""Inputs that are endless, too large, or no regular files."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from passgen import cli, source

SPEC = "passes: {CountOps: {argument: count-ops, summary: Count operations}}\n"
TOO_LARGE = "it is larger than 64 MiB, the limit of passgen"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(SPEC)


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("diff", "a.yaml"),
        ("drift",),
        ("format",),
        ("import",),
        ("lint",),
        ("list",),
        ("site", "-o", "site"),
    ],
    ids=" ".join,
)
def test_error_a_device_without_end(
    command: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*command, "/dev/zero"]) == 1
    assert capfd.readouterr() == ("", f"/dev/zero: error: {TOO_LARGE}\n")


@pytest.mark.parametrize("path", ["/dev/zero", "./a.pipe", "./a.socket"])
def test_error_an_include_that_is_no_regular_file(
    path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("a.yaml").write_text(f"include: [{path}]\n" + SPEC)
    os.mkfifo("a.pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("a.socket")

    assert cli.main(["list", "a.yaml"]) == 1
    assert capfd.readouterr().err == (
        f"a.yaml:1:11: error: cannot read '{path.removeprefix('./')}': "
        "it is not a regular file\n"
        f"include: [{path}]\n"
        f"          ^{'~' * (len(path) - 1)}\n"
    )


def test_error_an_include_that_is_too_large(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text("include: [b.yaml]\n" + SPEC)
    with Path("b.yaml").open("wb") as large:
        large.truncate(1 << 40)

    assert cli.main(["list", "a.yaml"]) == 1
    message = f"a.yaml:1:11: error: cannot read 'b.yaml': {TOO_LARGE}\n"
    assert capfd.readouterr().err.startswith(message)


def test_a_pipe_is_read_to_its_end(capfd: pytest.CaptureFixture[str]) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"name: Demo\n" + SPEC.encode())
    os.close(writing)

    assert cli.main(["list", f"/dev/fd/{reading}"]) == 0
    assert capfd.readouterr().err == ""
    os.close(reading)


@pytest.mark.process
def test_error_a_revision_that_is_too_large(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for arguments in (
        ("init", "-q"),
        ("add", "a.yaml"),
        ("-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "Declare"),
    ):
        command = ["git", *arguments]
        subprocess.run(command, check=True)
    monkeypatch.setattr(source, "_MAX_BYTES", len(SPEC) - 1)
    Path("a.yaml").write_text("passes: {A: {argument: a, summary: A}}\n")

    assert cli.main(["diff", "--against", "HEAD", "a.yaml"]) == 2
    assert capfd.readouterr() == ("", f"HEAD:./a.yaml: error: {TOO_LARGE}\n")


def test_an_output_that_grew_is_renewed_without_being_read() -> None:
    with Path("a_passes.py").open("wb") as grown:
        grown.truncate(1 << 40)

    assert cli.main(["--target", "python", "a.yaml"]) == 0
    assert Path("a_passes.py").stat().st_size < 10_000


def test_error_check_of_an_output_that_grew(capfd: pytest.CaptureFixture[str]) -> None:
    with Path("a_passes.py").open("wb") as grown:
        grown.truncate(1 << 40)

    assert cli.main(["--check", "--target", "python", "a.yaml"]) == 1
    assert capfd.readouterr() == ("", f"a_passes.py: error: {TOO_LARGE}\n")


def test_drift_reads_what_can_be_a_source() -> None:
    os.mkfifo("pipe.py")
    Path("broken.py").symlink_to("nowhere")
    Path("folder.py").mkdir()
    Path("latin.py").write_bytes(b"# caf\xe9\n")
    Path("count.py").write_text("class CountOps(CountOpsPassBase): ...\n")

    assert cli.main(["drift", "a.yaml"]) == 0
