"""The rewrites of a dump to the YAML of a spec, and a list of those left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

from passgen import naming
from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.imported_names import Names, member_names
from passgen.rewrites.model import ReadRewrite
from passgen.rewrites.native_code import NativeCode
from passgen.rewrites.pattern_writer import pattern_entries
from passgen.rewrites.records import Records, Rewrite, read_rewrite
from passgen.rewrites.result_reader import read_results
from passgen.rewrites.scope import Scope
from passgen.rewrites.source_reader import read_source
from passgen.rewrites.unreadable import UnreadableRewriteError
from passgen.source import Location, SourceFile
from passgen.spec import Data, write
from passgen.tablegen import JsonRecord, read_dump_text

_WAY_OUT: Final = "name what the code means by '--native-code FILE'"


@dataclass(frozen=True)
class ImportedRewrites:
    """The spec of the rewrites of a file."""

    text: str
    """The YAML of the spec; empty if no rewrite can be read."""

    num_read: int
    num_found: int
    warnings: tuple[Diagnostic, ...]
    """The rewrites that are left out, and why."""


@dataclass
class _Importer:
    """Reads the rewrites of a dump."""

    records: Records
    code: NativeCode
    source: SourceFile
    functions: dict[str, dict[str, str]] = field(
        default_factory=lambda: {"constraints": {}, "rewrites": {}}
    )
    dialects: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    """The operations of the constants that are matched."""

    warnings: list[Diagnostic] = field(default_factory=list)
    num_read: int = 0

    def entries(self, rewrites: list[JsonRecord]) -> Iterator[dict[str, Data]]:
        """Yield the entries of the rewrites that can be read."""
        names = Names()
        wanted = member_names([record.name for record in rewrites], Names())
        for record, name in zip(rewrites, wanted, strict=True):
            try:
                entries = self._read(read_rewrite(record))
            except UnreadableRewriteError as error:
                self._warn(record, error)
                continue
            except RecursionError:
                self._warn(record, UnreadableRewriteError("too many nested operations"))
                continue
            self.num_read += 1
            for entry in entries:
                head = {"name": names.take(name), "summary": self._summary(record)}
                yield {**head, **entry}

    def _read(self, rewrite: Rewrite) -> list[dict[str, Data]]:
        scope = Scope(self.records, self.code)
        read = ReadRewrite(rewrite, scope.types, containers=scope.containers)
        read_source(scope, read)
        read_results(scope, read)
        entries = pattern_entries(read, self.functions)
        for operation in (*read.before, *read.after):
            self.dialects.add(operation.declaration.dialect)
        self.constants |= {
            operation.declaration.name
            for operation in read.before
            if operation.declaration.is_constant
        }
        return entries

    def _summary(self, record: JsonRecord) -> str:
        place = self._place(record)
        name = " ".join(record.name.split())  # a quoted name may have several lines
        return f"{name}, {PurePath(place.source.name).name}:{place.line}"

    def _place(self, record: JsonRecord) -> Location:
        name, line = record.place or ("", 1)
        is_main = name in {"", PurePath(self.source.name).name}
        return Location(self.source if is_main else SourceFile(name, ""), line, 1)

    def _warn(self, record: JsonRecord, error: UnreadableRewriteError) -> None:
        message = f"rewrite '{record.name}' is left out: it has {error}"
        notes = (Note(_WAY_OUT),) if error.is_code else ()
        place = self._place(record)
        self.warnings.append(Diagnostic(message, place, notes, "warning"))


def _description(constants: set[str]) -> str:
    text = "The summaries of the patterns name the rewrites and their places."
    if not constants:
        return text
    listed = ", ".join(f"`{name}`" for name in sorted(constants))
    return f"{text}\nConstants match that are operations {listed}.\n"


def import_rewrites(
    text: str, source: SourceFile, origin: str, name: str | None, code: NativeCode
) -> ImportedRewrites:
    """Return the spec of the rewrites in a dump: a pass that applies them.

    Args:
        text: the dump.
        source: the `.td` file; without a text, the file of the dump itself.
        origin: the file that the first line of the spec names.
        name: the group's name, empty for none; by default it follows from the name of
            the spec's file.
        code: what C++ in rewrites means.

    Raises:
        SpecError: it is no dump, or has no rewrites.
    """
    records = Records(read_dump_text(text, source))
    rewrites = records.rewrites()
    if not rewrites:
        message = "found no record of class 'Pattern'"
        note = Note("a rewrite is declared as: def MyRewrite : Pat<(...), (...)>")
        raise SpecError([Diagnostic(message, Location(source, 1, 1), (note,))])
    importer = _Importer(records, code, source)
    patterns: list[Data] = [*importer.entries(rewrites)]
    warnings = tuple(importer.warnings)
    if not patterns:
        return ImportedRewrites("", 0, len(rewrites), warnings)
    stem = naming.pascal_case(re.sub(r"\W", "_", PurePath(origin).stem)) or "Rewrites"
    pass_: dict[str, Data] = {
        "summary": f"Rewrites of {PurePath(origin).name}",
        "description": _description(importer.constants),
        "dependentDialects": sorted(importer.dialects),
        "driver": "greedy",
        "patterns": patterns,
    }
    pass_ |= {key: listed for key, listed in importer.functions.items() if listed}
    data: dict[str, Data] = {} if name is None else {"name": name}
    data |= {"summary": f"Rewrites of {PurePath(origin).name}", "passes": {stem: pass_}}
    text = write(data, f"# Imported from {origin} by passgen.\n")
    return ImportedRewrites(text, importer.num_read, len(rewrites), warnings)
