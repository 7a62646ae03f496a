"""The specs at a git revision and now, as pairs of paths."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from passgen.findings.git.command import (
    GitError,
    git_line,
    git_output,
    nearest_folder,
    root_of,
    run_git,
)

_RENAMED_FILES: Final = ("--", "*.yaml", "*.yml", "*.td")
"""The arguments of git for files that are looked for under other names."""


@dataclass(frozen=True)
class Versions:
    """A spec then and now, by path; one of them is `None` where there was none."""

    old: str | None
    new: str | None

    def __str__(self) -> str:
        """Return the path of the spec, as messages name it."""
        return self.new or self.old or ""


def versions_since(revision: str, given: str) -> list[Versions]:
    """Return the specs that `given` names, a file or a folder, at `revision` and now.

    A file that git detects as renamed is one spec, even if the renaming is not staged.
    A file that exists neither now nor then is listed too: reading it is an error. A
    folder stands for the specs below it, without hidden files, files that git ignores,
    and files whose names begin with an underscore, which other specs include.

    Raises:
        GitError: there is no `git`, no repository, no such revision, or no spec.
    """
    path = Path(given)
    folder = nearest_folder(path)
    _require(revision, given, folder)
    then = _files_at(revision, path)
    if path.is_dir():
        files = _specs_below(path, then | _files_now(path))
    elif any(path in file.parents for file in then):  # a folder that was removed
        files = _specs_below(path, then)
    else:
        files = {path}
    if not files:
        raise GitError(f"{given}: error: found no spec there, now or at '{revision}'")
    renames: Mapping[Path, Path] = {}
    if not all(file in then and file.exists() for file in files):
        renames = _renames(revision, folder)
    versions = [_versions(file, then, renames) for file in sorted(files)]
    return list(dict.fromkeys(versions))


def _require(revision: str, given: str, folder: Path) -> None:
    """Check that `folder` is in a repository that knows `revision`.

    Raises:
        GitError: it is not, or there is no `git`.
    """
    done = run_git(folder, "rev-parse", "--is-inside-work-tree")
    if done.returncode != 0:
        first_line, _, _ = os.fsdecode(done.stderr).partition("\n")
        reason = first_line.removeprefix("fatal: ")
        if reason.startswith("not a git repository"):
            reason = (
                "it is in no git repository, so there is no revision "
                f"'{revision}' to compare with"
            )
        raise GitError(f"{given}: error: {reason}")
    commit = f"{revision}^{{commit}}"
    done = run_git(folder, "rev-parse", "--verify", "--quiet", commit)
    if done.returncode != 0:
        raise GitError(f"--against: error: found '{revision}', expected a git revision")


def _files_at(revision: str, path: Path) -> set[Path]:
    """Return `path`, or the files below it, as far as the revision has them."""
    folder = nearest_folder(path)
    command = ["ls-tree", "-r", "-z", "--name-only", revision]
    if folder != path:
        command += ["--", str(path.relative_to(folder))]
    return _list_files(folder, *command)


def _files_now(folder: Path) -> set[Path]:
    """Return the files below `folder` that git does not ignore."""
    options = ("--cached", "--others", "--exclude-standard")
    files = _list_files(folder, "ls-files", "-z", *options)
    return {file for file in files if file.exists()}


def _list_files(folder: Path, *arguments: str) -> set[Path]:
    names = git_output(folder, *arguments).split(b"\0")
    return {folder / os.fsdecode(name) for name in names if name}


def _specs_below(folder: Path, files: Collection[Path]) -> set[Path]:
    """Return the specs among the files below `folder`."""
    return {file for file in files if _is_spec(file.relative_to(folder))}


def _is_spec(path: Path) -> bool:
    is_own = not any(part.startswith(("_", ".")) for part in path.parts)
    return is_own and path.suffix in {".yaml", ".yml"}


def _renames(revision: str, folder: Path) -> dict[Path, Path]:
    """Return the path at `revision` of each file that lies elsewhere now."""
    root = root_of(folder)
    untracked_names = git_output(
        root, "ls-files", "-z", "--others", "--exclude-standard", *_RENAMED_FILES
    )
    with TemporaryDirectory() as temporary:
        # Git looks for renames among files in its index; the user's index stays as is.
        index = Path(temporary, "index")
        with suppress(OSError):
            users_index = git_line(root, "rev-parse", "--git-path", "index")
            shutil.copyfile(root / users_index, index)
        if untracked_names:
            _add_to_index(root, index, untracked_names, Path(temporary, "untracked"))
        options = ("-z", "-M", "--name-status", "--diff-filter=R", revision)
        listed = git_output(root, "diff", *options, *_RENAMED_FILES, index=index)
    # Each rename is three words: a status, the old name and the new one.
    words = [root / os.fsdecode(word) for word in listed.split(b"\0")]
    return dict(zip(words[2::3], words[1::3], strict=False))


def _add_to_index(root: Path, index: Path, names: bytes, list_file: Path) -> None:
    """Add files to an index without their contents.

    Args:
        root: the root of the repository.
        index: the index.
        names: the names of the files, with NULs between them.
        list_file: the file to write them to, for git.
    """
    list_file.write_bytes(names)
    options = (f"--pathspec-from-file={list_file}", "--pathspec-file-nul")
    command = ("--literal-pathspecs", "add", "--intent-to-add", *options)
    git_output(root, *command, index=index)


def _versions(
    file: Path, then: Collection[Path], renames: Mapping[Path, Path]
) -> Versions:
    """Return the paths of a spec that is called `file` now, or was so then."""
    place = Path(os.path.realpath(file.parent), file.name)  # as git prints paths
    if file.exists() or file not in then:
        old = file if file in then else renames.get(place)
        return Versions(_format(old), str(file))
    new = next((new for new, old in renames.items() if old == place), None)
    return Versions(str(file), _format(new))


def _format(path: Path | None) -> str | None:
    return None if path is None else os.path.relpath(path)
