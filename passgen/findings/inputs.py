"""Pass groups as users name them: a spec, a `.td` file, or the dump of one.

All become the model, so that what compares and judges specs takes TableGen as well.
Of a `.td` file, passes and options are located where their records begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from passgen import tablegen as tablegen_file
from passgen.generate import analyze
from passgen.model import Option, Pass, PassGroup, Statistic
from passgen.source import Location, SourceFile
from passgen.spec import files as spec_file
from passgen.tablegen import DumpedItem, DumpedPass
from passgen.tablegen import importer as tablegen_import


def read_group(
    name: str, includes: Sequence[str] = (), tool: str | None = None
) -> PassGroup:
    """Return the group that the file `name` declares.

    Args:
        name: a spec, or `-`; a `.td` file, or what `llvm-tblgen --dump-json` printed.
        includes: folders that a `.td` file includes others from.
        tool: the `llvm-tblgen` to run, rather than the one that is found.

    Raises:
        SpecError: it is wrong.
        UserError: it cannot be read.
    """
    if name.endswith(".td"):
        return _imported(name, includes, tool)
    if name.endswith(".json"):
        return _imported(name, (), None)
    return analyze(spec_file.read(name)).group


def _imported(name: str, includes: Sequence[str], tool: str | None) -> PassGroup:
    dump = tablegen_file.read(name, includes, tool)
    imported = tablegen_import.import_dump(dump, name)
    group = analyze(SourceFile(name, imported.text)).group
    passes = zip(group.passes, dump.passes, strict=True)
    return replace(
        group,
        passes=tuple(_located(pass_, dumped) for pass_, dumped in passes),
        location=Location(dump.passes[0].location.source, 1, 1),
    )


def _located(pass_: Pass, dumped: DumpedPass) -> Pass:
    """Return `pass_` with places in the `.td` file instead of the imported spec."""
    place = dumped.location
    options = zip(pass_.options, dumped.options, strict=True)
    statistics = zip(pass_.statistics, dumped.statistics, strict=True)
    dialects = pass_.dependent_dialects
    return replace(
        pass_,
        anchor=pass_.anchor and replace(pass_.anchor, location=place),
        dependent_dialects=tuple(replace(each, location=place) for each in dialects),
        options=tuple(_option(option, item, place) for option, item in options),
        statistics=tuple(
            _statistic(statistic, item, place) for statistic, item in statistics
        ),
        location=place,
        argument_location=place,
        summary_location=place,
        constructor_location=place,
    )


def _option(option: Option, item: DumpedItem, otherwise: Location) -> Option:
    place = item.location or otherwise
    values = tuple(replace(each, location=place) for each in option.type.values)
    return replace(
        option,
        type=replace(option.type, location=place, values=values),
        location=place,
        argument_location=place,
        default_location=place,
    )


def _statistic(
    statistic: Statistic, item: DumpedItem, otherwise: Location
) -> Statistic:
    return replace(statistic, location=item.location or otherwise)
