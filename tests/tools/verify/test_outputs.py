"""What `passgen-verify` writes: a page, known verdicts, rows of JSON."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, get_args

import pytest

from passgen_rules.code_colors import css_variables
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.patterns import RewritePattern
from passgen_tools.verify import main, verdict_page
from passgen_tools.verify.judgements import Verdict
from tests.pattern_cases import pass_of

RIGHT: Final = RewritePattern(
    name="right",
    summary="Sums <of equals>",
    before="%0 = arith.addi %x, %x : i8",
    after="%c = arith.constant 1 : i8\n%0 = arith.shli %x, %c : i8",
    file="sums.yaml",
    line=7,
)
WRONG: Final = RewritePattern(
    name="wrong",
    before="%0 = arith.subi %x, %y : i8",
    after="%0 = arith.xori %x, %y : i8",
)
FLOATS: Final = RewritePattern(
    name="floats",
    before="%0 = arith.addf %x, %y : f32",
    after="%0 = arith.mulf %x, %y : f32",
)


def registry_with(*patterns: RewritePattern) -> PassRegistry:
    registry = PassRegistry()
    registry.register_pass(pass_of(*patterns))
    return registry


# The page


class _Texts(HTMLParser):
    """Collects the texts of a page, and the names of its tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data.strip())


def test_the_page_shows_each_pattern_with_place_verdict_and_reason(
    tmp_path: Path,
) -> None:
    page = tmp_path / "verdicts.html"

    assert main([f"--html={page}"], registry=registry_with(RIGHT, WRONG, FLOATS)) == 1

    found = _Texts(page.read_text(encoding="utf-8"))
    texts = found.texts
    row = texts[texts.index("right") :]
    assert row[1:4] == ["Sums <of equals>", "sums.yaml:7", "proved: i8"]
    assert re.fullmatch(r"\d+\.\d\d s", row[4])
    assert texts[texts.index("wrong") + 2] == "wrong: i8"
    assert any(text.startswith("%0 = arith.constant ") for text in texts)
    assert "the type 'f32' has no semantics" in texts
    assert any(
        text.startswith("patterns: 3, proved: 1, not checked: 1, wrong: 1, ")
        for text in texts
    )


def test_the_page_runs_and_loads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.html"
    main([f"--html={path}"], registry=registry_with(RIGHT))
    page = path.read_text(encoding="utf-8")

    style = page.split("<style>")[1].split("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in page
    assert _Texts(page).tags.isdisjoint({"script", "link", "img", "iframe"})
    assert "style=" not in page


def test_the_page_has_the_colours_of_reports(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.html"
    main([f"--html={path}"], registry=registry_with(RIGHT))

    assert f"<style>{css_variables()}" in path.read_text(encoding="utf-8")


def test_each_verdict_has_a_rank() -> None:
    assert sorted(verdict_page.MOST_SERIOUS) == sorted(get_args(Verdict))


# Known verdicts


def test_what_is_known_does_not_fail(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    registry = registry_with(WRONG, FLOATS)

    assert main([f"--write-known={known}"], registry=registry) == 0
    assert main([f"--known={known}"], registry=registry) == 0
    assert json.loads(known.read_text()) == [
        {"pass": "example", "pattern": "floats", "verdict": "not-checked"},
        {"pass": "example", "pattern": "wrong", "verdict": "wrong", "types": "i8"},
    ]


def test_news_fail_and_what_is_no_longer_so_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "known.json"
    main([f"--write-known={known}"], registry=registry_with(FLOATS))
    capsys.readouterr()

    assert main([f"--known={known}"], registry=registry_with(WRONG)) == 1

    assert capsys.readouterr().err == (
        "passgen-verify: no longer: example: floats: not checked\n"
        "passgen-verify: new: example: wrong: wrong: i8\n"
    )


def test_verdicts_about_other_passes_are_kept_silently(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "known.json"
    known.write_text('[{"pass": "other", "pattern": "a", "verdict": "unknown"}]')

    assert main([f"--known={known}"], registry=registry_with(RIGHT)) == 0

    assert not capsys.readouterr().err


def test_without_news_what_is_no_longer_so_does_not_fail(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    main([f"--write-known={known}"], registry=registry_with(WRONG))

    assert main([f"--known={known}"], registry=registry_with(RIGHT)) == 0


def test_known_verdicts_are_those_to_fail_for(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    flags = [f"--write-known={known}", "--fail-on=not-checked"]

    assert main(flags, registry=registry_with(WRONG)) == 0

    assert json.loads(known.read_text()) == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot read"),
        ("[", "is no JSON"),
        ("{}", "expected a list of verdicts"),
        ("[1]", "row 1: expected 'pass', 'pattern' and 'verdict'"),
        ('[{"pass": "a", "verdict": "wrong"}]', "row 1: expected 'pass', 'pattern'"),
        ('[{"pass": "a", "pattern": "b", "verdict": 1}]', "row 1: expected strings"),
        (
            '[{"pass": "a", "pattern": "b", "verdict": "wrongly"}]',
            "row 1: verdict 'wrongly', expected one of proved",
        ),
    ],
)
def test_a_file_that_has_no_verdicts_is_an_error(
    content: str | None,
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    known = tmp_path / "known.json"
    if content is not None:
        known.write_text(content)

    assert main([f"--known={known}"], registry=registry_with(RIGHT)) == 2

    assert problem in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["html", "write-known", "write-test"])
def test_a_file_that_cannot_be_written_is_an_error(
    flag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "missing" / "file"

    assert main([f"--{flag}={path}"], registry=registry_with(RIGHT)) == 2

    assert f"cannot write '{path}'" in capsys.readouterr().err


# Tests of counterexamples


def test_the_run_line_has_the_flags_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "wrong.mlir"

    main([f"--write-test={path}", "example"], registry=registry_with(WRONG))

    first_line = path.read_text().splitlines()[0]
    assert first_line == "// RUN: passgen-opt %s --example --cse | filecheck %s"


def test_the_run_line_may_be_given(tmp_path: Path) -> None:
    path = tmp_path / "wrong.mlir"
    command = "mlir-opt %s --canonicalize"

    flags = [f"--write-test={path}", f"--test-command={command}"]
    main(flags, registry=registry_with(WRONG))

    assert path.read_text().splitlines()[0] == f"// RUN: {command} | filecheck %s"
