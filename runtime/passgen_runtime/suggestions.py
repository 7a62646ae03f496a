"""Suggestions for names that Python's own exceptions are about.

Python itself shows them in tracebacks alone, and for keyword arguments from 3.13 on.
Only messages about mistakes need this module: `import passgen_runtime` leaves it out.
"""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Iterable, Iterator
from operator import attrgetter
from traceback import walk_tb
from types import FrameType, ModuleType
from typing import Final

from passgen_rules.suggestions import nearest_name

_UNEXPECTED_KEYWORD: Final = re.compile(
    r"(.+)\(\) got an unexpected keyword argument '(\w+)'"
)


def suggestion_of(error: BaseException, text: str) -> str:
    """Return what Python appends to the `text` of `error`; mostly nothing."""
    if "did you mean" in text.lower():
        return ""
    try:
        name, candidates = _misspelt(error, text)
        is_public = not name.startswith("_")
        others = [
            other
            for other in candidates
            if other != name and not (is_public and other.startswith("_"))
        ]
        nearest = nearest_name(name, others)
    except Exception:  # noqa: BLE001 - `dir` calls the object, which may raise anything
        return ""
    return f". Did you mean: '{nearest}'?" if nearest else ""


def _misspelt(error: BaseException, text: str) -> tuple[str, Iterable[str]]:
    """Return the name that `error` is about, with the names that exist."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    frame = frames[-1] if frames else None
    if isinstance(error, AttributeError) and error.name:
        return error.name, dir(error.obj)
    if isinstance(error, NameError) and error.name and frame is not None:
        return error.name, (*frame.f_locals, *frame.f_globals, *dir(builtins))
    match = _UNEXPECTED_KEYWORD.fullmatch(text)
    if isinstance(error, TypeError) and match and frame is not None:
        return match[2], _parameters(match[1], frame)
    return "", ()


def _parameters(function: str, frame: FrameType) -> Iterable[str]:
    """Return the parameters of `function`, a qualified name, which `frame` calls."""
    owner, _, method = function.rpartition(".")
    for value in _values_in(frame):
        for found in (value, *type(value).__mro__):
            name = getattr(found, "__qualname__", None)
            if name == function and callable(found):
                return inspect.signature(found).parameters
            if name == owner:
                return inspect.signature(attrgetter(method)(found)).parameters
    return ()


def _values_in(frame: FrameType) -> Iterator[object]:
    """Yield the values of the variables in `frame`, and of modules among them."""
    values = (*frame.f_locals.values(), *frame.f_globals.values())
    yield from values
    for value in values:
        if isinstance(value, ModuleType):
            yield from vars(value).values()
