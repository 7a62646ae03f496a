"""The pages of the spec language list every key of the schema, in plain Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from schema_reference import CPP, SPEC, SchemaPages

from tests.docs.marked_parts import with_part

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "schemas/pass-group.schema.json"
REFERENCE = ROOT / "docs/reference"


@pytest.mark.parametrize("name", [SPEC, CPP])
def test_the_keys_are_those_of_the_schema(
    name: str, golden: Callable[[Path, str], None]
) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    keys = SchemaPages(schema, "pass").markdown()[name]
    page = REFERENCE / name

    golden(page, with_part(page.read_text(encoding="utf-8"), "keys", keys))


def test_the_group_comes_first_then_its_passes() -> None:
    headings = re.findall(r"^## (.+)$", text_of(SPEC), re.MULTILINE)

    assert headings[:3] == ["Pass group", "Pass", "Option"]


@pytest.mark.parametrize("name", [SPEC, CPP])
def test_each_key_has_an_anchor_of_its_own_in_the_table(name: str) -> None:
    text = text_of(name)
    anchors = re.findall(r'<a id="([\w-]+)">', text)

    assert len(anchors) == len(set(anchors)) == text.count("\n- <a id=") > 0
    assert re.findall(r'<a href="#([\w-]+)">', text) == anchors


@pytest.mark.parametrize("name", [SPEC, CPP])
def test_two_sections_have_no_heading_in_common(name: str) -> None:
    headings = re.findall(r"^## .+$", text_of(name), re.MULTILINE)

    assert len(headings) == len(set(headings))


def text_of(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")
