"""Specs as they were at a git revision, through the command `git`."""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from passgen.diagnostics import UserError
from passgen.findings.inputs import read_input
from passgen.generate import read_group
from passgen.model import PassGroup
from passgen.source import check_size
from passgen.spec import decode
from passgen.tablegen import TablegenError

_OF_HOOKS: Final = frozenset({"GIT_DIR", "GIT_PREFIX", "GIT_WORK_TREE"})
"""Variables that git sets for its hooks; paths in them are relative."""


TABLEGEN: Final = ".td"
"""The end of the names of TableGen files."""


class GitError(UserError):
    """`git` cannot be used; the text says why."""

    code = 2


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
    _require(revision, given, _nearest_folder(path))
    then = _files_at(revision, path)
    is_folder = path.is_dir()
    names = {path}
    if is_folder or any(path in file.parents for file in then):
        now = _files_now(path) if is_folder else ()
        names = {file for file in (*then, *now) if _is_spec(file.relative_to(path))}
    if not names:
        raise GitError(f"{given}: error: found no spec there, now or at '{revision}'")
    is_all_there = all(name in then and name.exists() for name in names)
    moved = {} if is_all_there else _renames(revision, _nearest_folder(path))
    return list(dict.fromkeys(_versions(name, then, moved) for name in sorted(names)))


def _nearest_folder(path: Path) -> Path:
    """Return `path` or the nearest folder above it that exists: git is run in it."""
    return next(folder for folder in (path, *path.parents, Path()) if folder.is_dir())


def _is_spec(path: Path) -> bool:
    is_own = not any(part.startswith(("_", ".")) for part in path.parts)
    return is_own and path.suffix in {".yaml", ".yml"}


def _versions(
    name: Path, then: Collection[Path], moved: Mapping[Path, Path]
) -> Versions:
    place = Path(os.path.realpath(name.parent), name.name)  # as git prints paths
    if name.exists() or name not in then:
        old = name if name in then else moved.get(place)
        return Versions(_format(old), str(name))
    new = next((new for new, old in moved.items() if old == place), None)
    return Versions(str(name), _format(new))


def _format(path: Path | None) -> str | None:
    return None if path is None else os.path.relpath(path)


def _require(revision: str, given: str, folder: Path) -> None:
    """Raise `GitError` unless `folder` is in a repository that knows `revision`."""
    done = _run(folder, "rev-parse", "--is-inside-work-tree")
    reason = os.fsdecode(done.stderr).partition("\n")[0].removeprefix("fatal: ")
    if reason.startswith("not a git repository"):
        reason = (
            "it is in no git repository, so there is no revision "
            f"'{revision}' to compare with"
        )
    if done.returncode:
        raise GitError(f"{given}: error: {reason}")
    commit = f"{revision}^{{commit}}"
    if _git(folder, "rev-parse", "--verify", "--quiet", commit) is None:
        raise GitError(f"--against: error: found '{revision}', expected a git revision")


def _files_at(revision: str, path: Path) -> set[Path]:
    """Return `path`, or the files below it, as far as the revision has them."""
    folder = _nearest_folder(path)
    within = [] if folder == path else ["--", str(path.relative_to(folder))]
    return _list_files(folder, "ls-tree", "-r", "-z", "--name-only", revision, *within)


def _files_now(folder: Path) -> set[Path]:
    """Return the files below `folder` that git does not ignore."""
    options = ("--cached", "--others", "--exclude-standard")
    return {
        file
        for file in _list_files(folder, "ls-files", "-z", *options)
        if file.exists()
    }


def _list_files(folder: Path, *arguments: str) -> set[Path]:
    listed = _git(folder, *arguments) or b""
    return {folder / os.fsdecode(name) for name in listed.split(b"\0") if name}


def _root(folder: Path) -> Path:
    """Return the root of the repository that `folder` is in."""
    top = _git(folder, "rev-parse", "--show-toplevel") or b""
    return Path(os.fsdecode(top.removesuffix(b"\n")))


def _renames(revision: str, folder: Path) -> dict[Path, Path]:
    """Return the path at `revision` of each file that lies elsewhere now."""
    root = _root(folder)
    specs = ("--", "*.yaml", "*.yml", f"*{TABLEGEN}")
    unknown = _git(root, "ls-files", "-z", "--others", "--exclude-standard", *specs)
    used = _git(root, "rev-parse", "--git-path", "index") or b""
    with TemporaryDirectory() as temporary:
        # Git looks for renames among files in its index; the user's index stays as is.
        index, untracked = Path(temporary, "index"), Path(temporary, "untracked")
        with suppress(OSError):
            shutil.copyfile(root / os.fsdecode(used.removesuffix(b"\n")), index)
        if unknown:
            untracked.write_bytes(unknown)
            names = (f"--pathspec-from-file={untracked}", "--pathspec-file-nul")
            add = ("--literal-pathspecs", "add", "--intent-to-add", *names)
            _git(root, *add, index=index)
        options = ("-z", "-M", "--name-status", "--diff-filter=R", revision, *specs)
        listed = _git(root, "diff", *options, index=index) or b""
    words = [root / os.fsdecode(word) for word in listed.split(b"\0")]
    return dict(zip(words[2::3], words[1::3], strict=False))


def read_group_at(
    revision: str, spec: str, includes: Sequence[str] = (), tool: str | None = None
) -> PassGroup:
    """Return the group that the file `spec` declared at `revision`.

    Args:
        revision: the revision.
        spec: a spec or a `.td` file.
        includes: folders that a `.td` file includes others from; those in the
            repository are as they were, too.
        tool: the `llvm-tblgen` to run, instead of the one that is found.

    Raises:
        GitError: the file was not there, or is too large.
        SpecError: it is wrong.
    """
    # Groups may be called after their files: the revision is not part of the name.
    name = f"{revision}:{spec}" if "/" in spec else f"{revision}:./{spec}"
    if spec.endswith(TABLEGEN):
        with TemporaryDirectory() as then:
            root = _extract_tablegen(revision, Path(spec), Path(then))
            paths = [Path(os.path.realpath(path)) for path in (spec, *includes)]
            file, *folders = (
                (
                    str(then / path.relative_to(root))
                    if path.is_relative_to(root)
                    else str(path)
                )
                for path in paths
            )
            try:
                return read_input(file, folders, tool, name)
            except TablegenError as error:
                message = str(error).replace(f"{then}/", f"{revision}:")
                raise TablegenError(message) from error
    read = partial(_read_at, revision)
    try:
        source = decode(name, read(name))
    except OSError as error:
        raise GitError(f"{name}: error: {error.strerror}") from error
    return read_group(source, read)


def _extract_tablegen(revision: str, file: Path, folder: Path) -> Path:
    """Write the `.td` files of the repository of `file` to `folder`; return its root.

    Raises:
        GitError: they are too large.
    """
    root = _root(_nearest_folder(file.parent))
    # Git archives a link to a folder only if it is named.
    tree = _git(root, "ls-tree", "-r", "-z", revision) or b""
    entries = [entry.partition(b"\t") for entry in tree.split(b"\0")]
    links = [os.fsdecode(name) for kind, _, name in entries if kind[:6] == b"120000"]
    wanted = [f":(glob)**/*{TABLEGEN}", *(f":(literal){link}" for link in links)]
    files = _git(root, "archive", revision, "--", *wanted) or b""
    try:
        data = check_size(files, f"{revision}:*{TABLEGEN}")
    except OSError as error:
        raise GitError(f"{revision}: error: {error.strerror}") from error
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(folder, filter=_inside)  # noqa: S202 - filtered
    return root


def _inside(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """Return `member` without rights of others, `None` for a link out of `folder`."""
    with suppress(tarfile.FilterError):
        return tarfile.data_filter(member, folder)
    return None


def _read_at(revision: str, path: str) -> bytes:
    """Return the content that the file at `path` had at `revision`.

    Symbolic links are followed as they were, and as they are for a file that has been
    reached through a new link.
    """
    place = Path(os.path.normpath(Path.cwd() / path.removeprefix(f"{revision}:")))
    for way in dict.fromkeys((place, Path(os.path.realpath(place)))):
        root = next(
            (folder for folder in way.parents if (folder / ".git").exists()), None
        )
        if root is None or "\n" in str(way):
            continue
        name = os.fsencode(way.relative_to(root).as_posix())
        asked = os.fsencode(revision) + b":" + name + b"\n"
        follow = ("cat-file", "--batch", "--follow-symlinks")
        found = _run(root, *follow, given=asked).stdout
        head, _, data = found.partition(b"\n")
        if re.fullmatch(b"[0-9a-f]+ blob [0-9]+", head):
            return check_size(data[: int(head.split()[-1])], path)
    raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _git(folder: Path, *arguments: str, index: Path | None = None) -> bytes | None:
    """Return the output of `git` in `folder`; `None` if it fails."""
    done = _run(folder, *arguments, index=index)
    return done.stdout if done.returncode == 0 else None


def _run(
    folder: Path, *arguments: str, index: Path | None = None, given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run `git` in `folder` and its repository, even inside a hook of another."""
    environment = {k: v for k, v in os.environ.items() if k not in _OF_HOOKS}
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        return subprocess.run(  # noqa: S603 - the user's own git
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - as above
            capture_output=True,
            check=False,
            input=given,
            env={**environment, "LC_ALL": "C"},
        )
    except OSError as error:
        message = "git: error: the command was not found, and --against needs it"
        raise GitError(message) from error
