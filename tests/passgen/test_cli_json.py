"""`--diagnostics-format=json` and `--json`: what scripts read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.passgen.conftest import Run

WRONG = "passes:\n  Tile: {summary: Tile, sumary: x}\n"


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    "words",
    [
        ["--diagnostics-format=json", "a.yaml"],
        ["a.yaml", "--diagnostics-format", "json"],
        ["--color=always", "--diagnostics-format=json", "list", "a.yaml"],
    ],
    ids=" ".join,
)
def test_an_error_in_a_spec_is_one_object(run: Run, words: list[str]) -> None:
    Path("a.yaml").write_text(WRONG)

    code, out, err = run(*words)

    assert (code, out) == (1, "")
    [found] = objects(err)
    place = {key: found[key] for key in ("severity", "file", "line", "column")}
    expected = {"severity": "error", "file": "a.yaml", "line": 2, "column": 25}
    assert place == expected
    assert "'sumary'" in found["message"]
    assert "did you mean 'summary'?" in {note["message"] for note in found["notes"]}


def test_each_error_has_its_line(run: Run) -> None:
    Path("a.yaml").write_text(WRONG)

    code, _, err = run("--diagnostics-format=json", "a.yaml", "none.yaml")

    assert code == 1
    assert [found["file"] for found in objects(err)] == ["a.yaml", "none.yaml"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["list"], "the following arguments are required: SPEC"),
        (["new", "a"], "NAME: found 'a', expected a name in PascalCase, such as "),
        (["--diagnostics-format=json", "--nam"], "unrecognized arguments: --nam"),
    ],
)
def test_wrong_usage_is_an_object_without_the_usage(
    run: Run, words: list[str], message: str
) -> None:
    code, out, err = run(*words, "--diagnostics-format=json")

    assert (code, out) == (2, "")
    [found] = objects(err)
    assert (found["severity"], found["file"]) == ("error", None)
    assert message in found["message"]


def test_another_format_is_refused(run: Run) -> None:
    code, _, err = run("--diagnostics-format=xml", "a.yaml")

    assert code == 2
    assert "invalid choice: 'xml'" in err


SPEC = "passes:\n    Tile: {summary: Tile loops}\n"


def test_list_has_the_right_specs_and_the_errors_in_others(run: Run) -> None:
    Path("a.yaml").write_text(WRONG)
    Path("b.yaml").write_text(SPEC)

    code, out, err = run("list", "--json", "a.yaml", "b.yaml", "none.yaml")

    assert (code, err) == (1, "")
    found = json.loads(out)
    assert [group["spec"] for group in found["groups"]] == ["b.yaml"]
    places = [(each["file"], each["line"]) for each in found["diagnostics"]]
    assert places == [("a.yaml", 2), ("none.yaml", None)]


@pytest.mark.parametrize("flags", [[], ["--check"]], ids=["write", "check"])
def test_format_names_what_differs(run: Run, flags: list[str]) -> None:
    Path("a.yaml").write_text(SPEC)
    Path("b.yaml").write_text("passes: [")

    code, out, err = run("format", "--json", *flags, "a.yaml", "b.yaml")

    assert (code, err) == (1, "")
    found = json.loads(out)
    [file] = found["files"]
    assert (file["file"], file["isNormal"]) == ("a.yaml", False)
    assert file["diff"].startswith("--- a.yaml\n")
    assert (Path("a.yaml").read_text() == SPEC) is bool(flags)
    assert [each["file"] for each in found["diagnostics"]] == ["b.yaml"]


def test_format_of_a_normal_spec_succeeds(run: Run) -> None:
    Path("a.yaml").write_text(SPEC)
    run("format", "a.yaml")

    code, out, _ = run("format", "--json", "--check", "a.yaml")

    normal = {"file": "a.yaml", "isNormal": True, "diff": ""}
    assert (code, json.loads(out)) == (0, {"files": [normal]})


def test_what_to_do_next_is_one_note(run: Run) -> None:
    code, _, err = run("new", "Tile", "--diagnostics-format=json")

    [found] = objects(err)
    assert (code, found["severity"]) == (0, "note")
    assert found["message"].startswith("next:\n    pytest\n")
