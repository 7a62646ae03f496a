"""The example for Meson, built for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integrations.example_builds import OTHER_SUMMARY, edit, example, needs, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example, set up."""
    needs("meson", "ninja")
    folder = example("meson", tmp_path)
    run("meson", "setup", "build", at=folder)
    return folder


def test_meson(folder: Path) -> None:
    run("meson", "compile", "-C", "build", at=folder)
    assert (folder / "build/demo_passes.md").exists()
    assert run("ninja", "-C", "build", at=folder).endswith("ninja: no work to do.\n")

    edit(folder / "passes.yaml", *OTHER_SUMMARY)
    run("ninja", "-C", "build", at=folder)
    assert "Count all operations" in (folder / "build/demo_passes.py").read_text()
    assert run("ninja", "-C", "build", at=folder).endswith("ninja: no work to do.\n")


def test_pipelines_in_cpp(folder: Path) -> None:
    edit(
        folder / "meson.build",
        "'demo_passes.py', 'demo_passes.md'",
        "'demo_passes.h.inc', 'demo_passes.md'",
    )
    edit(
        folder / "meson.build",
        "'@INPUT@',",
        "'@INPUT@', '--target', 'cpp', '--target', 'markdown',",
    )
    with (folder / "passes.yaml").open("a", encoding="utf-8") as spec:
        spec.write("pipelines: {Count: {summary: Count, elements: [count-ops]}}\n")

    run("ninja", "-C", "build", at=folder)

    made = (folder / "build/demo_passes.h.inc").read_text("utf-8")
    assert "buildCountPipeline" in made
    assert run("ninja", "-C", "build", at=folder).endswith("ninja: no work to do.\n")


def test_error_meson_was_told_other_outputs(folder: Path) -> None:
    run("ninja", "-C", "build", at=folder)
    edit(folder / "passes.yaml", "name: Demo", "name: Other")

    shown = run("ninja", "-C", "build", at=folder, code=1)
    assert (
        "demo_passes.py: error: is expected, but not written\n"
        "demo_passes.md: error: is expected, but not written\n"
        "other_passes.py: error: is written, but not expected\n"
        "other_passes.md: error: is written, but not expected\n"
    ) in shown
    assert not (folder / "build/other_passes.py").exists()
