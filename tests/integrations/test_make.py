"""The example for make, built for real."""

from __future__ import annotations

from pathlib import Path

from tests.integrations.example_builds import OTHER_SUMMARY, edit, example, needs, run


def test_make(tmp_path: Path) -> None:
    needs("make")
    folder = example("make", tmp_path)

    assert "passgen" in run("make", at=folder)
    assert run("make", at=folder) == "make: Nothing to be done for 'all'.\n"

    edit(folder / "passes.yaml", *OTHER_SUMMARY)
    run("make", at=folder)
    assert "Count all operations" in (folder / "gen/demo_passes.py").read_text()


def test_an_included_spec_that_is_gone_does_not_stop_make(tmp_path: Path) -> None:
    needs("make")
    folder = example("make", tmp_path)
    spec, common = folder / "passes.yaml", folder / "common.yaml"
    text = spec.read_text("utf-8")
    spec.write_text("include: [common.yaml]\n" + text)
    common.write_text("sharedOptions: {}\n")
    run("make", at=folder)
    common.unlink()
    spec.write_text(text)

    assert "passgen" in run("make", at=folder)
    assert run("make", at=folder) == "make: Nothing to be done for 'all'.\n"
