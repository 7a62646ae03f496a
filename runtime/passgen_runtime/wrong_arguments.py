"""Arguments of a wrong kind, refused where they are given and not where they are used.

    raise wrong_argument("context", "any", "a Context", "it comes first")

What those mean who know MLIR's Python bindings or xDSL is said in a note.
"""

from __future__ import annotations

from passgen_runtime.errors import clipped


def wrong_argument(what: str, given: object, expected: str, *notes: str) -> TypeError:
    """Return the error that `what` is not what is `expected`, with `notes` below it."""
    message = f"{what}: expected {expected}, found {_described(given)}"
    return TypeError("\n".join((message, *(f"note: {note}" for note in notes))))


def _described(value: object) -> str:
    """Return what messages call an argument: its value where that is plain."""
    if isinstance(value, type):
        return f"the class {value.__qualname__}"
    kind = type(value)
    if kind.__module__ == "builtins":
        return clipped(repr(value))
    return f"an object of {kind.__module__}.{kind.__qualname__}"
