"""What specs name in Python, imported: in another process, as authors' code runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from passgen.diagnostics import UserError
from passgen.record import Record

_PROBE: Final = Path(__file__).with_name("import_probe.py")
_PATIENCE_S: Final = 300


class Imported(Record):
    """What a `module:Name` is."""

    error: str
    """Why it cannot be imported; empty if it can."""

    is_class: bool
    bases: frozenset[str]
    """The names of the classes that a class derives from, its own among them."""


class ImportsError(UserError):
    """The process that imports ended before it could tell."""


def import_objects(
    names: Sequence[str], folders: Sequence[Path]
) -> dict[str, Imported]:
    """Return what each of `names`, a `module:Name`, is.

    Args:
        names: the objects.
        folders: where modules are looked for, before those that are installed.

    Raises:
        ImportsError: the modules cannot be imported to the end.
    """
    paths = [str(folder.absolute()) for folder in folders]
    inherited = os.environ.get("PYTHONPATH")
    search = os.pathsep.join([*paths, *([inherited] if inherited else [])])
    request = json.dumps(list(dict.fromkeys(names)))
    try:
        done = subprocess.run(  # noqa: S603 - the specs' own modules
            [sys.executable, "-P", str(_PROBE)],  # -P: from nowhere else
            input=request.encode(),
            capture_output=True,
            env={**os.environ, "PYTHONPATH": search},
            timeout=_PATIENCE_S,
            check=False,
        )
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        message = f"passgen drift: error: imports take over {_PATIENCE_S} s"
        raise ImportsError(message) from error
    except (OSError, ValueError) as error:  # ValueError: it ended without an answer
        message = (
            "passgen drift: error: the process that imports constructors ended early\n"
            "note: --no-imports leaves this check out"
        )
        raise ImportsError(message) from error
    return {
        name: Imported(each["error"], each["isClass"], frozenset(each["bases"]))
        for name, each in found.items()
    }
