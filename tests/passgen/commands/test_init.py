"""`passgen init` writes the schema for editors; `sessions/` shows their settings."""

from __future__ import annotations

from pathlib import Path

from passgen import resources
from tests.passgen.conftest import Run


def test_the_schema_is_copied(run: Run) -> None:
    run("init")

    copy = Path(".passgen/pass-group.schema.json")
    assert copy.read_bytes() == resources.schema().read_bytes()


def test_the_group_of_a_spec_with_the_pattern_has_the_first_name(run: Run) -> None:
    spec = "passes:\n  Count: {argument: count, summary: Count}\n"
    Path("loops.passes.yaml").write_text(spec)

    assert run("--target", "python", "loops.passes.yaml")[1] == "loops_passes.py\n"
    assert "def registerLoopsPasses(" in Path("loops_passes.py").read_text()
