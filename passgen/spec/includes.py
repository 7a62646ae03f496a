"""The files that a spec includes to use their anchors.

    include: [common.yaml]

Paths are relative to the folder of the including file.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.source import Location
from passgen.spec.located import Node, Scalar, Sequence, describe
from passgen.spec.schema import load_schema

Reader: TypeAlias = Callable[[str], bytes]
"""Returns the content of the file at a path, or raises an `OSError`."""


def paths(node: Node) -> list[tuple[str, Location]]:
    """Return the paths that an `include` lists, each with its location.

    Raises:
        SpecError: it is not a list of paths.
    """
    listed = node.items if isinstance(node, Sequence) else (node,)
    found = []
    for path in listed:
        if not isinstance(path, Scalar) or not isinstance(path.value, str):
            message = f"found {describe(path)}, expected the path of a spec"
            raise SpecError([Diagnostic(message, path.location)])
        found.append((path_beside(path), path.location))
    return found


def path_beside(item: Scalar) -> str:
    """Return the path that `item` names, relative to the folder of its file."""
    folder = posixpath.dirname(item.location.source.name)
    return posixpath.normpath(posixpath.join(folder, str(item.value)))


def read(
    path: str, place: Location, chain: tuple[Location, ...], reader: Reader
) -> bytes:
    """Return the content of the file at `path`, which is included at `place`.

    Args:
        path: the path as messages show it.
        place: where the file is included.
        chain: the locations where the including files are included, outermost first.
        reader: reads the file.

    Raises:
        SpecError: it includes itself, cannot be read, or is not a spec.
    """
    sources = [*(link.source.name for link in chain), place.source.name]
    notes = tuple(Note("included from here", link) for link in reversed(chain))
    if path in {posixpath.normpath(name) for name in sources}:
        raise SpecError([Diagnostic(f"'{path}' includes itself", place, notes)])
    if len(chain) == MAX_CHAIN:
        message = f"found files that include one another over {MAX_CHAIN} deep"
        raise SpecError([Diagnostic(message, place, notes[-1:])])
    data = _read(path, place, reader)
    if not is_spec(data):
        # Later errors would show its lines, whatever file of the system it is.
        keys = ", ".join(f"'{key}'" for key in _keys())
        note = Note(f"a file that specs include has at least one of {keys}")
        raise SpecError([Diagnostic(f"'{path}' is not a spec", place, (note,))])
    return data


def read_ir(item: Scalar, key: str, reader: Reader) -> tuple[str, bytes]:
    """Return path and content of the file with IR that `item` names.

    Args:
        item: the name of the file.
        key: its key, `pdlFile` or `inputFile`.
        reader: reads the file.

    Raises:
        SpecError: it cannot be read, or has no IR.
    """
    path = path_beside(item)
    is_ir_file = key == "pdlFile" or path.endswith(".mlir")  # else the schema says so
    data = _read(path, item.location, reader) if is_ir_file else b"?"
    reason = "" if data.strip() else "is empty"
    if key == "pdlFile" and b"pdl." not in data:  # later errors would show its lines
        reason = "has no pattern in PDL"
    if reason:
        raise SpecError([Diagnostic(f"'{path}' {reason}", item.location)])
    return path, data


def _read(path: str, place: Location, reader: Reader) -> bytes:
    try:
        return reader(path)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = getattr(error, "strerror", None) or str(error)
        message = f"cannot read '{path}': {reason[:1].lower()}{reason[1:]}"
        raise SpecError([Diagnostic(message, place)]) from error


MAX_CHAIN: Final = 32
"""The depth of files that include one another."""


def is_spec(data: bytes) -> bool:
    """Return whether `data` has a key that other YAML is unlikely to have."""
    return _top_level_key().search(data) is not None


def _keys() -> list[str]:
    """Return the keys of specs that other YAML is unlikely to have at its top level."""
    common = {"name", "summary", "description", "ir", "lint"}
    return [key for key in load_schema()["properties"] if key not in common]


@cache
def _top_level_key() -> re.Pattern[bytes]:
    """Return the pattern of a key of specs in the first column or after a brace."""
    keys = "|".join(_keys())
    text = rf"""^(?:\xef\xbb\xbf|\? +|[{{,]\s*)*["']?(?:{keys})["']?\s*:"""
    return re.compile(text.encode(), re.MULTILINE)
