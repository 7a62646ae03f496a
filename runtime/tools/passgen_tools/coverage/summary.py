"""The coverage of passes: a row for each pass and IR library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from passgen_tools.coverage.coverage_data import (
    CoverageData,
    DeclaredPass,
    Item,
    ItemKind,
    ItemTests,
)

_PACKAGES: Final = "site-packages"
_HITS: Final[Mapping[ItemKind, str]] = {
    "pass": "ran",
    "pattern": "applied",
    "option": "ran",
    "remark": "emitted",
    "form": "checked",
}
"""What it is called that an item is reached."""

_MISSES: Final[Mapping[ItemKind, str]] = {
    "pass": "never ran",
    "pattern": "not tried",
    "option": "never ran",
    "remark": "not emitted",
    "form": "not checked",
}
"""What it is called that no test reaches it or tries to."""


@dataclass(frozen=True)
class ItemCoverage:
    """An item, and the tests that reach it."""

    item: Item
    place: str
    tests: ItemTests

    @property
    def is_covered(self) -> bool:
        """Whether a test reaches it."""
        return bool(self.tests.hits)

    @property
    def is_tried(self) -> bool:
        """Whether tests only try to reach it."""
        return bool(self.tests.tries) and not self.is_covered

    @property
    def verdict(self) -> str:
        """What has become of it, in words."""
        word = _HITS[self.item.kind]
        if self.is_covered:
            return f"{word} {_times(sum(self.tests.hits.values()))}"
        if self.is_tried:
            num_runs = sum(self.tests.tries.values())
            return f"tried in {num_runs} run{'s' * (num_runs > 1)}, never matched"
        return _MISSES[self.item.kind]

    @property
    def test_names(self) -> Sequence[str]:
        """The names of tests that reach it, or else of those that try to."""
        return sorted(self.tests.hits or self.tests.tries)


@dataclass(frozen=True)
class PassCoverage:
    """The coverage of a pass on the IR of one library."""

    declared: DeclaredPass
    library: str
    """The name of the IR library; empty if the pass has not run."""

    items: Sequence[ItemCoverage]

    @property
    def num_covered(self) -> int:
        """The number of items that tests reach."""
        return sum(item.is_covered for item in self.items)


@dataclass(frozen=True)
class CoverageSummary:
    """The coverage of all passes."""

    passes: Sequence[PassCoverage]

    @property
    def num_items(self) -> int:
        """The number of items."""
        return sum(len(row.items) for row in self.passes)

    @property
    def num_covered(self) -> int:
        """The number of items that tests reach."""
        return sum(row.num_covered for row in self.passes)

    @property
    def percentage(self) -> float:
        """The share of items that tests reach, in percent; 0 without items."""
        return 100 * self.num_covered / self.num_items if self.num_items else 0.0


def summarize(data: CoverageData, declared: Iterable[DeclaredPass]) -> CoverageSummary:
    """Return the coverage of passes, in order of source and argument.

    A pass has a row for each IR library on whose IR it has run; else one.
    """
    ordered = sorted(declared, key=lambda each: each.key)
    return CoverageSummary([row for each in ordered for row in _rows(data, each)])


def _rows(data: CoverageData, declared: DeclaredPass) -> Iterator[PassCoverage]:
    for library in data.libraries(declared.key) or [""]:
        items = [
            ItemCoverage(item, place, data.tests(declared.key, library, item))
            for item, place in declared.places.items()
        ]
        yield PassCoverage(declared, library, items)


def is_of_source(declared: DeclaredPass, source: str) -> bool:
    """Return whether a pass is of a source: a pattern of specs, or a module.

    A package stands for its modules, too.
    """
    is_of_spec = declared.has_spec and fnmatchcase(declared.key.source, source)
    return is_of_spec or f"{declared.module}.".startswith(f"{source}.")


def is_of_project(declared: DeclaredPass, root: Path) -> bool:
    """Return whether a spec declares a pass, and its module is a file of a project."""
    path = Path(declared.file)
    is_own = path.is_relative_to(root) and _PACKAGES not in path.parts
    return declared.has_spec and is_own


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
