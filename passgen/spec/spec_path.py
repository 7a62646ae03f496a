"""Where a path into a spec leads, and what the user calls the thing there.

('passes', 'Cse', 'options', 0, 'type')      'type' of option 'max-iterations' of
                                             pass 'Cse'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from passgen.spec.located import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from passgen.source import Location

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class Place:
    """A value of a spec, and where to point at it."""

    node: Node
    key: Location
    """Of the key that holds it; of the value itself in a list and at the top."""


def find(data: Mapping, path: Path) -> Place:
    """Return what `path` leads to."""
    place = Place(data, data.location)
    for step in path:
        if isinstance(step, int):
            assert isinstance(place.node, Sequence)
            item = place.node.items[step]
            place = Place(item, item.location)
        else:
            assert isinstance(place.node, Mapping)
            entry = place.node.entries[step]
            place = Place(entry.value, entry.key)
    return place


_LIST_ITEMS: Final = {
    "options": ("option", ("argument", "name")),
    "statistics": ("statistic", ("name",)),
    "values": ("value", ("value",)),
    "dependentDialects": ("dependent dialect", ()),
    "classes": ("class", ()),
    "ignore": ("ignored rule", ("rule",)),
    "unset": ("field", ()),
    "elements": (
        "element",
        ("pass", "bundle", "pipeline", "stage", "nest"),
    ),
    **{
        kind: (f"'{kind}' rule", ("tag",))
        for kind in ("after", "before", "afterIfPresent", "beforeIfPresent", "cleanup")
    },
    "externalPasses": ("external pass", ("argument",)),
    "tags": ("tag", ()),
    "requires": ("required analysis", ()),
    "provides": ("provided analysis", ()),
    "preserves": ("preserved analysis", ()),
}
"""By the key of a list: what an item is called, and the keys that may name it."""

_SHARED: Final = {"sharedOptions": "options", "sharedStatistics": "statistics"}
"""Keys of mappings of such lists."""

_NAMED: Final = {
    "passes": "pass",
    "analyses": "analysis",
    "bundles": "bundle",
    "pipelines": "pipeline",
}
"""By the key of a mapping from names: what an entry is called."""


def subject(data: Mapping, path: Path) -> str:
    """Return what a message calls the thing at `path`."""
    if not path:
        return "the spec"
    *owner, last = path
    if len(owner) == 1 and owner[0] in _NAMED:
        return f"{_NAMED[str(owner[0])]} '{last}'"
    if isinstance(last, int):
        while isinstance(owner[-1], int):  # a list in a list stands for its items
            owner.pop()
        shared = _SHARED.get(str(owner[0])) if len(owner) > 1 else None
        of = owner if shared else owner[:-1]
        return _item(data, path, shared or str(owner[-1])) + _of(data, tuple(of))
    return f"'{last}'" + _of(data, path[:-1])


def named_entry(path: Path) -> str:
    """Return what a message calls a key below `path`, empty if it is no name."""
    kind = _NAMED.get(str(path[0])) if len(path) == 1 else None
    return f"name of {'an' if kind == 'analysis' else 'a'} {kind}" if kind else ""


def _of(data: Mapping, owner: Path) -> str:
    return f" of {subject(data, owner)}" if owner else ""


def _item(data: Mapping, path: Path, owner: str) -> str:
    kind, naming_keys = _LIST_ITEMS.get(owner, ("item", ()))
    node = find(data, path).node
    if isinstance(node, Mapping):
        for key in naming_keys:
            entry = node.entries.get(key)
            if entry and isinstance(entry.value, Scalar) and entry.value.value:
                return f"{kind} '{entry.value.value}'"
    assert isinstance(path[-1], int)
    return f"{kind} {path[-1] + 1}"
