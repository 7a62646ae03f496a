"""The examples of this folder, each built twice, with the build system's own program.

Tests are skipped where a program is missing, and fail where PASSGEN_REQUIRE_BUILDS=1
says that the extra `builds` is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.requirements import missing

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program, path=f"{BIN}{os.pathsep}{os.environ['PATH']}"):
            continue
        missing(f"{program} not found: pip install -e '.[builds]'", "BUILDS")


def example(name: str, tmp_path: Path) -> Path:
    folder = tmp_path / name
    shutil.copytree(Path(__file__).with_name(name), folder)
    return folder


def run(*command: str, at: Path, code: int = 0) -> str:
    """Return what `command` prints in the folder `at`, where it exits with `code`."""
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "MAKE"))},
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(at.parent / "pre-commit-home"),
    }
    done = subprocess.run(
        command,
        cwd=at,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout
    return done.stdout


def edit(spec: Path) -> None:
    text = spec.read_text("utf-8")
    spec.write_text(text.replace("Count operations", "Count all operations"), "utf-8")


def test_cmake_with_ninja(tmp_path: Path) -> None:
    needs("cmake", "ninja")
    folder = example("cmake", tmp_path)
    run("cmake", "-G", "Ninja", "-B", "build", ".", at=folder)

    first = run("cmake", "--build", "build", at=folder)
    assert "Generating passes: demo_passes" in first
    assert (folder / "build/demo_passes.h.inc").exists()
    assert run("ninja", "-C", "build", at=folder).endswith("ninja: no work to do.\n")

    edit(folder / "passes.yaml")
    run("cmake", "--build", "build", at=folder)
    assert "Count all operations" in (folder / "build/demo_passes.py").read_text()
    assert run("ninja", "-C", "build", at=folder).endswith("ninja: no work to do.\n")


def test_cmake_renews_when_a_template_changes(tmp_path: Path) -> None:
    needs("cmake", "ninja")
    folder = example("cmake", tmp_path)
    template = folder / "templates/python/passes.py.j2"
    template.parent.mkdir(parents=True)
    lists = folder / "CMakeLists.txt"
    lists.write_text(
        lists.read_text().replace(
            "TARGETS python cpp", "TARGETS python TEMPLATE_DIR templates"
        )
    )
    template.write_text("# one\n")
    run("cmake", "-G", "Ninja", "-B", "build", ".", at=folder)
    run("ninja", "-C", "build", at=folder)
    assert (folder / "build/demo_passes.py").read_text() == "# one\n"

    template.write_text("# two\n")
    run("ninja", "-C", "build", at=folder)
    assert (folder / "build/demo_passes.py").read_text() == "# two\n"


def test_error_in_a_spec_stops_cmake(tmp_path: Path) -> None:
    needs("cmake", "ninja")
    folder = example("cmake", tmp_path)
    (folder / "passes.yaml").write_text("passes: {CountOps: {argument: count-ops}}\n1")

    shown = run("cmake", "-G", "Ninja", "-B", "build", ".", at=folder, code=1)
    assert "passes.yaml:2:1: error: " in shown
    assert "passgen_generate(demo_passes): a spec is wrong" in shown


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
