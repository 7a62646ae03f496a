"""`passgen import`: its arguments, its messages, its exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from passgen import cli

OPTION = {
    "!anonymous": True,
    "!locs": ["Passes.td:4"],
    "!name": "anonymous_0",
    "!superclasses": ["Option"],
    "additionalOptFlags": "",
    "argument": "count",
    "cppName": "count",
    "defaultValue": "1",
    "description": "How many.",
    "type": "unsigned",
}
PASS = {
    "!anonymous": False,
    "!locs": ["Passes.td:3"],
    "!name": "CountOps",
    "!superclasses": ["PassBase", "Pass"],
    "argument": "count-ops",
    "baseClass": "::mlir::OperationPass<>",
    "constructor": "",
    "dependentDialects": [],
    "description": "",
    "options": [{"def": "anonymous_0", "kind": "def", "printable": "anonymous_0"}],
    "statistics": [],
    "summary": "Count operations",
}


def dump(**fields: object) -> str:
    data = {
        "!instanceof": {"PassBase": ["CountOps"], "Option": ["anonymous_0"]},
        "CountOps": {**PASS, **fields},
        "anonymous_0": OPTION,
    }
    return json.dumps(data)


SPEC = """\
# Imported from p.json by passgen.
passes:
  CountOps:
    argument: count-ops
    summary: Count operations
    options:
      - name: count
        argument: count
        type: uint32
        default: 1
        description: How many.
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*argv: str) -> int:
    return cli.main(["import", *argv])


def test_a_dump_is_printed_as_a_spec(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    Path("p.json").write_text(dump())

    assert run("p.json") == 0
    assert capfdbinary.readouterr() == (SPEC.encode(), b"")


def test_a_spec_is_written_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.json").write_text(dump())

    assert run("p.json", "-o", "new/passes.yaml") == 0
    assert capsys.readouterr() == (f"{Path('new/passes.yaml')}\n", "")
    assert Path("new/passes.yaml").read_text() == SPEC


def test_the_group_can_be_named() -> None:
    Path("p.json").write_text(dump())

    assert run("p.json", "--name", "Counting", "-o", "p.yaml") == 0
    assert "\nname: Counting\n" in Path("p.yaml").read_text()


def test_what_a_spec_cannot_say_names_record_and_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    dag = {"kind": "dag", "printable": "(ops 1:$x)"}
    Path("p.json").write_text(dump(shape=dag, kinds=[["a"]]))

    assert run("p.json", "-o", "p.yaml") == 1
    note = "note: fields hold text, an integer, or a list of one of them\n"
    assert capsys.readouterr().err == (
        "Passes.td:3:1: error: field 'kinds' of record 'CountOps' has a value that a "
        f"spec cannot say\n{note}"
        "Passes.td:3:1: error: field 'shape' of record 'CountOps' is (ops 1:$x), which "
        f"a spec cannot say\n{note}"
    )
    assert not Path("p.yaml").exists()


@pytest.mark.parametrize("text", ["{", "{}", '{"!instanceof": {}}', "{" * 100_000])
def test_what_is_no_dump_of_passes_is_refused(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("p.json").write_text(text)

    assert run("p.json") == 1
    assert capsys.readouterr().err.startswith("p.json:1:1: error: found no ")


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("none.td") == 1
    assert capsys.readouterr().err == "none.td: error: no such file or directory\n"


def test_messages_of_llvm_tblgen_are_shown_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("p.td").write_text("def")
    tool = Path("tool")
    tool.write_text('#!/bin/sh\necho "$4: error: $1 $2 $3" >&2\nexit 1\n')
    tool.chmod(0o755)

    assert run("p.td", "-I", "a", "-I", "b", "--llvm-tblgen", "./tool") == 1
    assert capsys.readouterr().err == "-Ib: error: --dump-json p.td -Ia\n"


def test_a_tool_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.td").write_text("def")

    assert run("p.td", "--llvm-tblgen", f".{os.sep}none") == 1
    assert capsys.readouterr().err.endswith("none: error: No such file or directory\n")


@pytest.mark.parametrize("argv", [[], ["a.td", "--name", "a b"], ["a.td", "-o", ""]])
def test_mistakes_of_usage(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*argv) == 2
    assert capsys.readouterr().err.startswith("usage: passgen import ")
