"""The fixture `golden`, and the flag that rewrites what it compares with."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the expectations that tests compare with; read the diff after",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a file, or rewrite the file under `--update-golden`."""
    command = f"pytest --update-golden '{request.node.nodeid}'"
    update = request.config.getoption("--update-golden")

    def compare(path: Path, actual: str) -> None:
        expected = path.read_bytes().decode("utf-8") if path.exists() else ""
        if path.exists() and actual == expected:
            return
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(actual.encode("utf-8"))
            return
        name = path.relative_to(request.config.rootpath)
        diff = difflib.unified_diff(
            expected.splitlines(),
            actual.splitlines(),
            f"{name} (expected)",
            f"{name} (actual)",
            lineterm="",
        )
        text = "\n".join(diff) or "the files differ in their line ends only"
        pytest.fail(f"{text}\n\nTo renew: {command}", pytrace=False)

    return compare
