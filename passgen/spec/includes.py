"""Anchors, and the files that a spec includes to use their anchors.

    include: [common.yaml]

Paths are relative to the folder of the including file.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Final, TypeAlias

from passgen.diagnostics import Diagnostic, Note, SpecError, nearest
from passgen.source import Location
from passgen.spec.located import Node, Scalar, Sequence, describe

Reader: TypeAlias = Callable[[str], bytes]
"""Returns the content of the file at a path, or raises an `OSError`."""


def paths(node: Node) -> list[tuple[str, Location]]:
    """Return the paths that an `include` lists, each with its location.

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
    """Return the content of the file at `path`, which is included at `place`.

    Args:
        path: the path as messages show it.
        place: where the file is included.
        chain: where the including files are included themselves, outermost first.
        reader: reads the file.

    Raises:
        SpecError: it includes itself, or cannot be read.
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
"""The number of values that all aliases of a spec together may stand for."""


class Anchors:
    """The anchored values of one file, each with its size."""

    def __init__(self) -> None:
        """Begin with no anchor."""
        self._found: dict[str, tuple[Node, int]] = {}
        self._aliased = 0

    def remember(self, anchor: str | None, node: Node, size: int) -> None:
        """Let aliases of `anchor`, unless it is `None`, stand for `node`."""
        if anchor is not None:
            self._found[anchor] = (node, size)

    def add(self, others: Anchors) -> None:
        """Add the anchors of an included file."""
        self._found |= others._found

    def find(self, anchor: str) -> tuple[Node, int] | None:
        """Return the value of `anchor` and the number of values in it."""
        return self._found.get(anchor)

    def nearest(self, anchor: str) -> str | None:
        """Return the anchor that a user who wrote `anchor` most likely meant."""
        return nearest(anchor, self._found)

    def is_too_much(self, size: int) -> bool:
        """Count `size` more values; return whether `MAX_ALIASED` is exceeded."""
        self._aliased += size
        return self._aliased > MAX_ALIASED
