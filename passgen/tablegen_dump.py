"""A dump of `llvm-tblgen --dump-json` to records: the first half of an import.

What the records of a pass hold beyond what a spec can say is an error here, with the
name of the record and its line: nothing of a pass gets lost. Records of the file that
are no passes are named in warnings.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, TypeAlias

from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.source import Location, SourceFile
from passgen.tablegen_records import (
    Fields,
    FieldValue,
    OptionRecord,
    PassRecord,
    StatisticRecord,
)

Json: TypeAlias = Mapping[str, Any]

_PASS_FIELDS: Final = frozenset(
    {"argument", "baseClass", "constructor", "dependentDialects", "description"}
    | {"options", "statistics", "summary"}
)
_OPTION_FIELDS: Final = frozenset(
    {"additionalOptFlags", "argument", "cppName", "defaultValue", "description", "type"}
)
_STATISTIC_FIELDS: Final = frozenset({"cppName", "description", "name"})


@dataclass(frozen=True, slots=True)
class DumpedItem:
    """An option or a statistic where a pass uses it."""

    record: OptionRecord | StatisticRecord
    key: str
    """The record's name; passes that share an item have the same."""

    is_named: bool
    location: Location | None
    """`None` where the dump does not say, as those of old versions."""


@dataclass(frozen=True, slots=True)
class DumpedPass:
    """A pass and where its record begins."""

    record: PassRecord
    location: Location
    options: tuple[DumpedItem, ...]
    statistics: tuple[DumpedItem, ...]


@dataclass(frozen=True, slots=True)
class Holder:
    """A record of the file that is no pass, but may hold what passes use."""

    name: str
    location: Location
    options: tuple[str, ...]
    """Keys of the options and statistics that it lists, if it lists any."""


@dataclass(frozen=True, slots=True)
class Dump:
    """The passes of a file in its order."""

    passes: tuple[DumpedPass, ...]
    places: tuple[tuple[str, Location], ...]
    """Where records begin by their names, passes and others."""

    warnings: tuple[Diagnostic, ...]


def read(text: str, source: SourceFile) -> Dump:
    """Return what the dump `text` of the file `source` declares.

    Args:
        text: what `llvm-tblgen --dump-json` printed.
        source: the `.td` file; the dump itself where that is not at hand.

    Raises:
        SpecError: it is no dump, declares no pass, or says what a spec cannot.
    """
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _not_a_dump(source) from error
    if not isinstance(data, dict) or "!instanceof" not in data:
        raise _not_a_dump(source)
    return _Reader(data, source).read()


def _not_a_dump(source: SourceFile) -> SpecError:
    note = Note("make one with: llvm-tblgen --dump-json -I DIR Passes.td")
    message = "found no JSON dump of llvm-tblgen"
    return SpecError([Diagnostic(message, Location(source, 1, 1), (note,))])


class _Reader:
    """Reads the records of one dump and collects what is wrong with them."""

    def __init__(self, data: Json, source: SourceFile) -> None:
        self._data = data
        self._source = source
        self._errors: list[Diagnostic] = []
        self._sources: dict[str, SourceFile] = {}
        self._options: dict[str, DumpedItem] = {}
        self._statistics: dict[str, DumpedItem] = {}

    def read(self) -> Dump:
        """Return the passes, or raise every error found."""
        names = self._instances("PassBase")
        if not names:
            message = "found no record of class 'PassBase'"
            note = Note('a pass is declared as: def MyPass : Pass<"my-pass">')
            place = Location(self._source, 1, 1)
            raise SpecError([Diagnostic(message, place, (note,))])
        passes = sorted((self._pass(name) for name in names), key=_position)
        others = tuple(self._others(passes))
        holders = tuple(self._holder(name) for name in others)
        if self._errors:
            raise SpecError(self._errors)
        places = [(each.record.name, each.location) for each in passes]
        places += [(each.name, each.location) for each in holders]
        warnings = tuple(self._warnings(holders))
        return Dump(tuple(passes), tuple(places), warnings)

    def _instances(self, name: str) -> list[str]:
        found: list[str] = self._data["!instanceof"].get(name, [])
        return found

    def _pass(self, name: str) -> DumpedPass:
        data: Json = self._data[name]
        location = self._location(data)
        options = self._items(data, "options", self._option)
        statistics = self._items(data, "statistics", self._statistic)
        record = PassRecord(
            name=name,
            argument=self._text(data, "argument"),
            base_class=self._text(data, "baseClass"),
            summary=self._text(data, "summary"),
            description=self._text(data, "description"),
            constructor=self._text(data, "constructor"),
            dependent_dialects=self._texts(data, "dependentDialects"),
            options=tuple(
                each.record for each in options if isinstance(each.record, OptionRecord)
            ),
            statistics=tuple(
                each.record
                for each in statistics
                if isinstance(each.record, StatisticRecord)
            ),
            classes=tuple(data["!superclasses"]),
            fields=self._fields(data, _PASS_FIELDS),
        )
        return DumpedPass(record, location, options, statistics)

    def _items(
        self, data: Json, field: str, read: Callable[[str], DumpedItem]
    ) -> tuple[DumpedItem, ...]:
        found = data.get(field)
        if not isinstance(found, list):
            self._refuse(data, field, found)
            return ()
        return tuple(read(each["def"]) for each in found)

    def _option(self, name: str) -> DumpedItem:
        if name not in self._options:
            data: Json = self._data[name]
            classes = tuple(data["!superclasses"])
            record = OptionRecord(
                cpp_name=self._text(data, "cppName"),
                argument=self._text(data, "argument"),
                type=self._text(data, "type"),
                default=self._text(data, "defaultValue"),
                description=self._text(data, "description"),
                flags=self._text(data, "additionalOptFlags"),
                is_list="ListOption" in classes,
                classes=classes,
                fields=self._fields(data, _OPTION_FIELDS),
            )
            self._options[name] = self._item(name, record)
        return self._options[name]

    def _statistic(self, name: str) -> DumpedItem:
        if name not in self._statistics:
            data: Json = self._data[name]
            record = StatisticRecord(
                cpp_name=self._text(data, "cppName"),
                name=self._text(data, "name"),
                description=self._text(data, "description"),
                classes=tuple(data["!superclasses"]),
                fields=self._fields(data, _STATISTIC_FIELDS),
            )
            self._statistics[name] = self._item(name, record)
        return self._statistics[name]

    def _item(self, name: str, record: OptionRecord | StatisticRecord) -> DumpedItem:
        data: Json = self._data[name]
        location = self._location(data) if "!locs" in data else None
        return DumpedItem(record, name, not data["!anonymous"], location)

    def _text(self, data: Json, field: str) -> str:
        value = data.get(field)
        if isinstance(value, str):
            return value
        self._refuse(data, field, value)
        return ""

    def _texts(self, data: Json, field: str) -> tuple[str, ...]:
        values = data.get(field)
        if isinstance(values, list) and all(isinstance(each, str) for each in values):
            return tuple(values)
        self._refuse(data, field, values)
        return ()

    def _fields(self, data: Json, known: frozenset[str]) -> Fields:
        names = sorted(
            name for name in data if name not in known and not name.startswith("!")
        )
        return tuple((name, self._field(data, name, data[name])) for name in names)

    def _field(self, data: Json, name: str, value: object) -> FieldValue:
        if value is None or isinstance(value, (str, int)):
            return value
        if isinstance(value, list):
            texts = [each for each in value if isinstance(each, str)]
            numbers = [each for each in value if isinstance(each, int)]
            if len(value) in {len(texts), len(numbers)}:
                return [*texts, *numbers]
        self._refuse(data, name, value)
        return None

    def _refuse(self, data: Json, field: str, value: object) -> None:
        what = f"field '{field}' of record '{data['!name']}'"
        if value is None:
            message = f"{what} has no value"
        elif isinstance(value, dict) and "printable" in value:
            message = f"{what} is {value['printable']}, which a spec cannot say"
        else:
            message = f"{what} has a value that a spec cannot say"
        note = Note("fields hold text, an integer, or a list of one of them")
        location = self._location(data)
        found = Diagnostic(message, location, (note,))
        if found not in self._errors:
            self._errors.append(found)

    def _others(self, passes: list[DumpedPass]) -> Iterator[str]:
        """Yield the records of the file itself that are no part of a pass."""
        files = Counter(each.location.source.name for each in passes)
        if self._source.name not in files:
            files[files.most_common(1)[0][0]] += 1
        main = (
            self._source.name
            if self._source.name in files
            else files.most_common(1)[0][0]
        )
        known = {*self._instances("PassBase"), *self._options, *self._statistics}
        for name, data in self._data.items():
            if name.startswith("!") or name in known or data["!anonymous"]:
                continue
            if self._location(data).source.name == main:
                yield name

    def _holder(self, name: str) -> Holder:
        data: Json = self._data[name]
        known = {*self._instances("Option"), *self._instances("Statistic")}
        listed = [
            item["def"]
            for field, value in data.items()
            if not field.startswith("!") and isinstance(value, list)
            for item in value
            if isinstance(item, dict) and item.get("def") in known
        ]
        return Holder(name, self._location(data), tuple(listed))

    def _warnings(self, holders: tuple[Holder, ...]) -> Iterator[Diagnostic]:
        for holder in holders:
            if not holder.options:
                message = (
                    f"record '{holder.name}' is no pass and is left out; what passes "
                    "use of it is written there"
                )
                yield Diagnostic(message, holder.location, severity="warning")

    def _location(self, data: Json) -> Location:
        """Return where the record begins; a dump knows names of files, not paths."""
        if not data.get("!locs"):
            return self._found(data["!name"])
        name, _, line = data["!locs"][-1].rpartition(":")
        if name == PurePath(self._source.name).name:
            source = self._source
        else:
            source = self._sources.setdefault(name, SourceFile(name, ""))
        return Location(source, int(line) if line.isdigit() else 1, 1)

    def _found(self, name: str) -> Location:
        """Return where the file itself defines the record `name`, else its start."""
        lines = self._source.text.split("\n")
        begins = re.compile(rf"\s*def\s+{re.escape(name)}\b")
        numbers = (number for number, line in enumerate(lines, 1) if begins.match(line))
        return Location(self._source, next(numbers, 1), 1)


def _position(each: DumpedPass) -> tuple[str, int]:
    return each.location.source.name, each.location.line
