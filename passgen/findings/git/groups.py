"""Groups of passes as a file declared them at a git revision."""

from __future__ import annotations

import errno
import io
import os
import re
import tarfile
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from passgen.findings.git.command import (
    GitError,
    git_output,
    nearest_folder,
    root_of,
    run_git,
)
from passgen.findings.inputs import read_input
from passgen.generation import read_group
from passgen.model import PassGroup
from passgen.source import check_size
from passgen.spec import decode
from passgen.tablegen import TablegenError

_LINK_MODE: Final = b"120000"
"""The mode of a symbolic link in a list of `git ls-tree`."""

_BLOB: Final = re.compile(rb"[0-9a-f]+ blob ([0-9]+)")
"""The line of `git cat-file` before the content of a file, with its size."""


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
    if spec.endswith(".td"):
        return _read_tablegen_at(revision, spec, includes, tool)
    name = _name_at(revision, spec)
    read = partial(_read_at, revision)
    try:
        source = decode(name, read(name))
    except OSError as error:
        raise GitError(f"{name}: error: {error.strerror}") from error
    return read_group(source, read)


def _name_at(revision: str, spec: str) -> str:
    """Return the name of the file `spec` in messages about a revision.

    Groups may be called after their files: the revision is not part of that name.
    """
    return f"{revision}:{spec}" if "/" in spec else f"{revision}:./{spec}"


def _read_tablegen_at(
    revision: str, spec: str, includes: Sequence[str], tool: str | None
) -> PassGroup:
    with TemporaryDirectory() as temporary:
        then = Path(temporary)
        root = _extract_tablegen(revision, Path(spec), then)
        file, *folders = (_path_in(then, root, path) for path in (spec, *includes))
        try:
            return read_input(file, folders, tool, _name_at(revision, spec))
        except TablegenError as error:
            message = str(error).replace(f"{then}/", f"{revision}:")
            raise TablegenError(message) from error


def _path_in(then: Path, root: Path, given: str) -> str:
    """Return the path in `then` of what is in the repository; others as they are."""
    path = Path(os.path.realpath(given))
    if path.is_relative_to(root):
        path = then / path.relative_to(root)
    return str(path)


def _extract_tablegen(revision: str, file: Path, folder: Path) -> Path:
    """Write the `.td` files of the repository of `file` to `folder`; return its root.

    Raises:
        GitError: they are too large.
    """
    root = root_of(nearest_folder(file.parent))
    # Git archives a link to a folder only if it is named.
    links = [f":(literal){link}" for link in _links_at(revision, root)]
    archived = git_output(root, "archive", revision, "--", ":(glob)**/*.td", *links)
    try:
        data = check_size(archived, f"{revision}:*.td")
    except OSError as error:
        raise GitError(f"{revision}: error: {error.strerror}") from error
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(folder, filter=_inside)  # noqa: S202 - filtered
    return root


def _links_at(revision: str, root: Path) -> list[str]:
    """Return the symbolic links of a repository at `revision`."""
    links = []
    for entry in git_output(root, "ls-tree", "-r", "-z", revision).split(b"\0"):
        description, _, name = entry.partition(b"\t")
        if description.startswith(_LINK_MODE):
            links.append(os.fsdecode(name))
    return links


def _inside(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """Return `member` without rights of others, `None` for a link out of `folder`."""
    with suppress(tarfile.FilterError):
        return tarfile.data_filter(member, folder)
    return None


def _read_at(revision: str, path: str) -> bytes:
    """Return the content that the file at `path` had at `revision`.

    Symbolic links are followed as they were, and as they are for a file that has been
    reached through a new link.

    Raises:
        OSError: there was no such file, or it is too large.
    """
    place = Path(os.path.normpath(Path.cwd() / path.removeprefix(f"{revision}:")))
    real_place = Path(os.path.realpath(place))
    for candidate in dict.fromkeys((place, real_place)):
        data = _blob(revision, candidate)
        if data is not None:
            return check_size(data, path)
    raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _blob(revision: str, path: Path) -> bytes | None:
    """Return the content at `revision` of the file at `path`, if it was there."""
    roots = (folder for folder in path.parents if (folder / ".git").exists())
    root = next(roots, None)
    if root is None or "\n" in str(path):
        return None
    name = os.fsencode(path.relative_to(root).as_posix())
    request = os.fsencode(revision) + b":" + name + b"\n"
    command = ("cat-file", "--batch", "--follow-symlinks")
    reply = run_git(root, *command, given=request).stdout
    head, _, data = reply.partition(b"\n")
    match = _BLOB.fullmatch(head)
    return data[: int(match[1])] if match else None
