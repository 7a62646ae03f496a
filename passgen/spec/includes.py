"""What a spec includes: other files, whose anchors it may use. A part of `loader`.

    include: [common.yaml]

Paths are meant from the folder of the file that includes.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import TypeAlias

from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.source import Location
from passgen.spec.located import Node, Scalar, Sequence, describe

Reader: TypeAlias = Callable[[str], bytes]
"""Returns what a file holds whose path it is given, or raises an `OSError`."""


def paths(node: Node) -> list[tuple[str, Location]]:
    """Return the paths that an `include` lists, each with its place.

    Raises:
        SpecError: it is no list of paths.
    """
    items = node.items if isinstance(node, Sequence) else (node,)
    found = []
    for item in items:
        if not isinstance(item, Scalar) or not isinstance(item.value, str):
            message = f"found {describe(item)}, expected the path of a spec"
            raise SpecError([Diagnostic(message, item.location)])
        found.append((_beside(item), item.location))
    return found


def _beside(item: Scalar) -> str:
    folder = posixpath.dirname(item.location.source.name)
    return posixpath.normpath(posixpath.join(folder, str(item.value)))


def read(
    path: str, place: Location, chain: tuple[Location, ...], reader: Reader
) -> bytes:
    """Return what the file at `path` holds, which the spec includes at `place`.

    Args:
        path: as it is shown.
        place: where it is included.
        chain: where the file is included that includes it, and so on, outermost first.
        reader: reads it.

    Raises:
        SpecError: it is there already, or cannot be read.
    """
    sources = [*(each.source.name for each in chain), place.source.name]
    if path in {posixpath.normpath(name) for name in sources}:
        notes = tuple(Note("included from here", each) for each in reversed(chain))
        raise SpecError([Diagnostic(f"'{path}' includes itself", place, notes)])
    try:
        return reader(path)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = getattr(error, "strerror", None) or str(error)
        message = f"cannot read '{path}': {reason[:1].lower()}{reason[1:]}"
        raise SpecError([Diagnostic(message, place)]) from error
