"""What `diff`, `lint` and `drift` share: formats for programs, rules, wrong specs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from passgen import cli, resources
from tests.passgen.findings.compared_versions import OLD, PASSES, run

pytestmark = pytest.mark.usefixtures("folder")

Json = dict[str, Any]


def test_github_annotations_escape_what_would_end_them(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Path("old.yaml").write_text("name: Loops\n" + OLD)
    new = "100%,a:b\r\nnew.yaml"
    Path(new).write_text("name: Loops\n" + PASSES)
    run("old.yaml", new, "--format", "github")

    assert capfd.readouterr().out == (
        "::error file=100%25%2Ca%3Ab%0D%0Anew.yaml,line=3,col=3,endColumn=13,"
        "title=option-removed::option 'factor' of pass 'unroll-loops' was removed"
        "%0Aold.yaml:6:40: it was here\n"
    )


def exactly(required: Json, **optional: object) -> Json:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
        "additionalProperties": False,
    }


TEXT = exactly({"text": {"type": "string", "minLength": 1}})
LEVEL = {"enum": ["none", "note", "warning", "error"]}
NUMBER = {"type": "integer", "minimum": 1}
REGION = exactly({"startLine": NUMBER}, startColumn=NUMBER, endColumn=NUMBER)
URI = exactly({"uri": {"type": "string", "pattern": "^[^\\s\\\\]+$"}})
LOCATION = exactly(
    {"physicalLocation": exactly({"artifactLocation": URI}, region=REGION)},
    message=TEXT,
)
SUPPRESSION = exactly(
    {"kind": {"enum": ["inSource", "external"]}},
    justification={"type": "string"},
    location=LOCATION,
)
RESULT = exactly(
    {"message": TEXT},
    ruleId={"type": "string"},
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    locations={"type": "array", "items": LOCATION},
    relatedLocations={"type": "array", "items": LOCATION},
    suppressions={"type": "array", "items": SUPPRESSION},
)
RULE = exactly(
    {"id": {"type": "string"}},
    shortDescription=TEXT,
    defaultConfiguration=exactly({}, level=LEVEL),
)
DRIVER = exactly({"name": {"type": "string"}}, rules={"type": "array", "items": RULE})
RUN = exactly(
    {"tool": exactly({"driver": DRIVER})},
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
)
SARIF = exactly(
    {"version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}},
    **{"$schema": {"type": "string"}},
)
"""The part of SARIF 2.1.0 that reports use, after section 3 of the standard."""


def test_sarif_has_the_structure_of_the_standard(
    capfd: pytest.CaptureFixture[str],
) -> None:
    ignore = "    ignore: [{rule: option-removed, reason: Unused.}]\n"
    Path("a b.yaml").write_text("name: Loops\n" + PASSES + ignore)

    assert run("old.yaml", "a b.yaml", "--format", "sarif") == 1
    data = json.loads(capfd.readouterr().out)
    jsonschema.Draft202012Validator(SARIF).validate(data)
    (found,) = data["runs"]
    renamed, removed = found["results"]
    rules = [rule["id"] for rule in found["tool"]["driver"]["rules"]]
    assert [rules[each["ruleIndex"]] for each in (renamed, removed)] == [
        "group-renamed",
        "option-removed",
    ]
    assert "suppressions" not in renamed
    assert removed["suppressions"] == [
        {
            "kind": "inSource",
            "justification": "Unused.",
            "location": {
                "physicalLocation": {
                    "artifactLocation": {"uri": "a%20b.yaml"},
                    "region": {"startLine": 6, "startColumn": 21, "endColumn": 35},
                }
            },
        }
    ]


def findings(capfd: pytest.CaptureFixture[str]) -> list[str]:
    """Return what was found, in the printed JSON: place, message and rule."""
    found = json.loads(capfd.readouterr().out)["findings"]
    return [
        "{file}:{line}:{column}: {message} [{rule}]".format_map(each) for each in found
    ]


@pytest.mark.parametrize("command", ["diff", "lint", "drift"])
def test_a_wrong_spec_is_a_result_of_sarif(
    command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("new.yaml").write_text("passes: {\n")

    assert cli.main([command, "--format=sarif", "old.yaml", "new.yaml"]) == 1
    data = json.loads(capfd.readouterr().out)
    jsonschema.Draft202012Validator(SARIF).validate(data)
    (found,) = data["runs"]
    (wrong,) = (each for each in found["results"] if each["level"] == "error")
    rule = found["tool"]["driver"]["rules"][wrong["ruleIndex"]]
    assert (rule["id"], wrong["message"]["text"]) == (
        "invalid-input",
        "'{' is never closed",
    )


def test_drift_says_nothing_of_passes_that_a_wrong_spec_may_declare(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Path("new.yaml").write_text("passes: {\n")
    Path("fuse.py").write_text(
        "from old_passes import FusePassBase\n\n\nclass Fuse(FusePassBase): ...\n"
    )

    assert cli.main(["drift", "--format=json", "old.yaml", "new.yaml"]) == 1
    assert findings(capfd) == ["new.yaml:1:9: '{' is never closed [invalid-input]"]


def test_drift_reports_a_source_that_is_no_python(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Path("unroll.py").write_text("class Unroll(UnrollLoopsPassBase)\n    pass\n")

    assert cli.main(["drift", "--format=json", "old.yaml"]) == 1
    assert findings(capfd) == [
        "unroll.py:1:34: found invalid Python: expected ':' [invalid-input]"
    ]


@pytest.mark.process
def test_tablegens_own_errors_keep_their_place(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Path("llvm-tblgen").write_text(
        "#!/bin/sh\n"
        "echo 'Included from Passes.td:1:' >&2\n"
        "echo 'Base.td:7:3: error: expected a class' >&2\n"
        "exit 1\n"
    )
    Path("llvm-tblgen").chmod(0o700)
    Path("Passes.td").touch()
    tool = str(Path("llvm-tblgen").absolute())

    assert run("old.yaml", "Passes.td", "--llvm-tblgen", tool, "--format=json") == 1
    assert findings(capfd) == ["Base.td:7:3: expected a class [invalid-input]"]


@pytest.mark.parametrize("format_", ["text", "json", "github"])
def test_any_bytes_of_a_file_name_are_printed(
    format_: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    name = os.fsdecode(b"caf\xe9.yaml")
    Path(name).write_text(PASSES)

    assert run("old.yaml", name, "--format", format_) == 1
    assert {
        "text": b"caf\xe9.yaml:2:3: error: option ",
        "json": b'"file": "caf\\udce9.yaml"',
        "github": b"::error file=caf\xe9.yaml,line=2,",
    }[format_] in capfdbinary.readouterr().out


def test_names_of_files_are_uris_in_sarif(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    name = os.fsdecode(b"caf\xe9 100%.yaml")
    Path(name).write_text(PASSES)
    absolute = str(folder / "old.yaml")

    assert run(absolute, name, "--format=sarif") == 1
    (found,) = json.loads(capfdbinary.readouterr().out)["runs"]
    first, *_ = found["results"]
    place = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    before = first["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "caf%E9%20100%25.yaml"
    assert before == (folder / "old.yaml").as_uri()


def test_a_rule_of_lint_is_explained_by_its_page(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["lint", "--explain", "double-negative"]) == 0
    page = resources.lint_page("double-negative").read_text()
    assert capfd.readouterr() == (page, "")
