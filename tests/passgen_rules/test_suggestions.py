"""The nearest valid name."""

from __future__ import annotations

import pytest

from passgen_rules.suggestions import nearest_name


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("sumary", "summary"), ("NAME", "name"), ("zzz", None), ("", None)],
)
def test_the_nearest_name(name: str, nearest: str | None) -> None:
    assert nearest_name(name, ["summary", "name"]) == nearest
