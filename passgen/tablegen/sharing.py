"""Options and statistics that passes of a dump share.

TableGen makes one record of equal options, wherever they are written. Options that an
author shares, through a `defvar`, a class or a named record, are located outside of the
passes that use them; an option that two passes merely have in common is located in the
first of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from passgen import naming
from passgen.imported_names import Names
from passgen.source import Location
from passgen.spec import Alias, Data, Shared
from passgen.tablegen.dump import Dump, DumpedItem

Body: TypeAlias = dict[str, Data]
_Key: TypeAlias = tuple[str, str]

_DEFINITION: Final = re.compile(r"\s*(?:defvar|class|def|multiclass)\s+(\w+)")

_KINDS: Final = {"options": "sharedOptions", "statistics": "sharedStatistics"}


@dataclass(frozen=True)
class _Item:
    """An option or a statistic of one pass, and its entry in the spec."""

    dumped: DumpedItem
    written: Data

    @property
    def key(self) -> _Key:
        """Equal for items that one entry of the spec can stand for.

        Entries of the same record differ if a name clashes in one of the passes.
        """
        return self.dumped.key, repr(self.written)


@dataclass(frozen=True)
class _Use:
    """A pass with its items of one kind."""

    name: str
    items: tuple[_Item, ...]


def share(dump: Dump, bodies: Mapping[str, Body]) -> Body:
    """Return the definitions of shared items, and put aliases of them into `bodies`.

    Args:
        dump: the passes.
        bodies: the passes of the spec by the name of their record.
    """
    definitions: Body = {}
    taken = Names()
    for kind, key in _KINDS.items():
        found = _share(dump, bodies, kind, taken)
        if found:
            definitions[key] = found
    return definitions


def _share(
    dump: Dump, bodies: Mapping[str, Body], kind: str, taken: Names
) -> dict[str, Data]:
    uses = []
    for pass_ in dump.passes:
        data = bodies[pass_.record.name].get(kind, [])
        assert isinstance(data, list)
        dumped = pass_.options if kind == "options" else pass_.statistics
        items = map(_Item, dumped, data)
        uses.append(_Use(pass_.record.name, tuple(items)))
    shared = _shared_keys(dump, uses)
    links = _links(uses, shared)
    definitions: dict[str, Data] = {}
    anchors: dict[tuple[_Key, ...], str] = {}
    for use in uses:
        written: list[Data] = []
        for run in _runs(use, links):
            part = [block.written for block in run]
            if run[0].key not in shared:
                written += part
                continue
            keys = tuple(block.key for block in run)
            if keys not in anchors:
                name = _name(run[0].dumped.location, use.name, kind, taken)
                anchors[keys] = name
                definitions[name] = Shared(part, name)
            written.append(Alias(anchors[keys]))
        if len(written) == 1 and isinstance(written[0], Alias):
            bodies[use.name][kind] = written[0]
        elif written:
            bodies[use.name][kind] = written
    return definitions


def _shared_keys(dump: Dump, uses: list[_Use]) -> frozenset[_Key]:
    """Return the keys of the items that passes share."""
    users: dict[_Key, set[str]] = {}
    items: dict[_Key, DumpedItem] = {}
    for use in uses:
        for block in use.items:
            users.setdefault(block.key, set()).add(use.name)
            items[block.key] = block.dumped
    return frozenset(
        key
        for key, names in users.items()
        if len(names) > 1 and _is_shared(dump, items[key], names)
    )


def _links(uses: list[_Use], shared: frozenset[_Key]) -> frozenset[tuple[_Key, _Key]]:
    """Return the pairs of shared items that always follow one another in a list."""
    behind: dict[_Key, set[_Key | None]] = {}
    ahead: dict[_Key, set[_Key | None]] = {}
    for use in uses:
        keys = [block.key for block in use.items]
        for key, following in zip([None, *keys], [*keys, None], strict=True):
            if key:
                behind.setdefault(key, set()).add(following)
            if following:
                ahead.setdefault(following, set()).add(key)
    return frozenset(
        (key, following)
        for key in shared
        for following in behind[key]
        if following in shared
        and behind[key] == {following}
        and ahead[following] == {key}
    )


def _is_shared(dump: Dump, item: DumpedItem, users: set[str]) -> bool:
    if item.is_named or item.location is None:
        return item.is_named
    return _home(dump, item.location) not in users


def _home(dump: Dump, location: Location) -> str | None:
    """Return the last record that begins at or before `location`, if any."""
    before = [
        (place.line, name)
        for name, place in dump.places
        if place.source.name == location.source.name and place.line <= location.line
    ]
    return max(before)[1] if before else None


def _runs(
    use: _Use, links: frozenset[tuple[_Key, _Key]]
) -> Iterator[tuple[_Item, ...]]:
    """Yield the items in runs: each a shared list, or an item in none."""
    run: tuple[_Item, ...] = ()
    for block in use.items:
        if run and (run[-1].key, block.key) not in links:
            yield run
            run = ()
        run += (block,)
    if run:
        yield run


def _name(location: Location | None, user: str, kind: str, taken: Names) -> str:
    """Return the name of the definition at `location`, as the `.td` file has it."""
    wanted = f"{naming.snake_case(user)}_{kind}"
    for line in range(location.line, 0, -1) if location else ():
        assert location is not None
        found = _DEFINITION.match(location.source.line_text(line))
        if found:
            wanted = found[1]
            break
    return taken.take(wanted)
