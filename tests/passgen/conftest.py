"""`passgen` as tests run it: in their own process and in a folder of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from passgen import cli
from tests.passgen.findings.compared_versions import OLD

Run: TypeAlias = Callable[..., tuple[int, str, str]]

_LONG_LIST: Final = re.compile(r"(?<=valid )(keys|values): (\w+, ){9,}\w+")
"""The list of all keys of a part of a spec, or of all types of options."""


def without_long_lists(messages: str) -> str:
    """Return messages without lists that change with each new key or type."""
    return _LONG_LIST.sub(r"\1: ...", messages)


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run `passgen` in an empty folder; return exit code, output and messages."""
    monkeypatch.chdir(tmp_path)

    def run_in_folder(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_in_folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with `old.yaml`, which `passgen diff` compares."""
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text(OLD)
    return tmp_path


def files() -> list[str]:
    """Return the paths of all files below the current folder."""
    return sorted(path.as_posix() for path in Path().rglob("*") if path.is_file())
