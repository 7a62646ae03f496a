"""`--diagnostics-format=json` and `--json`: what scripts read of a driver."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from passgen_tools import opt

FUNCTION = "func.func @f(%x: i32) -> i32 {\n  return %x : i32\n}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.mlir").write_text(FUNCTION)
    return tmp_path


def diagnostics(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


JSON = "--diagnostics-format=json"


@pytest.mark.parametrize(
    ("text", "flags", "expected"),
    [
        pytest.param(
            FUNCTION.replace("%x : i32\n}", "%y : i32\n}"),
            [],
            ("error", "a.mlir", 2, 10),
            id="the input",
        ),
        pytest.param(
            FUNCTION,
            ["--pass-pipeline=builtin.module(csee)"],
            ("error", "pass-pipeline", 1, 16),
            id="the pipeline",
        ),
        pytest.param(
            FUNCTION, ["--no-such-pass"], ("error", None, None, None), id="usage"
        ),
        pytest.param(
            "// expected-error {{x}}\n",
            ["--verify-diagnostics"],
            ("error", "a.mlir", 1, 4),
            id="a comment that expects an error",
        ),
    ],
)
def test_a_diagnostic_is_an_object(
    text: str,
    flags: list[str],
    expected: tuple[object, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.mlir").write_text(text)

    assert opt.main(["a.mlir", JSON, *flags]) != 0

    found, *_ = diagnostics(capsys)
    keys = "severity", "file", "line", "column"
    assert tuple(found[key] for key in keys) == expected
    assert found["message"]


def test_notes_are_those_of_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert opt.main(["a.mlir", JSON, "--pass-pipeline=builtin.module(csee)"]) == 1

    [found] = diagnostics(capsys)
    assert [note["message"] for note in found["notes"]] == ["did you mean 'cse'?"]


def test_passes_are_listed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert opt.main(["--list-passes", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    by_name = {each["argument"]: each for each in found["passes"]}
    assert by_name["cse"]["isImplemented"]
    assert by_name["cse"]["summary"]
    assert {each["argument"] for each in found["pipelines"]} >= {"affine-optimize"}


def test_a_pass_is_described_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert opt.main(["--help-pass=affine-loop-unroll", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    options = {each["argument"]: each for each in found["options"]}
    assert found["interface"] == "FunctionOpInterface"
    assert options["unroll-factor"]["type"] == "int64"
    assert options["unroll-factor"]["default"] == "4"
    assert found["definedBy"].startswith("passgen_runtime.passes.")


def test_json_without_a_question_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert opt.main(["a.mlir", "--json"]) == 2
    assert "--json is for --list-passes and --help-pass" in capsys.readouterr().err
