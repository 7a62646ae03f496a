"""The parts of a spec, read into dataclasses of the model field by field.

    read(Ignore, node)      reads its keys 'rule', 'reason' and 'name'

A field is read from the key with its name in camelCase, in the way that its annotation
says. Each key is taken once, and a key that is not taken fails an assertion, so that
none is ignored silently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from passgen.model import Analysis, EnumValue, Ignore, Name, OperationClass
from passgen.source import Location
from passgen.spec.located import Entry, Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
Part = TypeVar("Part", bound="DataclassInstance")


class Keys:
    """The entries of a mapping, each of which is taken once."""

    def __init__(self, node: Node, first: str = "") -> None:
        """Take the entries of `node`; a scalar becomes the only entry, `first`."""
        entries = {first: Entry(node.location, node)}
        self._entries = node.entries if isinstance(node, Mapping) else entries
        self._waiting = dict(self._entries)
        self.location = node.location

    def __contains__(self, key: str) -> bool:
        """Return whether there is a `key`, taken or not."""
        return key in self._entries

    def place(self, key: str) -> Location | None:
        """Return the location of the value under `key` if there is one."""
        entry = self._entries.get(key)
        return entry.value.location if entry else None

    def take(self, key: str) -> Node | None:
        """Return the value under `key` if there is one."""
        entry = self._waiting.pop(key, None)
        return entry.value if entry else None

    def take_text(self, key: str) -> tuple[str, Location]:
        """Return the text under the required `key`, and its location."""
        node = self.take(key)
        assert node is not None
        return text_of(node)

    def take_exact(self, key: str) -> str | None:
        """Return the text under `key` unchanged; `None` if there is none."""
        node = self.take(key)
        return None if node is None else text_of(node)[0]

    def take_line(self, key: str) -> str:
        """Return the text under `key` without the line end of a block scalar."""
        return (self.take_exact(key) or "").removesuffix("\n")

    def take_truth(self, key: str) -> bool:
        """Return whether the value under `key` is true; false if there is none."""
        node = self.take(key)
        return isinstance(node, Scalar) and node.value is True

    def take_truth_if_any(self, key: str) -> bool | None:
        """Return the truth value under `key`; `None` if there is none."""
        node = self.take(key)
        return node.value is True if isinstance(node, Scalar) else None

    def take_keys(self, *keys: str) -> Keys:
        """Return the entries of those mappings under `keys` that exist."""
        entries = {k: v for key in keys for k, v in self.take_entries(key).items()}
        return Keys(Mapping(entries, self.location))

    def take_entries(self, key: str) -> dict[str, Entry]:
        """Return the entries of the mapping under `key`, whose keys authors choose."""
        node = self.take(key)
        assert node is None or isinstance(node, Mapping)
        return node.entries if node else {}

    def take_table(self, key: str) -> MappingProxyType[str, str]:
        """Return the texts of the mapping under `key`."""
        texts = {
            name: text_of(entry.value)[0]
            for name, entry in self.take_entries(key).items()
        }
        return MappingProxyType(texts)

    def take_items(self, key: str) -> tuple[Node, ...]:
        """Return the items of the list under `key`; empty if there is no list."""
        node = self.take(key)
        assert node is None or isinstance(node, Sequence)
        return node.items if node else ()

    def done(self, made: T) -> T:
        """Return `made`, after a check that all entries have been taken."""
        assert not self._waiting, f"keys that nothing reads: {list(self._waiting)}"
        return made


def text_of(node: Node) -> tuple[str, Location]:
    """Return the text of the scalar `node`, and its location."""
    assert isinstance(node, Scalar)
    assert isinstance(node.value, str)
    return node.value, node.location


def read(cls: type[Part], node: Node | Keys, **given: Any) -> Part:  # noqa: ANN401
    """Return the part of the class `cls` that `node` declares, and nothing else.

    Args:
        cls: a dataclass of the model.
        node: its entries. A text stands for the first field alone.
        given: as for `take`.
    """
    keys = node if isinstance(node, Keys) else Keys(node, _first_key(cls, given))
    return keys.done(take(cls, keys, **given))


def take(cls: type[Part], keys: Keys, **given: Any) -> Part:  # noqa: ANN401
    """Return the part of the class `cls` whose entries are among `keys`.

    Args:
        cls: a dataclass of the model. Its `location` is that of the first field, and a
            location such as `default_location` that of the default if there is one.
        keys: the entries, of which those of the fields are taken.
        given: the values of fields that are not read from `keys` by their annotations.
    """
    start = keys.place(_first_key(cls, given))
    for name, key, annotation in _fields(cls):
        if name in given:
            continue
        if annotation == "Location":
            given[name] = keys.place(key) or given.get("location", start)
        else:
            given[name] = _TAKE[annotation](keys, key)
    return cls(**given)


def _list_of(cls: type[Part]) -> Callable[[Keys, str], tuple[Part, ...]]:
    return lambda keys, key: tuple(read(cls, node) for node in keys.take_items(key))


def _by_name(cls: type[Part]) -> Callable[[Keys, str], tuple[Part, ...]]:
    return lambda keys, key: tuple(
        read(cls, entry.value, name=name, location=entry.key)
        for name, entry in keys.take_entries(key).items()
    )


_TAKE: Final[dict[str, Callable[[Keys, str], object]]] = {
    "bool": Keys.take_truth,
    "bool | None": Keys.take_truth_if_any,
    "str": Keys.take_line,
    "str | None": Keys.take_exact,
    "Mapping[str, str]": Keys.take_table,
    "tuple[Analysis, ...]": _by_name(Analysis),
    "tuple[EnumValue, ...]": _list_of(EnumValue),
    "tuple[Ignore, ...]": _list_of(Ignore),
    "tuple[Name, ...]": _list_of(Name),
    "tuple[OperationClass, ...]": _by_name(OperationClass),
}
"""The function that takes the value of a field, by the annotation of the field."""

_KEYS: Final = {
    "ignores": "ignore",
    "lint_rules": "lint",
    "required_analyses": "requires",
    "provided_analyses": "provides",
}
"""The keys of fields that have other names in the model."""


@cache
def _fields(cls: type[DataclassInstance]) -> list[tuple[str, str, str]]:
    """Return name, key and annotation, which is a text, of the fields of `cls`."""
    found = []
    for field in fields(cls):
        name = _KEYS.get(field.name, field.name).removesuffix("_location")
        first, *rest = name.split("_")
        key = first + "".join(map(str.capitalize, rest))
        found.append((field.name, key, str(field.type)))
    return found


def _first_key(cls: type[DataclassInstance], given: dict[str, object]) -> str:
    return next(key for name, key, _ in _fields(cls) if name not in given)
