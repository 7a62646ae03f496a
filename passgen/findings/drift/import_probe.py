"""The process that imports: names in JSON in, what they are in lines of JSON out.

A line is the module that is imported next, before what it does can end the process, or
a name and what it is. The process is run by its path, and imports nothing of passgen,
which would take the place of authors' modules of the same names. What modules print
while they are imported goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import accumulate
from typing import Any


def probe(name: str, announce: Callable[[str], None]) -> dict[str, Any]:
    """Return what `name`, a `module:Name`, is, or why it cannot be imported."""
    module, _, path = name.partition(":")
    try:
        for each in accumulate(module.split("."), "{}.{}".format):
            announce(each)
            import_module(each)
        found = getattr(sys.modules[module], path)
    except BaseException as error:  # noqa: BLE001 - whatever a module does
        return {"error": _reason(error), "isClass": False, "bases": []}
    bases = found.__mro__ if isinstance(found, type) else ()
    return {
        "error": "",
        "isClass": isinstance(found, type),
        "bases": [each.__name__ for each in bases],
    }


def _reason(error: BaseException) -> str:
    text = str(error).split("\n", 1)[0]
    kind = type(error).__name__
    return f"{kind}: {text}" if text else kind


def main() -> None:
    """Answer the names on standard input."""
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    names = json.load(sys.stdin)
    with os.fdopen(answer, "w", encoding="utf-8") as stream:

        def say(*words: object) -> None:
            print(json.dumps(words), file=stream, flush=True)

        for name in names:
            say(name, probe(name, say))


if __name__ == "__main__":
    main()
