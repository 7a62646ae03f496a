"""The origin of a generated file, for its first line.

origin_of("/src/specs/affine.yaml", Path("/src"), name="Affine") ==
    Origin("specs/affine.yaml", "passgen --name Affine specs/affine.yaml")
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Origin:
    """The spec of a generated file and the command that renews it.

    Both are the same on every machine: no absolute path, no version, no date.
    """

    spec: str
    """The spec's path, or `<stdin>`."""

    command: str
    """The command line, quoted for a shell; standard input is `-`."""


def origin_of(  # noqa: PLR0913 - one for each argument of the command line
    spec: str,
    folder: Path | None,
    *,
    name: str | None = None,
    prefix: str | None = None,
    targets: Sequence[str] = (),
    output: str | None = None,
    template_dir: str | None = None,
    others: Sequence[str] = (),
) -> Origin:
    """Return the origin of the outputs of `spec` when `passgen` runs in `folder`.

    Args:
        spec: the path as it was given, or `-`.
        folder: the current folder, absolute; `None` if it does not exist.
        name: the value of `--name`.
        prefix: the value of `--prefix`.
        targets: the values of `--target`.
        output: the value of `-o`.
        template_dir: the value of `--template-dir`.
        others: further specs that this one needs, as they were given.
    """
    flags = [("--name", name), ("--prefix", prefix)]
    flags += [("--target", target) for target in targets]
    command = ["passgen"]
    for flag, value in flags:
        command += [] if value is None else [flag, value]
    if template_dir is not None:
        command += ["--template-dir", _argument(template_dir, folder)]
    if output and portable_path(output, folder) not in {None, "."}:
        command += ["-o", _argument(output, folder)]
    command += [_argument(path, folder) for path in (spec, *others)]
    shown = "<stdin>" if spec == "-" else _format(spec, folder)
    return Origin(shown, shlex.join(command))


def _format(path: str, folder: Path | None) -> str:
    return portable_path(path, folder) or Path(path).name


def _argument(path: str, folder: Path | None) -> str:
    """Return `path` as an argument that is not read as an option."""
    shown = _format(path, folder)
    return f"./{shown}" if shown.startswith("-") and path != "-" else shown


def portable_path(path: str, folder: Path | None) -> str | None:
    """Return `path` relative to `folder`; `None` if it is absolute and elsewhere.

    A relative path stays as it is, `..` included: it is the same on each machine.
    """
    if not Path(path).is_absolute():
        return Path(path).as_posix()
    if folder is None or not Path(path).is_relative_to(folder):
        return None
    return Path(path).relative_to(folder).as_posix()
