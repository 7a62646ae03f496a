"""Constructors of specs, imported: in a process of its own, as authors' code runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from passgen.diagnostics import UserError

_PROBE: Final = "passgen.drift.constructor_probe"
_PATIENCE_S: Final = 300


@dataclass(frozen=True, slots=True)
class Constructed:
    """What a constructor is."""

    error: str
    """Why it cannot be imported; empty if it can."""

    bases: frozenset[str]
    """The names of the classes it derives from."""


class ImportsError(UserError):
    """The process that imports ended before it could tell."""


def construct(names: Sequence[str], folders: Sequence[Path]) -> dict[str, Constructed]:
    """Return what each of `names`, a `module:Class`, is.

    Args:
        names: the constructors.
        folders: where modules are looked for first.

    Raises:
        ImportsError: the modules cannot be imported to the end.
    """
    paths = [str(folder.absolute()) for folder in folders]
    inherited = os.environ.get("PYTHONPATH")
    search = os.pathsep.join([*paths, *([inherited] if inherited else [])])
    request = json.dumps(list(dict.fromkeys(names)))
    try:
        done = subprocess.run(  # noqa: S603 - the specs' own modules
            [sys.executable, "-m", _PROBE],
            input=request.encode(),
            capture_output=True,
            env={**os.environ, "PYTHONPATH": search},
            timeout=_PATIENCE_S,
            check=False,
        )
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        message = f"constructors: error: importing them takes over {_PATIENCE_S} s"
        raise ImportsError(message) from error
    except (OSError, ValueError) as error:  # ValueError: it ended without an answer
        message = (
            "constructors: error: the process that imports them ended early\n"
            "note: --no-imports leaves this check out"
        )
        raise ImportsError(message) from error
    return {
        name: Constructed(each["error"], frozenset(each["bases"]))
        for name, each in found.items()
    }
