"""The page of the spec language lists every key of the schema, in plain Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from schema_reference import SchemaPage

from tests.docs.marked_parts import with_part

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "schemas/pass-group.schema.json"
PAGE = ROOT / "docs/reference/spec.md"


def test_the_keys_are_those_of_the_schema(golden: Callable[[Path, str], None]) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    keys = "\n".join(SchemaPage(schema).markdown("pass")).rstrip()

    golden(PAGE, with_part(PAGE.read_text(encoding="utf-8"), "keys", keys))


def test_two_sections_have_no_heading_in_common() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    headings = [line for line in lines if line.startswith("## ")]

    assert len(headings) == len(set(headings))
