"""YAML text to a tree of located values: the phase before `schema`.

    passes: {Cse: {argument: cse}}

is a `Mapping` whose entry `passes` holds a `Mapping`, down to `Scalar('cse', 1:26)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from passgen.diagnostics import Diagnostic, SpecError
from passgen.source import Location, SourceFile, read_regular_file
from passgen.spec import includes, yaml_errors
from passgen.spec.events import Anchors, TreeBuilder
from passgen.spec.includes import Reader
from passgen.spec.located import Mapping, Node, Scalar, Sequence


def decode(name: str, data: bytes) -> SourceFile:
    """Return the source file `name` whose bytes are `data`.

    Raises:
        SpecError: the bytes are not UTF-8.
    """
    try:
        return SourceFile(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        readable = SourceFile(name, data.decode("utf-8", "replace"))
        before = error.object[: error.start].decode("utf-8")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        message = f"found the byte 0x{data[error.start]:02x}, expected text in UTF-8"
        place = Location(readable, line, column)
        raise SpecError([Diagnostic(message, place)]) from None


def load(source: SourceFile, reader: Reader = read_regular_file) -> Mapping:
    """Return the mapping that `source` holds.

    Args:
        source: the spec.
        reader: reads the files that it includes.

    Raises:
        SpecError: it is not YAML, is not one mapping, or has something that no spec
            may have: duplicate keys, keys that are not text, unknown tags, merge keys,
            too many aliased values, files that cannot be included.
    """
    return _load(source, reader, (), {})[0]


_Loaded: TypeAlias = tuple[Mapping, Anchors]


def _load(
    source: SourceFile,
    reader: Reader,
    chain: tuple[Location, ...],
    done: dict[str, _Loaded],
) -> _Loaded:
    """Return the mapping that `source` holds, and its anchors.

    Args:
        source: the spec, or a file that it includes.
        reader: reads the files that it includes.
        chain: where `source` is included, outermost first.
        done: the included files that have been loaded, by path.
    """
    if source.text.startswith("\ufeff"):
        source = SourceFile(source.name, source.text[1:])
    _readable(source)
    anchors: Anchors = {}
    included: dict[str, Mapping] = {}

    def include(node: Node) -> None:
        for path, place in includes.paths(node):
            if path not in done:
                data = includes.read(path, place, chain, reader)
                included_from = (*chain, place)
                done[path] = _load(decode(path, data), reader, included_from, done)
            root, theirs = done[path]
            for spec in (*root.included, root):
                included[spec.location.source.name] = spec
            anchors.update(theirs)

    root = TreeBuilder(source, anchors, include).build()
    files = {}
    for named, key in _ir_files(root):
        path, data = includes.read_ir(named, key, reader)
        files[path] = _readable(decode(path, data))
    parts = tuple(included.values())
    return replace(root, included=parts, ir_files=files), anchors


def _readable(source: SourceFile) -> SourceFile:
    """Return `source` if it has no character that is forbidden.

    Raises:
        SpecError: it has one.
    """
    unreadable = yaml_errors.unreadable_character(source)
    if unreadable:
        raise SpecError([unreadable])
    return source


_IR_FILES: Final = {"patterns": ("pdlFile", "pdl"), "examples": ("inputFile", "input")}
"""The key of a file with IR in the parts of a pass, and that of IR in its place."""


def _ir_files(root: Mapping) -> Iterator[tuple[Scalar, str]]:
    """Yield the names of files with IR, and their keys, as far as the form is right."""
    passes = root.entries.get("passes")
    for pass_ in _values(passes.value if passes else None):
        entries = pass_.entries if isinstance(pass_, Mapping) else {}
        for name, (key, other) in _IR_FILES.items():
            parts = entries.get(name)
            for part in _values(parts.value if parts else None):
                if isinstance(part, Mapping) and other not in part.entries:
                    named = part.entries.get(key)
                    file = named.value if named else None
                    if isinstance(file, Scalar) and isinstance(file.value, str):
                        yield file, key


def _values(node: Node | None) -> Iterable[Node]:
    if isinstance(node, Sequence):
        return node.items
    if isinstance(node, Mapping):
        return [entry.value for entry in node.entries.values()]
    return ()
