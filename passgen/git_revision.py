"""Specs as they were at a git revision, through the command `git`."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

from passgen import bounded_input, loader
from passgen.diagnostics import UserError
from passgen.includes import Reader
from passgen.source import SourceFile


class GitError(UserError):
    """`git` cannot tell; the text says why."""

    code = 2


def read_at(revision: str, spec: str) -> SourceFile | None:
    """Return the file `spec` as it was at `revision`, `None` if it was not there.

    Raises:
        GitError: there is no `git`, no repository, no such revision, or too much.
        SpecError: the file is not UTF-8.
    """
    folder = Path(spec).absolute().parent
    if _git(folder, "rev-parse", "--is-inside-work-tree") is None:
        raise GitError(
            f"{spec}: error: it is in no git repository, so there is no revision "
            f"'{revision}' to compare with"
        )
    if (
        _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        is None
    ):
        raise GitError(f"--against: error: found '{revision}', expected a git revision")
    data = _show(revision, spec)
    if data is None:
        return None
    name = f"{revision}:{spec}"
    try:
        return loader.decode(name, bounded_input.bounded(data, name))
    except OSError as error:
        raise GitError(f"{name}: error: {error.strerror}") from error


def reader(revision: str) -> Reader:
    """Return what reads files that specs include as they were at `revision`."""

    def read(path: str) -> bytes:
        data = _show(revision, path.removeprefix(f"{revision}:"))
        if data is None:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return bounded_input.bounded(data, path)

    return read


def _show(revision: str, path: str) -> bytes | None:
    folder = Path(path).absolute().parent
    return _git(folder, "show", f"{revision}:./{Path(path).name}")


def _git(folder: Path, *arguments: str) -> bytes | None:
    """Return what `git` prints in `folder`, `None` if it fails."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - the user's own git
            command, capture_output=True, check=False
        )
    except OSError as error:
        message = "git: error: it was not found, which --against needs"
        raise GitError(message) from error
    return done.stdout if done.returncode == 0 else None
