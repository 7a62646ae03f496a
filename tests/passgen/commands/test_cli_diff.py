"""`passgen diff`: its arguments, its formats, its exit codes, git."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.passgen.findings.compared_versions import OLD, PASSES, run

pytestmark = pytest.mark.usefixtures("folder")

Json = dict[str, Any]

WIDER = OLD.replace("uint32", "int64")
OTHER_DEFAULT = OLD.replace("uint32", "uint32, default: 8")


@pytest.mark.parametrize(
    ("new", "arguments", "code"),
    [
        (OLD, (), 0),
        (PASSES, (), 1),
        (OTHER_DEFAULT, (), 0),
        (OTHER_DEFAULT, ("--fail-on", "warning"), 1),
        (WIDER, ("--fail-on", "warning"), 0),
        (WIDER, ("--fail-on", "note"), 1),
        ("passes:", (), 1),
    ],
)
def test_exit_codes(new: str, arguments: tuple[str, ...], code: int) -> None:
    Path("new.yaml").write_text(new)

    assert run("old.yaml", "new.yaml", *arguments) == code


def test_text_is_the_house_form(capfd: pytest.CaptureFixture[str]) -> None:
    Path("new.yaml").write_text(PASSES)

    assert run("old.yaml", "new.yaml") == 1
    assert capfd.readouterr() == (
        (
            "new.yaml:2:3: error: option 'factor' of pass 'unroll-loops' was removed "
            "[option-removed]\n"
            "  UnrollLoops:\n"
            "  ^~~~~~~~~~~\n"
            "old.yaml:5:40: note: it was here\n"
            "    options: [{name: factor, argument: factor, type: uint32}]\n"
            "                                       ^~~~~~\n"
            "1 error\n"
        ),
        "",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-", "-"), "standard input can be read once"),
        (
            ("--against", "HEAD", "Passes.td"),
            "--against takes specs in YAML files, and found 'Passes.td'",
        ),
        (
            ("--against", "HEAD", "-"),
            "--against takes specs in YAML files, and found '-'",
        ),
        (
            ("old.yaml",),
            (
                "expected OLD and NEW, found old.yaml; to compare with a git revision: "
                "--against REV SPEC..."
            ),
        ),
    ],
)
def test_error_usage(
    arguments: tuple[str, ...], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    assert capfd.readouterr().err.endswith(f"passgen diff: error: {message}\n")


RECORDS: Json = {
    "!instanceof": {
        "PassBase": ["Unroll"],
        "Option": ["factor"],
        "Statistic": ["unrolled"],
    },
    "Unroll": {
        "!anonymous": False,
        "!locs": ["Passes.td:3"],
        "!name": "Unroll",
        "!superclasses": ["PassBase", "Pass"],
        "argument": "unroll",
        "baseClass": "::mlir::OperationPass<::mlir::func::FuncOp>",
        "constructor": "",
        "dependentDialects": ["::mlir::arith::ArithDialect"],
        "description": "",
        "options": [{"def": "factor", "kind": "def", "printable": "factor"}],
        "statistics": [{"def": "unrolled", "kind": "def", "printable": "unrolled"}],
        "summary": "Unroll loops",
    },
    "factor": {
        "!anonymous": True,
        "!locs": ["Passes.td:5"],
        "!name": "factor",
        "!superclasses": ["Option"],
        "additionalOptFlags": "",
        "argument": "factor",
        "cppName": "factor",
        "defaultValue": "4",
        "description": "",
        "type": "unsigned",
    },
    "unrolled": {
        "!anonymous": True,
        "!name": "unrolled",
        "!superclasses": ["Statistic"],
        "cppName": "unrolled",
        "description": "",
        "name": "num-unrolled",
    },
}


def dump(file: str, record: str, fields: Json) -> None:
    changed = {**RECORDS, record: {**RECORDS[record], **fields}}
    Path(file).write_text(json.dumps(changed))


@pytest.mark.parametrize(
    ("record", "fields", "message"),
    [
        (
            "factor",
            {"defaultValue": "8"},
            (
                "Passes.td:5:1: warning: option 'factor' of pass 'unroll' is 8 by default "
                "now, and was 4 [option-default-changed]\n"
                "Passes.td:5:1: note: it was here\n"
            ),
        ),
        (
            "unrolled",
            {"name": "unrolled"},
            (
                "Passes.td:3:1: error: statistic 'num-unrolled' of pass 'unroll' is "
                "'unrolled' now [statistic-renamed]\n"
                "Passes.td:3:1: note: it was here\n"
            ),
        ),
        (
            "Unroll",
            {"dependentDialects": []},
            (
                "Passes.td:3:1: warning: pass 'unroll' no longer depends on dialect "
                "'arith' [dialect-removed]\n"
                "Passes.td:3:1: note: it was here\n"
            ),
        ),
    ],
)
def test_dumps_of_tablegen_are_compared_by_the_places_of_their_records(
    record: str,
    fields: dict[str, object],
    message: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    dump("old.json", record, {})
    dump("new.json", record, fields)
    run("old.json", "new.json")

    text = capfd.readouterr().out
    assert text.startswith(message)
    assert len(text.splitlines()) == len(message.splitlines()) + 1
