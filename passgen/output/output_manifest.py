"""Manifests: where outputs are from whose text does not tell, for `orphans`.

Files in the form of `mlir-tblgen` are the same as its own to the byte, and templates
of a user's need not name the spec. A file beside the outputs does it for them:

    {"outputs": {"affine_passes.h.inc":
        {"spec": "affine.yaml", "command": "passgen --target cpp affine.yaml"}}}
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from passgen import bounded_input, output
from passgen.output.json_syntax import json_text
from passgen.output.files import OutputFile

NAME: Final = ".passgen-outputs.json"
"""Of the manifest of a folder."""


class Made(NamedTuple):
    """What an output was made of."""

    spec: str
    command: str


def read(folder: Path) -> dict[str, Made]:
    """Return what the manifest in `folder` lists, by name; nothing if it is damaged."""
    try:
        data = json.loads(bounded_input.read_file(folder / NAME))
        return {
            name: Made(str(each["spec"]), str(each["command"]))
            for name, each in data["outputs"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def record(folder: Path, made: Mapping[str, Made]) -> None:
    """Add the outputs `made`, by name, to the manifest in `folder`.

    What is listed already stays as long as the file is there: other calls made it, or
    it is an orphan.

    Raises:
        OutputError: the manifest cannot be written.
    """
    if made.items() <= read(folder).items():
        return
    with _alone(folder):
        known = read(folder)
        listed = {name: known[name] for name in known if (folder / name).is_file()}
        listed |= made
        outputs = {name: listed[name]._asdict() for name in sorted(listed)}
        output.write([OutputFile(folder / NAME, json_text({"outputs": outputs}))])


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait for other calls that write into `folder`, where the system can tell."""
    if sys.platform == "win32":
        yield
        return
    import fcntl  # noqa: PLC0415 - other systems do not have it

    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network drives have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
