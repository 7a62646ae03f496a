"""A dump of `llvm-tblgen --dump-json` to records: the first half of an import.

A value in a pass's records that a spec cannot have is an error here, with the name of
the record and its line: nothing of a pass gets lost. Warnings name the records of the
file that are no passes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, TypeGuard, TypeVar

from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.model import Fields, FieldValue, OptionRecord, PassRecord, StatisticRecord
from passgen.source import Location, SourceFile
from passgen.tablegen import dump_json
from passgen.tablegen.dialects import Dialects, qualify, qualify_operation
from passgen.tablegen.dump_json import JsonDump, JsonRecord

_PASS_TEXTS: Final = {
    "argument": "argument",
    "base_class": "baseClass",
    "summary": "summary",
    "description": "description",
    "constructor": "constructor",
}
"""The fields of TableGen that hold texts, by those of the records."""

_OPTION_TEXTS: Final = {
    "cpp_name": "cppName",
    "argument": "argument",
    "type": "type",
    "default": "defaultValue",
    "description": "description",
    "flags": "additionalOptFlags",
}
_STATISTIC_TEXTS: Final = {
    "cpp_name": "cppName",
    "name": "name",
    "description": "description",
}
_LISTS: Final = ("dependentDialects", "options", "statistics")
"""The fields of passes that hold lists."""

_Record = TypeVar("_Record", OptionRecord, StatisticRecord)


@dataclass(frozen=True)
class DumpedItem:
    """The origin of an option or a statistic of a pass."""

    key: str
    """The record's name; passes that share an item have the same."""

    is_named: bool
    location: Location | None
    """`None` if the dump has none, as those of old versions."""


@dataclass(frozen=True)
class DumpedPass:
    """A pass and the location of its record."""

    record: PassRecord
    location: Location
    options: tuple[DumpedItem, ...]
    statistics: tuple[DumpedItem, ...]


@dataclass(frozen=True)
class Dump:
    """The passes of a file in its order."""

    passes: tuple[DumpedPass, ...]
    places: tuple[tuple[str, Location], ...]
    """The names and locations of all records, passes and others."""

    dialects: Dialects
    warnings: tuple[Diagnostic, ...]
    headers: Path | None = None
    """The folder of MLIR's `.td` files, if nothing named it."""


def read_records(text: str, source: SourceFile) -> Dump:
    """Return the passes in the dump `text` of the file `source`.

    Args:
        text: the output of `llvm-tblgen --dump-json`.
        source: the `.td` file; without a text, the file of the dump itself.

    Raises:
        SpecError: it is no dump, has no pass, or has values that a spec cannot have.
    """
    return _DumpReader(dump_json.read_dump_text(text, source), source).read()


class _DumpReader:
    """Reads the records of one dump and collects errors."""

    def __init__(self, data: JsonDump, source: SourceFile) -> None:
        self._data = data
        self._records = data.records
        self._source = source
        self._errors: list[Diagnostic] = []
        self._sources: dict[str, SourceFile] = {}
        self._options: dict[str, OptionRecord] = {}
        self._statistics: dict[str, StatisticRecord] = {}
        self._left_out: dict[str, JsonRecord] = {}
        """The first record that has a field which a spec cannot hold, by field."""

    def read(self) -> Dump:
        """Return the passes, or raise all errors."""
        names = self._data.instances("PassBase")
        if not names:
            message = "found no record of class 'PassBase'"
            note = Note('a pass is declared as: def MyPass : Pass<"my-pass">')
            place = Location(self._source, 1, 1)
            raise SpecError([Diagnostic(message, place, (note,))])
        passes = sorted((self._pass(name) for name in names), key=_position)
        others = [self._records[name] for name in self._others(passes)]
        if self._errors:
            raise SpecError(self._errors)
        places = [(pass_.record.name, pass_.location) for pass_ in passes]
        places += [(other.name, self._location(other)) for other in others]
        warnings = tuple(self._warnings(others))
        dialects = Dialects(dict(self._dialects()), dict(self._operations()))
        return Dump(tuple(passes), tuple(places), dialects, warnings)

    def _dialects(self) -> Iterator[tuple[str, str]]:
        """Yield the classes and namespaces of the dialects that the file includes."""
        for record in self._data.instances("Dialect"):
            fields = self._data.records[record].fields
            name, scope = fields.get("name"), fields.get("cppNamespace")
            if dump_json.is_text(name) and dump_json.is_text(scope):
                yield qualify(record, scope), name

    def _operations(self) -> Iterator[tuple[str, str]]:
        """Yield the classes and names of the operations that the file includes."""
        for record in self._data.instances("Op"):
            fields = self._data.records[record].fields
            dialect = dump_json.reference_of(fields.get("opDialect"))
            named = self._data.records.get(dialect)
            namespace = named.fields.get("name") if named else None
            name, scope = fields.get("opName"), fields.get("cppNamespace")
            if all(map(dump_json.is_text, (namespace, name, scope))):
                yield qualify_operation(record, f"{scope}"), f"{namespace}.{name}"

    def _pass(self, name: str) -> DumpedPass:
        data = self._records[name]
        location = self._location(data)
        options = self._items(data, "options", "Option", self._options, self._option)
        statistics = self._items(
            data, "statistics", "Statistic", self._statistics, self._statistic
        )
        self._require_name(data, name, "the name of a pass")
        record = PassRecord(
            name=name,
            **self._texts(data, _PASS_TEXTS),
            dependent_dialects=self._list(data, "dependentDialects"),
            options=tuple(self._options[name] for name in options),
            statistics=tuple(self._statistics[name] for name in statistics),
            classes=data.superclasses,
            fields=self._fields(data, {*_PASS_TEXTS.values(), *_LISTS}),
        )
        return DumpedPass(
            record,
            location,
            tuple(map(self._item, options)),
            tuple(map(self._item, statistics)),
        )

    def _items(
        self,
        data: JsonRecord,
        field: str,
        class_name: str,
        known: dict[str, _Record],
        read: Callable[[JsonRecord], _Record],
    ) -> list[str]:
        """Return the names of items in a field, and add their records to `known`."""
        found = data.fields.get(field)
        items = found if isinstance(found, list) else [None]
        names = [dump_json.reference_of(value) for value in items]
        instances = set(self._data.instances(class_name))
        if not instances.issuperset(names):
            self._refuse(data, field, found)
        names = [name for name in names if name in instances]
        for name in names:
            if name not in known:
                known[name] = read(self._records[name])
        return names

    def _item(self, name: str) -> DumpedItem:
        data = self._records[name]
        location = self._location(data) if data.place else None
        return DumpedItem(name, not data.is_anonymous, location)

    def _option(self, data: JsonRecord) -> OptionRecord:
        return OptionRecord(
            **self._texts(data, _OPTION_TEXTS),
            is_list="ListOption" in data.superclasses,
            classes=data.superclasses,
            fields=self._fields(data, {*_OPTION_TEXTS.values()}),
        )

    def _statistic(self, data: JsonRecord) -> StatisticRecord:
        return StatisticRecord(
            **self._texts(data, _STATISTIC_TEXTS),
            classes=data.superclasses,
            fields=self._fields(data, {*_STATISTIC_TEXTS.values()}),
        )

    def _texts(self, data: JsonRecord, fields: Mapping[str, str]) -> dict[str, str]:
        """Return the texts in `fields` of TableGen, by the fields of a record."""
        return {name: self._text(data, field) for name, field in fields.items()}

    def _text(self, data: JsonRecord, field: str) -> str:
        value = data.fields.get(field)
        if not dump_json.is_text(value):
            self._refuse(data, field, value)
            return ""
        if field == "cppName":
            self._require_name(data, value, f"field '{field}' of record '{data.name}'")
        return value

    def _require_name(self, data: JsonRecord, name: str, what: str) -> None:
        if not dump_json.IDENTIFIER.fullmatch(name):
            message = f"{what} is '{name}', expected letters, digits and underscores"
            self._errors.append(Diagnostic(message, self._location(data)))

    def _list(self, data: JsonRecord, field: str) -> tuple[str, ...]:
        values = data.fields.get(field)
        if isinstance(values, list) and all(map(dump_json.is_text, values)):
            return tuple(values)
        self._refuse(data, field, values)
        return ()

    def _fields(self, data: JsonRecord, known: set[str]) -> Fields:
        """Return the fields that no generator of passes reads.

        Those that a spec cannot hold are left out: they change no output.
        """
        found: list[tuple[str, FieldValue]] = []
        for name in sorted(data.fields.keys() - known):
            value = data.fields[name]
            if _is_field_value(value):
                found.append((name, value))
            else:
                self._left_out.setdefault(name, data)
        return tuple(found)

    def _refuse(self, data: JsonRecord, field: str, value: object) -> None:
        what = f"field '{field}' of record '{data.name}'"
        if value is None:
            message = f"{what} has no value"
        elif isinstance(value, dict) and "printable" in value:
            message = f"{what} is {value['printable']}, which a spec cannot say"
        else:
            message = f"{what} has a value that a spec cannot say"
        note = Note("fields hold text, an integer, or a list of one of them")
        found = Diagnostic(message, self._location(data), (note,))
        if found not in self._errors:
            self._errors.append(found)

    def _others(self, passes: list[DumpedPass]) -> Iterator[str]:
        """Yield the records of the file itself that are not part of a pass."""
        files = Counter(pass_.location.source.name for pass_ in passes)
        main = self._source.name
        if main not in files:
            main = files.most_common(1)[0][0]
        known = {*self._data.instances("PassBase"), *self._options, *self._statistics}
        for name, data in self._records.items():
            if name in known or data.is_anonymous:
                continue
            if self._location(data).source.name == main:
                yield name

    def _lists_items(self, data: JsonRecord) -> bool:
        """Return whether a field lists options or statistics."""
        known = {*self._data.instances("Option"), *self._data.instances("Statistic")}
        return any(
            dump_json.reference_of(element) in known
            for value in data.fields.values()
            if isinstance(value, list)
            for element in value
        )

    def _warnings(self, others: Iterable[JsonRecord]) -> Iterator[Diagnostic]:
        for name in (*self._options, *self._statistics):
            data = self._records[name]
            if not data.is_anonymous:
                message = (
                    f"record '{name}' is written where passes use it, without its name"
                )
                yield Diagnostic(message, self._location(data), severity="warning")
        for name, data in self._left_out.items():
            message = (
                f"field '{name}', which record '{data.name}' has, is left out: "
                "mlir-tblgen does not read it"
            )
            note = Note("a spec holds text, an integer, or a list of one of them")
            yield Diagnostic(message, self._location(data), (note,), "warning")
        for other in others:
            if not self._lists_items(other):
                message = (
                    f"record '{other.name}' is no pass and is left out; what passes "
                    "use of it is written there"
                )
                yield Diagnostic(message, self._location(other), severity="warning")

    def _location(self, data: JsonRecord) -> Location:
        """Return the location of a record; a dump has names of files, not paths."""
        if data.place is None:
            return self._find(data.name)
        name, line = data.place
        if name == PurePath(self._source.name).name:
            source = self._source
        else:
            source = self._sources.setdefault(name, SourceFile(name, ""))
        return Location(source, line, 1)

    def _find(self, name: str) -> Location:
        """Return the location of the record `name` in the file, or the file's start."""
        lines = self._source.text.split("\n")
        begins = re.compile(rf"\s*def\s+{re.escape(name)}\b")
        numbers = (number for number, line in enumerate(lines, 1) if begins.match(line))
        return Location(self._source, next(numbers, 1), 1)


def _is_field_value(value: object) -> TypeGuard[FieldValue]:
    if value is None or dump_json.is_text(value) or _is_integer(value):
        return True
    return isinstance(value, list) and (
        all(map(dump_json.is_text, value)) or all(map(_is_integer, value))
    )


def _is_integer(value: object) -> TypeGuard[int]:
    """Return whether `value` is an integer of TableGen."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return -(2**63) <= value < 2**63


def _position(each: DumpedPass) -> tuple[str, int]:
    return each.location.source.name, each.location.line
