"""Records of a dump to the YAML of a spec, or to the model: the last step of an import.

The records of the spec equal those of the dump, to the byte. In YAML, options that
passes share are aliases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from passgen import naming
from passgen.diagnostics import Diagnostic, SpecError
from passgen.imported_names import pass_name, pass_names
from passgen.model import PassGroup
from passgen.source import Location, SourceFile
from passgen.spec import (
    Commented,
    Data,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    read_data,
    write,
)
from passgen.tablegen.cpp_spellings import spellings
from passgen.tablegen.dump import Dump, DumpedPass
from passgen.tablegen.enums import enum_names
from passgen.tablegen.passes import Importer
from passgen.tablegen.sharing import Body, share


@dataclass(frozen=True)
class ImportedGroup:
    """The spec of a `.td` file."""

    text: str
    """The YAML of the spec."""

    warnings: tuple[Diagnostic, ...]


_HEADING: Final = "# Imported from "


def is_imported(source: SourceFile) -> bool:
    """Return whether `source` is no spec, or one that an import has written."""
    is_dump = source.name.endswith((".td", ".json"))
    return is_dump or source.text.startswith(_HEADING)


def import_dump(dump: Dump, origin: str, name: str | None = None) -> ImportedGroup:
    """Return the spec of the passes in `dump`.

    Args:
        dump: the records.
        origin: the file that the first line of the spec names.
        name: the group's name, empty for none; by default it follows from the name of
            the spec's file.
    """
    read = _read(dump, name)
    bodies = {
        dumped.record.name: body
        for dumped, body in zip(dump.passes, read.passes.values(), strict=True)
    }
    data: dict[str, Data] = {} if name is None else {"name": name}
    data |= read.cpp
    data |= share(dump, bodies)
    data["passes"] = read.passes
    heading = f"{_HEADING}{origin} by passgen.\n"
    left_out = [
        replace(
            found.error,
            message=f"pass '{found.name}' is left out: {found.error.message}",
            severity="warning",
        )
        for found in dump.refused
    ]
    warnings = (*left_out, *dump.warnings, *read.warnings)
    return ImportedGroup(write(data, heading), warnings)


def read_group(dump: Dump, file: str) -> PassGroup:
    """Return the group of the passes in `dump`, each where its record begins.

    Args:
        dump: the records.
        file: the file of the records, which names the group.

    Raises:
        SpecError: a spec cannot have what the records have. An import leaves out such
            passes; here they would seem to be removed.
    """
    if dump.refused:
        raise SpecError(dict.fromkeys(found.error for found in dump.refused))
    read = _read(dump, None)
    start = Location(dump.passes[0].location.source, 1, 1)
    passes = {
        name: Entry(dumped.location, _located_pass(body, dumped))
        for dumped, (name, body) in zip(dump.passes, read.passes.items(), strict=True)
    }
    data = Mapping(
        {
            **{key: Entry(start, _locate(read.cpp[key], start)) for key in read.cpp},
            "passes": Entry(start, Mapping(passes, start)),
        },
        start,
    )
    return read_data(data, naming.group_name(file))


def _located_pass(body: Body, dumped: DumpedPass) -> Mapping:
    """Return the entry of a pass, options and statistics at their own locations."""
    place = dumped.location
    items = {"options": dumped.options, "statistics": dumped.statistics}
    entries: dict[str, Entry] = {}
    for key, value in body.items():
        node = _locate(value, place)
        if key in items:
            assert isinstance(value, list)
            places = [entry.location or place for entry in items[key]]
            node = Sequence(tuple(map(_locate, value, places)), place)
        entries[key] = Entry(place, node)
    return Mapping(entries, place)


def _locate(data: Data, place: Location) -> Node:
    """Return `data` as the loader returns YAML, all of it at `place`."""
    if isinstance(data, Commented):
        data = data.value
    if isinstance(data, dict):
        entries = {key: Entry(place, _locate(data[key], place)) for key in data}
        return Mapping(entries, place)
    if isinstance(data, list):
        return Sequence(tuple(_locate(element, place) for element in data), place)
    assert isinstance(data, (str, int, float))
    return Scalar(data, place)


@dataclass(frozen=True)
class _Read:
    """The parts of a spec that a dump becomes."""

    cpp: Body
    """The entry `cpp` of the group, if it has one."""

    passes: dict[str, Body]
    """The passes by their names in the spec, in the order of the dump."""

    warnings: tuple[Diagnostic, ...]


def _read(dump: Dump, group: str | None) -> _Read:
    table = spellings([pass_.record for pass_ in dump.passes], dump.dialects)
    names = pass_names(group)
    # Passes take their names before enums do, whose names are seen in Python only; and
    # names that need no change are taken first.
    records = [pass_.record.name for pass_ in dump.passes]
    kept_first = sorted(records, key=lambda name: not naming.is_pascal_case(name))
    own_names = {name: pass_name(name, names) for name in kept_first}
    enums = enum_names(
        ((own_names[pass_.record.name], pass_.record) for pass_ in dump.passes), names
    )
    importer = Importer(table, enums)
    passes = {
        own_names[pass_.record.name]: importer.read(pass_, own_names[pass_.record.name])
        for pass_ in dump.passes
    }
    return _Read(table.cpp_entry(), passes, tuple(importer.warnings()))
