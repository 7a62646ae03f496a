"""How tests build the examples of this folder, with a build system's own program.

Tests are skipped where a program is missing, and fail where PASSGEN_REQUIRE_BUILDS=1
says that the extra `builds` is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.requirements import missing

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


OTHER_SUMMARY = ("Count operations", "Count all operations")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
