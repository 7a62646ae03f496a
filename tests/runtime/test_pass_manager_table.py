"""The table of promises and tests names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "pass-manager-tests.md"


def test_every_test_that_the_table_names_exists() -> None:
    known: set[str] = set()
    missing: list[str] = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        files = re.findall(r"`(tests/[\w/]+\.py)`", line)
        here = {name for file in files for name in defined_in(ROOT / file)}
        if line.startswith("## "):
            known = here
        names = re.findall(r"`(test_\w+)`", line)
        missing += [name for name in names if name not in known | here]
    assert missing == []


def test_every_promise_has_a_test() -> None:
    rows = [
        line
        for line in TABLE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and "shown by" not in line
    ]
    assert len(rows) > 40
    assert [row for row in rows if "`test_" not in row] == []


def defined_in(path: Path) -> set[str]:
    return set(
        re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    )
