"""The example for pre-commit, run for real."""

from __future__ import annotations

from pathlib import Path

from tests.integrations.example_builds import example, needs, run

ROOT = Path(__file__).parents[2]


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
