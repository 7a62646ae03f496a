"""The specs that an editor has open, over those on the disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from passgen.diagnostics import Diagnostic
from passgen.editor.cursor import Cursor, cursor_on, cursor_typing
from passgen.editor.meanings import names_at
from passgen.editor.names import Name, Names
from passgen.editor.problems import Reading, find_problems, read_spec
from passgen.model import PassGroup
from passgen.source import Location, SourceFile, read_regular_file
from passgen.spec import is_spec

_OBJECT = re.compile(r"([\w.]+):(\w+)")
"""A Python object, as specs name it."""


@dataclass(frozen=True)
class Settings:
    """What the user of an editor may choose."""

    specs: tuple[str, ...] = ()
    """Patterns of the specs that belong together, from the root; by default those in
    the folder of a spec."""

    schema: bool = True
    """Whether to report what the schema refuses: another server may do so."""

    registered: tuple[str, ...] = ()
    """Passes of the driver, which pipelines in texts may name."""


@dataclass
class _Document:
    text: str
    reading: Reading | None = None
    """What was read of the text; `None` before that."""

    group: PassGroup | None = None
    """The group of the last text that could be read."""


@dataclass
class Workspace:
    """Answers questions about the specs below a folder."""

    root: Path
    settings: Settings = field(default_factory=Settings)
    _open: dict[str, _Document] = field(default_factory=dict)
    _beside: dict[str, tuple[str, Reading]] = field(default_factory=dict)
    """Text and reading of the specs beside open documents, by their paths."""

    def put(self, path: str, text: str) -> None:
        """Take the text of an open document."""
        before = self._open.get(path)
        self._open[path] = _Document(text, group=before.group if before else None)
        for document in self._open.values():
            document.reading = None  # it may include the document
        self._beside = {
            other: (of_text, reading)
            for other, (of_text, reading) in self._beside.items()
            if reading.group and path not in reading.group.included
        }

    def remove(self, path: str) -> None:
        """Forget an open document: the file on the disk counts again."""
        self._open.pop(path, None)

    @property
    def open_paths(self) -> list[str]:
        """The paths of open documents."""
        return list(self._open)

    def text_of(self, path: str) -> str:
        """Return the text of a document, or an empty one if it cannot be read."""
        try:
            return self._read_file(path).decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""

    def problems(self, path: str) -> tuple[Diagnostic, ...]:
        """Return the problems of an open document; none if it is no spec."""
        reading = self._reading(path)
        if reading.group is None:
            return reading.problems
        others, are_valid = self._neighbours(path)
        return find_problems(reading.group, others, are_all=are_valid)

    def completions(self, path: str, line: int, column: int) -> tuple[Name, ...]:
        """Return the names that may be typed at a place, counted from 0."""
        cursor = cursor_typing(self.text_of(path), line, column)
        return self._names(path, cursor) if cursor else ()

    def name_at(self, path: str, line: int, column: int) -> Name | None:
        """Return the name that stands at a place, counted from 0, and is known."""
        cursor = cursor_on(self.text_of(path), line, column)
        if cursor is None:
            return None
        names = {name.name: name for name in self._names(path, cursor)}
        return names.get(cursor.text) or names.get(cursor.word)

    def definition(self, path: str, line: int, column: int) -> Location | None:
        """Return the declaration of what stands at a place, counted from 0."""
        cursor = cursor_on(self.text_of(path), line, column)
        if cursor is None:
            return None
        folder = Path(path).parent
        if cursor.path[:1] == ("include",) or cursor.path[-1:] == ("pdlFile",):
            file = os.path.normpath(folder / cursor.text)
            return Location(SourceFile(file, self.text_of(file)), 1, 1)
        if found := _OBJECT.fullmatch(cursor.text):
            return self._python(folder, found[1], found[2])
        name = self.name_at(path, line, column)
        return name.location if name else None

    def _reading(self, path: str) -> Reading:
        """Return what can be read of an open document."""
        document = self._open.setdefault(path, _Document(self.text_of(path)))
        if document.reading is None:
            document.reading = self._read_text(path, document.text)
            document.group = document.reading.group or document.group
        return document.reading

    def _read_text(self, path: str, text: str) -> Reading:
        if not is_spec(text.encode("utf-8", "replace")):
            return Reading(None)
        source = SourceFile(path, text)
        return read_spec(source, self._read_file, reports_schema=self.settings.schema)

    def _names(self, path: str, cursor: Cursor) -> tuple[Name, ...]:
        self._reading(path)
        names = Names(
            self._open[path].group, self._neighbours(path)[0], self.settings.registered
        )
        unique = {name.name: name for name in names_at(cursor, names)}
        return tuple(unique.values())

    def _neighbours(self, path: str) -> tuple[Sequence[PassGroup], bool]:
        """Return the groups of the specs beside `path`, and whether all are valid."""
        readings = [self._neighbour(other) for other in self._paths_beside(path)]
        groups = [reading.group for reading in readings if reading.group]
        return groups, not any(reading.is_wrong for reading in readings)

    def _paths_beside(self, path: str) -> Iterable[str]:
        patterns = self.settings.specs
        folder = self.root if patterns else Path(path).parent
        found = (
            file
            for pattern in patterns or ("*.yaml", "*.yml")
            for file in folder.glob(pattern)
        )
        return sorted({str(file) for file in found} - {path})

    def _neighbour(self, path: str) -> Reading:
        """Return what can be read of a spec that need not be open."""
        text = self.text_of(path)
        known = self._beside.get(path)
        if known is None or known[0] != text:
            known = self._beside[path] = (text, self._read_text(path, text))
        return known[1]

    def _read_file(self, path: str) -> bytes:
        document = self._open.get(path)
        if document is not None:
            return document.text.encode("utf-8", "replace")
        return read_regular_file(path)

    def _python(self, folder: Path, module: str, name: str) -> Location | None:
        """Return the place of a Python object that a spec in `folder` names."""
        stem = module.replace(".", "/")
        for parent in (folder, *folder.parents):
            for start in (parent, parent / "src"):
                for file in (start / f"{stem}.py", start / stem / "__init__.py"):
                    if file.is_file():
                        return _defined(
                            SourceFile(str(file), self.text_of(str(file))), name
                        )
            if parent == self.root:
                break
        return None


def _defined(source: SourceFile, name: str) -> Location:
    """Return the place in Python's `source` where a name is defined, or its start."""
    pattern = rf"^(?:(?:class|(?:async )?def) +)?(?P<name>{name})\b"
    found = re.search(pattern, source.text, re.MULTILINE)
    if found is None:
        return Location(source, 1, 1)
    before = source.text[: found.start("name")]
    column = len(before) - before.rfind("\n")
    return Location(source, before.count("\n") + 1, column, len(name))
