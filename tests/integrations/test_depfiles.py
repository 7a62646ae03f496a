"""Depfiles of paths that mean something to make or ninja, read by both."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.integrations.example_builds import needs, run

PATHS = ["a b", "c$d", "e#f", "g:h", r"i\ j", "café", "k!(),+@]{l", r"m\n~"]
SPEC = "passes: {CountOps: {argument: count-ops, summary: Count operations}}\n"


@pytest.fixture
def output(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """An output of `<path>.yaml`, in a folder `<path>` with the depfile `passes.d`."""
    path: str = request.param
    (tmp_path / f"{path}.yaml").write_text(SPEC)
    arguments = ("--name=Demo", "--target=python", "--depfile=passes.d", "-o", path)
    run("passgen", *arguments, f"{path}.yaml", at=tmp_path)
    return tmp_path / path / "demo_passes.py"


@pytest.mark.parametrize("output", PATHS, indirect=True)
def test_make_knows_what_an_output_is_of(output: Path) -> None:
    needs("make")
    folder, name = output.parents[1], output.parent.name

    rules = run("make", "-p", "-n", "-f", "passes.d", at=folder).splitlines()
    start = f"{name}/demo_passes.py: {name}.yaml "
    escaped = start.replace("$", "$$")
    assert any(line.startswith((start, escaped)) for line in rules)


@pytest.mark.parametrize("output", PATHS, indirect=True)
def test_ninja_knows_what_an_output_is_of(output: Path) -> None:
    needs("ninja")
    folder, name = output.parents[1], output.parent.name
    target = f"{name}/demo_passes.py"
    for char in "$ :":
        target = target.replace(char, f"${char}")
    (folder / "build.ninja").write_text(
        f"rule passgen\n command = true\n depfile = passes.d\nbuild {target}: passgen\n"
    )
    later_s = output.stat().st_mtime + 60
    os.utime(folder / f"{name}.yaml", (later_s, later_s))

    explained = run("ninja", "-n", "-d", "explain", at=folder)
    assert f"older than most recent input {name}.yaml" in explained
