"""`passgen init` writes the settings of editors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from passgen import resources
from tests.passgen.conftest import Run, files

SCHEMA = "./.passgen/pass-group.schema.json"
VSCODE = Path(".vscode/settings.json")
ZED = Path(".zed/settings.json")


def test_vs_code_gets_the_schema_for_the_pattern(run: Run) -> None:
    assert run("init") == (0, f"{SCHEMA[2:]}\n{VSCODE}\n", "")

    assert Path(SCHEMA).read_bytes() == resources.schema().read_bytes()
    assert json.loads(VSCODE.read_text()) == {"yaml.schemas": {SCHEMA: "*.passes.yaml"}}


def test_zed_gets_it_where_it_looks_for_it(run: Run) -> None:
    run("init", "--editor", "zed", "specs/*.yaml", "*.passes.yaml")

    server = json.loads(ZED.read_text())["lsp"]["yaml-language-server"]
    patterns = ["specs/*.yaml", "*.passes.yaml"]
    assert server == {"settings": {"yaml": {"schemas": {SCHEMA: patterns}}}}
    assert files() == [SCHEMA[2:], str(ZED)]


def test_other_settings_are_kept(run: Run) -> None:
    VSCODE.parent.mkdir()
    VSCODE.write_text('{"a": 1, "yaml.schemas": {"b.json": "*.b"}, "c": []}')

    run("init")

    assert json.loads(VSCODE.read_text()) == {
        "a": 1,
        "yaml.schemas": {"b.json": "*.b", SCHEMA: "*.passes.yaml"},
        "c": [],
    }


def test_settings_that_are_right_are_not_touched(run: Run) -> None:
    VSCODE.parent.mkdir()
    text = f'{{   "yaml.schemas": {{"{SCHEMA}":"*.passes.yaml"}}}}'
    VSCODE.write_text(text)

    run("init")

    assert VSCODE.read_text() == text


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("// a comment\n{}", "it is not plain JSON, and comments would be lost"),
        ("[]", "found no object, expected the settings of an editor"),
        (
            '{"yaml.schemas": 3}',
            "'yaml.schemas' is no object, so no schema can be added",
        ),
    ],
)
def test_settings_that_cannot_be_added_to_are_refused(
    run: Run, text: str, error: str
) -> None:
    VSCODE.parent.mkdir()
    VSCODE.write_text(text)

    code, out, err = run("init")

    assert (code, out) == (1, "")
    assert err.startswith(f"{VSCODE}: error: {error}")
    assert VSCODE.read_text() == text
    assert files() == [str(VSCODE)]


def test_what_to_add_is_said_where_comments_would_be_lost(run: Run) -> None:
    VSCODE.parent.mkdir()
    VSCODE.write_text("// a comment\n{}")

    _, _, err = run("init")

    note = f'note: add this to yaml.schemas: {{"{SCHEMA}": "*.passes.yaml"}}\n'
    assert err.endswith(note)


def test_the_group_of_a_spec_with_the_pattern_has_the_first_name(run: Run) -> None:
    spec = "passes:\n  Count: {argument: count, summary: Count}\n"
    Path("loops.passes.yaml").write_text(spec)

    assert run("--target", "python", "loops.passes.yaml")[1] == "loops_passes.py\n"
    assert "def registerLoopsPasses(" in Path("loops_passes.py").read_text()
