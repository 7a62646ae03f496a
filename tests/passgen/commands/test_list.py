"""`passgen list`: passes for people, and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from passgen import cli

SPEC = """\
name: Loops
summary: Passes over loops.
passes:
  UnrollLoops:
    argument: unroll-loops
    summary: Unroll loops
    interface: FunctionOpInterface
    dependentDialects: [arith]
    constructor: loops:UnrollLoops
    options:
      - {name: factor, argument: factor, type: uint32, default: 4, description: Copies.}
      - {name: depths, argument: depths, listOf: {cpp: Depth}}
      - {name: mode, argument: mode, type: enum, values: [{value: fast, description: Fast.}, small]}
    statistics:
      - {name: numUnrolled, displayName: num-unrolled, description: Loops.}
  Jam: {argument: jam, summary: Jam loops, deprecated: Use 'unroll-loops'., tags: [loops]}
pipelines:
  Optimize: {argument: optimize, summary: Optimize loops, anchor: func.func, elements: [jam]}
bundles:
  cleanup: {summary: Clean loops up, elements: [jam]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loops.yaml").write_text(SPEC)
    Path("count.yaml").write_text(
        "passes: {CountOps: {argument: count-all-operations, summary: Count them}}"
    )


def test_text(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "loops.yaml", "count.yaml"]) == 0
    assert capfd.readouterr().out == (
        "Loops: Passes over loops.\n"
        "  unroll-loops          Unroll loops\n"
        "  jam                   Jam loops (deprecated)\n"
        "  optimize              Optimize loops (pipeline)\n"
        "  cleanup               Clean loops up (bundle)\n"
        "\n"
        "Count\n"
        "  count-all-operations  Count them\n"
    )


def test_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "--json", "loops.yaml"]) == 0
    data = json.loads(capfd.readouterr().out)

    (group,) = data["groups"]
    unroll, jam = group.pop("passes")
    (pipeline,) = group.pop("pipelines")
    (bundle,) = group.pop("bundles")
    assert bundle == {
        "name": "cleanup",
        "summary": "Clean loops up",
        "description": "",
        "line": 20,
    }
    assert pipeline == {
        "name": "Optimize",
        "argument": "optimize",
        "summary": "Optimize loops",
        "description": "",
        "anchor": "func.func",
        "options": [],
        "line": 18,
    }
    assert group == {
        "name": "Loops",
        "spec": "loops.yaml",
        "summary": "Passes over loops.",
    }
    assert unroll == {
        "name": "UnrollLoops",
        "argument": "unroll-loops",
        "summary": "Unroll loops",
        "description": "",
        "interface": "FunctionOpInterface",
        "tags": [],
        "dependentDialects": ["arith"],
        "constructor": "loops:UnrollLoops",
        "options": [
            {
                "name": "factor",
                "argument": "factor",
                "type": "uint32",
                "default": 4,
                "description": "Copies.",
            },
            {
                "name": "depths",
                "argument": "depths",
                "listOf": {"cpp": "Depth"},
                "description": "",
            },
            {
                "name": "mode",
                "argument": "mode",
                "type": "enum",
                "values": [
                    {"value": "fast", "description": "Fast."},
                    {"value": "small", "description": ""},
                ],
                "description": "",
            },
        ],
        "statistics": [
            {
                "name": "numUnrolled",
                "displayName": "num-unrolled",
                "description": "Loops.",
            }
        ],
        "line": 4,
    }
    assert jam["tags"] == ["loops"]
    assert jam["deprecated"] == "Use 'unroll-loops'."


def test_a_group_of_bundles_alone(capfd: pytest.CaptureFixture[str]) -> None:
    Path("tidy.yaml").write_text(
        "externalPasses: [{argument: cse}]\n"
        "bundles: {tidy: {summary: Tidy, elements: [cse]}}\n"
    )

    assert cli.main(["list", "tidy.yaml"]) == 0
    assert capfd.readouterr().out == "Tidy\n  tidy  Tidy (bundle)\n"


def test_error_empty_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", ""]) == 1
    assert capsys.readouterr().err == (
        "'': error: found an empty name, expected a file\n"
    )
