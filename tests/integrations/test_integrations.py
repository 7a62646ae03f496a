"""The examples of this folder, each built twice, but for that of CMake."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.integrations.example_builds import edit, example, needs, run

ROOT = Path(__file__).parents[2]


def test_meson(tmp_path: Path) -> None:
    needs("meson", "ninja")
    folder = example("meson", tmp_path)
    run("meson", "setup", "build", at=folder)

    run("meson", "compile", "-C", "build", at=folder)
    assert (folder / "build/demo_passes.md").exists()
    assert run("ninja", "-C", "build", at=folder).endswith("ninja: no work to do.\n")

    edit(folder / "passes.yaml")
    run("ninja", "-C", "build", at=folder)
    assert "Count all operations" in (folder / "build/demo_passes.py").read_text()
    assert run("ninja", "-C", "build", at=folder).endswith("ninja: no work to do.\n")


def test_make(tmp_path: Path) -> None:
    needs("make")
    folder = example("make", tmp_path)

    assert "passgen" in run("make", at=folder)
    assert run("make", at=folder) == "make: Nothing to be done for 'all'.\n"

    edit(folder / "passes.yaml")
    run("make", at=folder)
    assert "Count all operations" in (folder / "gen/demo_passes.py").read_text()


def test_hatchling(tmp_path: Path) -> None:
    needs("hatchling")
    folder = example("hatch", tmp_path)
    generated = folder / "src/demo_passes/generated/demo_passes.py"

    run("hatchling", "build", "-t", "wheel", at=folder)
    (wheel,) = (folder / "dist").glob("*.whl")
    first = wheel.read_bytes()
    names = zipfile.ZipFile(wheel).namelist()
    assert "demo_passes/generated/demo_passes.py" in names
    before = generated.stat().st_mtime_ns

    run("hatchling", "build", "-t", "wheel", at=folder)
    assert wheel.read_bytes() == first
    assert generated.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('specs = ["specs/*.yaml"]', 'spec = ["specs/*.yaml"]'),
            "tool.hatch.build.hooks.passgen: found 'spec', expected one of ",
        ),
        (
            ("specs/*.yaml", "spec/*.yaml"),
            "tool.hatch.build.hooks.passgen: 'specs' match no file",
        ),
        (('"python"', '"pyhton"'), "did you mean 'python'?"),
    ],
)
def test_error_hatchling(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    needs("hatchling")
    folder = example("hatch", tmp_path)
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace(*change))

    assert message in run("hatchling", "build", "-t", "wheel", at=folder, code=1)
    assert not (folder / "dist").exists() or not list((folder / "dist").iterdir())


def test_pre_commit(tmp_path: Path) -> None:
    needs("pre-commit", "git")
    folder = example("pre-commit", tmp_path)
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    # An installation for the hooks alone takes the network; there is one here.
    local = hooks.replace("language: python", "language: system").replace(
        "types: [yaml]", "types: [yaml]\n  args: [passes.yaml]\n  pass_filenames: false"
    )
    indented = "\n".join(f"      {line}" for line in local.splitlines())
    (folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: local\n    hooks:\n{indented}\n"
    )
    for command in ("init -q", "config user.email a@b.c", "config user.name A"):
        run("git", *command.split(), at=folder)
    run("git", "add", "passes.yaml", ".pre-commit-config.yaml", at=folder)

    run("pre-commit", "run", "passgen", at=folder)
    run("git", "add", ".", at=folder)
    run("pre-commit", "run", at=folder, code=1)
