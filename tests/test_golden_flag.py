"""The fixture `golden`, on which other tests rely, tested by running pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

CONFTEST = Path(__file__).with_name("conftest.py")

TEST = """
from pathlib import Path

def test_text(golden):
    golden(Path(__file__).with_name("text.txt"), "one\\ntwo\\n")
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_bytes(CONFTEST.read_bytes())
    (folder / "test_text.py").write_text(TEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_equal_text_passes(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("one\ntwo\n")

    assert run(tmp_path).returncode == 0


def test_mismatch_shows_diff_and_command_and_changes_nothing(tmp_path: Path) -> None:
    expectation = tmp_path / "text.txt"
    expectation.write_text("one\nthree\n")
    result = run(tmp_path)

    assert result.returncode == 1
    assert (
        "--- text.txt (expected)\n"
        "+++ text.txt (actual)\n"
        "@@ -1,2 +1,2 @@\n"
        " one\n"
        "-three\n"
        "+two\n"
        "\n"
        "To renew: pytest --update-golden 'test_text.py::test_text'\n"
    ) in result.stdout
    assert expectation.read_text() == "one\nthree\n"


def test_missing_expectation_fails_and_is_not_made(tmp_path: Path) -> None:
    assert run(tmp_path).returncode == 1
    assert not (tmp_path / "text.txt").exists()


def test_line_ends_are_compared(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_bytes(b"one\r\ntwo\r\n")
    result = run(tmp_path)

    assert result.returncode == 1
    assert "the files differ in their line ends only" in result.stdout


def test_flag_rewrites_and_makes_expectations(tmp_path: Path) -> None:
    expectation = tmp_path / "text.txt"

    assert run(tmp_path, "--update-golden").returncode == 0
    assert expectation.read_bytes() == b"one\ntwo\n"

    expectation.write_text("old\n")

    assert run(tmp_path, "--update-golden").returncode == 0
    assert expectation.read_bytes() == b"one\ntwo\n"


def test_flag_leaves_a_right_expectation_alone(tmp_path: Path) -> None:
    expectation = tmp_path / "text.txt"
    expectation.write_text("one\ntwo\n")
    before = expectation.stat().st_mtime_ns
    run(tmp_path, "--update-golden")

    assert expectation.stat().st_mtime_ns == before
