"""The example for make, built for real."""

from __future__ import annotations

from pathlib import Path

from tests.integrations.example_builds import edit, example, needs, run


def test_make(tmp_path: Path) -> None:
    needs("make")
    folder = example("make", tmp_path)

    assert "passgen" in run("make", at=folder)
    assert run("make", at=folder) == "make: Nothing to be done for 'all'.\n"

    edit(folder / "passes.yaml")
    run("make", at=folder)
    assert "Count all operations" in (folder / "gen/demo_passes.py").read_text()
