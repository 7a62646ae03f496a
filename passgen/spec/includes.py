"""Anchors, and the files that a spec includes to use theirs.

    include: [common.yaml]

Paths are meant from the folder of the file that includes.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Final, TypeAlias

from passgen.diagnostics import Diagnostic, Note, SpecError, nearest
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


MAX_ALIASED: Final = 1_000_000
"""Values that all aliases of a spec together may stand for."""


class Anchors:
    """The values that aliases of one file may stand for, each with its size."""

    def __init__(self) -> None:
        """Begin with no anchor."""
        self._found: dict[str, tuple[Node, int]] = {}
        self._aliased = 0

    def remember(self, anchor: str | None, node: Node, size: int) -> None:
        """Let aliases of `anchor`, if there is one, stand for `node`."""
        if anchor is not None:
            self._found[anchor] = (node, size)

    def add(self, others: Anchors) -> None:
        """Let aliases stand for the values of another file, too."""
        self._found |= others._found

    def find(self, anchor: str) -> tuple[Node, int] | None:
        """Return the value of `anchor` and how many values are in it."""
        return self._found.get(anchor)

    def nearest(self, anchor: str) -> str | None:
        """Return the anchor that a user who wrote `anchor` most likely meant."""
        return nearest(anchor, self._found)

    def is_too_much(self, size: int) -> bool:
        """Count `size` values more; return whether all are more than `MAX_ALIASED`."""
        self._aliased += size
        return self._aliased > MAX_ALIASED
