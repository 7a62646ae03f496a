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


@pytest.mark.parametrize(
    ("name", "nearest"), [("ab", "aB"), ("AB", "AB"), ("abb", "aB")]
)
def test_of_names_that_differ_in_case_the_nearest(name: str, nearest: str) -> None:
    assert nearest_name(name, ["aB", "AB", "zz"]) == nearest
