"""The command `git`, run in the repository of a folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

from passgen.diagnostics import UserError

_OF_HOOKS: Final = frozenset({"GIT_DIR", "GIT_PREFIX", "GIT_WORK_TREE"})
"""Variables that git sets for its hooks; paths in them are relative."""


class GitError(UserError):
    """`git` cannot be used; the text says why."""

    code = 2


def run_git(
    folder: Path, *arguments: str, index: Path | None = None, given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run `git` in `folder` and its repository, even inside a hook of another.

    Args:
        folder: the folder.
        arguments: the arguments of `git`.
        index: the file to use instead of the index of the repository.
        given: standard input.

    Raises:
        GitError: there is no `git`.
    """
    environment = {
        name: value for name, value in os.environ.items() if name not in _OF_HOOKS
    }
    environment["LC_ALL"] = "C"
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        return subprocess.run(  # noqa: S603 - the user's own git
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - as above
            capture_output=True,
            check=False,
            input=given,
            env=environment,
        )
    except OSError as error:
        message = "git: error: the command was not found, and --against needs it"
        raise GitError(message) from error


def git_output(folder: Path, *arguments: str, index: Path | None = None) -> bytes:
    """Return the output of `git` in `folder`; nothing if it fails."""
    done = run_git(folder, *arguments, index=index)
    return done.stdout if done.returncode == 0 else b""


def git_line(folder: Path, *arguments: str) -> str:
    """Return the output of `git` in `folder`, a line, as text."""
    return os.fsdecode(git_output(folder, *arguments).removesuffix(b"\n"))


def root_of(folder: Path) -> Path:
    """Return the root of the repository that `folder` is in."""
    return Path(git_line(folder, "rev-parse", "--show-toplevel"))


def nearest_folder(path: Path) -> Path:
    """Return `path` or the nearest folder above it that exists: git is run in it."""
    return next(folder for folder in (path, *path.parents, Path()) if folder.is_dir())
