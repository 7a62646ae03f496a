"""What passes declare and what has run of it, as plain data that processes exchange."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

ItemKind = Literal["pass", "pattern", "option", "remark", "form"]


class Item(NamedTuple):
    """A part of a declaration that a test can reach."""

    kind: ItemKind
    name: str
    """The name of the pattern or remark, `unroll=true`, `needs no-loops`; empty for the
    pass itself."""


THE_PASS: Final = Item("pass", "")
"""The item that each pass has: that it runs."""


class PassKey(NamedTuple):
    """What identifies a pass: two specs may declare passes of one argument."""

    source: str
    """The spec that declares the pass; the module of one written by hand."""

    argument: str


class Event(NamedTuple):
    """What a run can do with an item."""

    source: str
    argument: str
    library: str
    """The name of the IR library: a pass may be two, one on the IR of each."""

    kind: ItemKind
    name: str
    is_hit: bool
    """Whether the item was reached: a pattern that was tried may not have matched."""


@dataclass(frozen=True)
class DeclaredPass:
    """A declared pass, and the items that tests should reach."""

    key: PassKey
    module: str
    """The module of the class that declares it."""

    file: str
    """The file of that module; empty if it has none."""

    has_spec: bool
    places: Mapping[Item, str]
    """The items, each with its place if that is known, in order."""


@dataclass
class CoverageData:
    """The declarations that a process knows, and its counts by event and test."""

    declared: dict[PassKey, DeclaredPass] = field(default_factory=dict)
    counts: dict[Event, Counter[str]] = field(default_factory=dict)

    def add(self, event: Event, test: str, count: int = 1) -> None:
        """Count an event of a test."""
        self.counts.setdefault(event, Counter())[test] += count

    def merge(self, other: CoverageData) -> None:
        """Add what another process has counted."""
        self.declared |= other.declared
        for event, tests in other.counts.items():
            for test, count in tests.items():
                self.add(event, test, count)

    def encode(self) -> str:
        """Return the data as text, which `decode` reads."""
        return json.dumps(
            {
                "declared": [_plain(declared) for declared in self.declared.values()],
                "counts": [[*event, tests] for event, tests in self.counts.items()],
            }
        )

    @classmethod
    def decode(cls, text: str) -> CoverageData:
        """Return the data of a text."""
        plain = json.loads(text)
        passes = map(_declared_pass, plain["declared"])
        return cls(
            {declared.key: declared for declared in passes},
            {Event(*event): Counter(tests) for *event, tests in plain["counts"]},
        )

    def libraries(self, key: PassKey) -> list[str]:
        """Return the names of the IR libraries on whose IR a pass has run."""
        return sorted({event.library for event in self._events(key)})

    def tests(self, key: PassKey, library: str, item: Item) -> ItemTests:
        """Return the tests of an item of a pass on the IR of a library."""
        hits, tries = (
            self.counts.get(Event(*key, library, *item, is_hit), Counter[str]())
            for is_hit in (True, False)
        )
        return ItemTests(hits, tries)

    def _events(self, key: PassKey) -> Iterator[Event]:
        return (event for event in self.counts if event[:2] == key)


@dataclass(frozen=True)
class ItemTests:
    """How often each test has reached an item, or only tried to."""

    hits: Mapping[str, int]
    tries: Mapping[str, int]


def _plain(declared: DeclaredPass) -> list[Any]:
    places = [[*item, place] for item, place in declared.places.items()]
    key, file = declared.key, declared.file
    return [*key, declared.module, file, declared.has_spec, places]


def _declared_pass(plain: list[Any]) -> DeclaredPass:
    source, argument, module, file, has_spec, places = plain
    items = {Item(kind, name): place for kind, name, place in places}
    return DeclaredPass(PassKey(source, argument), module, file, has_spec, items)
