"""Where a generated file comes from, as its first line tells.

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
    """The command line, quoted for a shell; of standard input, `-` is all it knows."""


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
    """Return the origin of what `passgen` makes of `spec` when it is run in `folder`.

    Args:
        spec: the path as it was given, or `-`.
        folder: the current one, absolute; `None` where there is none.
        name: what `--name` was given.
        prefix: what `--prefix` was given.
        targets: what `--target` was given.
        output: what `-o` was given.
        template_dir: what `--template-dir` was given.
        others: further specs that this one needs, as they were given.
    """
    command = ["passgen"]
    if name is not None:
        command += ["--name", name]
    if prefix is not None:
        command += ["--prefix", prefix]
    for target in targets:
        command += ["--target", target]
    if template_dir is not None:
        shown_root = _shown_spec(template_dir, folder)
        command += ["--template-dir", _as_argument(shown_root, template_dir)]
    shown_output = portable_path(output, folder) if output else None
    if shown_output and shown_output != ".":
        command += ["-o", _as_argument(shown_output, output)]
    shown_spec = _shown_spec(spec, folder)
    for each in (spec, *others):
        command.append(_as_argument(_shown_spec(each, folder), each))
    shown_origin = "<stdin>" if spec == "-" else shown_spec
    return Origin(shown_origin, shlex.join(command))


def _shown_spec(spec: str, folder: Path | None) -> str:
    return portable_path(spec, folder) or Path(spec).name


def _as_argument(shown: str, given: str | None) -> str:
    """Return the path `shown`, unless `-` was given not to be read as an option."""
    return f"./{shown}" if shown.startswith("-") and given != "-" else shown


def portable_path(path: str, folder: Path | None) -> str | None:
    """Return `path` relative to `folder`; `None` if it is absolute and lies elsewhere.

    A relative path stays what it is, `..` included: it says the same on each machine.
    """
    if not Path(path).is_absolute():
        return Path(path).as_posix()
    if folder is None or not Path(path).is_relative_to(folder):
        return None
    return Path(path).relative_to(folder).as_posix()
