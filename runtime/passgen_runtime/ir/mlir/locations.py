"""Places in files that a location of MLIR names, found as MLIR's diagnostics do.

They are read off its text: not all bindings can tell what kind of location one is.
"""

from __future__ import annotations

import re
from typing import Final

MAX_CALLERS: Final = 10
"""How many callers MLIR shows below a diagnostic."""

_FILE_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_CALL_SITE: Final = "callsite("
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|callsite\(|[()]| at ')


def place_of(location: object) -> str:
    """Return `file:line:col`, of the innermost file there is; else MLIR's own text."""
    text = str(location)
    return _place_in(text) or text


def callers_of(location: object) -> tuple[str, ...]:
    """Return from where the code at `location` was called, innermost call first."""
    callers: list[str] = []
    caller = _caller_in(str(location))
    while caller is not None and len(callers) < MAX_CALLERS:
        if place := _place_in(caller):
            callers.append(place)
        caller = _caller_in(caller)
    return tuple(callers)


def _place_in(text: str) -> str | None:
    match = _FILE_PLACE.search(text)
    return None if match is None else f"{match[1]}:{match[2]}:{match[3]}"


def _caller_in(text: str) -> str | None:
    """Return the caller of the first `callsite(callee at caller)` in `text`."""
    depth, begin = 0, None
    for token in _TOKEN.finditer(text):
        if depth == 0 and token[0] != _CALL_SITE:
            continue
        if token[0].endswith("("):
            depth += 1
        elif token[0] == ")":
            depth -= 1
            if not depth:
                return text[begin : token.start()]
        elif token[0] == " at " and depth == 1:
            begin = token.end()
    return None
