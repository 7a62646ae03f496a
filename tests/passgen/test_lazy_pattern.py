"""A lazy pattern is one of `re`'s, compiled when it is first used."""

import re

import pytest

from passgen.lazy_pattern import lazy_pattern


def test_it_matches_as_a_compiled_one() -> None:
    word = lazy_pattern(r"(?P<first>[a-z])\w*", re.IGNORECASE)

    for _ in range(2):
        assert [found["first"] for found in word.finditer("Ab cd")] == ["A", "c"]
        assert word.sub("x", "Ab cd") == "x x"
        assert word.fullmatch("Ab cd") is None


def test_bytes() -> None:
    assert lazy_pattern(rb"\d+").findall(b"1 23") == [b"1", b"23"]


def test_it_is_compiled_on_first_use_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def noted(text: str, flags: re.RegexFlag) -> re.Pattern[str]:
        compiled.append(text)
        return real(text, flags)

    monkeypatch.setattr(re, "compile", noted)
    word = lazy_pattern("a+")

    assert word.pattern == "a+"
    assert compiled == []
    word.match("a")
    word.match("b")
    assert compiled == ["a+"]


def test_what_a_pattern_does_not_have() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        lazy_pattern("a").nothing  # type: ignore[attr-defined]  # noqa: B018 - the test
