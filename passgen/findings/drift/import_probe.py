"""The process that imports: names and folders in JSON in, lines of JSON out.

A line is the module that is imported next, written before its code can end the process,
or a name and its description. The process is run by its path, and imports nothing of
passgen, which would take the place of authors' modules of the same names. What modules
print while they are imported goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Callable
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Any


def probe(name: str, announce: Callable[[str], None]) -> dict[str, Any]:
    """Return the description of a `module:Name`, or why it cannot be imported."""
    module, _, path = name.partition(":")
    try:
        for package in accumulate(module.split("."), "{}.{}".format):
            announce(package)
            imported = import_module(package)
        found = getattr(imported, path)
    except BaseException as error:  # noqa: BLE001 - whatever a module does
        return {"error": _reason(error)}
    bases = found.__mro__ if isinstance(found, type) else ()
    return {"bases": [base.__name__ for base in bases]}


def _reason(error: BaseException) -> str:
    text = str(error).split("\n", 1)[0]
    kind = type(error).__name__
    return f"{kind}: {text}" if text else kind


def _end_of_library() -> int:
    """Return the place in `sys.path` after the folders of the standard library.

    Before them, a module `json` of an author would be imported in place of Python's.
    """
    paths = sysconfig.get_paths()
    library = {paths["stdlib"], paths["platstdlib"]}
    library |= {str(Path(folder, "lib-dynload")) for folder in library}
    places = [place for place, folder in enumerate(sys.path, 1) if folder in library]
    return max(places, default=0)


def main() -> None:
    """Answer the names on standard input."""
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    names, folders = json.load(sys.stdin)
    sys.path[_end_of_library() : 0] = folders
    with os.fdopen(answer, "w", encoding="utf-8") as stream:

        def say(*words: object) -> None:
            print(json.dumps(words), file=stream, flush=True)

        for name in names:
            say(name, probe(name, say))


if __name__ == "__main__":
    main()
