"""The example for pre-commit, run for real: it installs the hooks from this project."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.integrations.example_builds import OTHER_SUMMARY, edit, example, needs, run
from tests.requirements import missing

ROOT = Path(__file__).parents[2]


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    return run("git", *identity, *arguments, at=folder)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This project as a repository of its own, uncommitted changes included."""
    needs("pre-commit", "git")
    if not (ROOT / ".git").exists():
        missing("a git checkout: pre-commit installs hooks from one", "BUILDS")
    folder = tmp_path_factory.mktemp("passgen")
    listed = run("git", "ls-files", "-co", "--exclude-standard", "-z", at=ROOT)
    for name in listed.rstrip("\0").split("\0"):
        if (ROOT / name).is_file() or (ROOT / name).is_symlink():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name, follow_symlinks=False)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Release")
    return folder


def test_pre_commit(project: Path, tmp_path: Path) -> None:
    folder = example("pre-commit", tmp_path)
    config = folder / ".pre-commit-config.yaml"
    revision = git(project, "rev-parse", "HEAD").strip()
    text = config.read_text("utf-8")
    text = text.replace("rev: HEAD", f"rev: {revision}")
    config.write_text(text.replace("repo: .", f"repo: {project.as_uri()}"))
    git(folder, "init", "-q")
    git(folder, "add", ".")

    try:
        run("pre-commit", "install-hooks", at=folder)
    except AssertionError as error:
        if "No matching distribution found" not in str(error):
            raise
        missing("a package index: pre-commit installs what passgen needs", "BUILDS")

    assert hooks(folder) == {  # of new files, git does not say that they changed
        "passgen format": "Passed",
        "passgen": "Passed",
        "passgen --check": "Passed",
        "passgen lint": "Passed",
    }
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Declare a pass")

    edit(folder / "passes.yaml", *OTHER_SUMMARY)
    git(folder, "add", "passes.yaml")
    assert hooks(folder, code=1)["passgen"] == "Failed"
    assert "Count all operations" in (folder / "demo_passes.py").read_text("utf-8")

    git(folder, "add", ".")
    assert set(hooks(folder).values()) == {"Passed"}


def hooks(folder: Path, code: int = 0) -> dict[str, str]:
    """Return what became of each hook."""
    shown = run("pre-commit", "run", at=folder, code=code)
    lines = (line for line in shown.splitlines() if "..." in line)
    return {line.partition("...")[0]: line.rpartition(".")[2] for line in lines}
