"""The state that a pass keeps from one operation to the next, in a comparable form.

It consists of the attributes of the pass, the data in its classes, and the variables of
the modules that define these classes. The contents of containers, arrays, counters,
iterators over containers, random generators, namespaces, options, pass managers, and
objects of classes from those modules are compared. Anything else is compared by
identity, because it may be IR, which changes: objects of other classes, generators,
closures and caches of functions, and thread-local variables.
"""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import count
from random import Random
from types import ModuleType, NoneType, SimpleNamespace
from typing import Any, Generic, NamedTuple

from passgen_runtime.operation_pass import (
    RUN_ATTRIBUTES,
    InterfacePass,
    OperationPass,
    Pass,
    PassSequence,
)
from passgen_runtime.pass_options import PassOptions

_OF_ALL_PASSES = frozenset({*Pass.__mro__, OperationPass, InterfacePass, Generic})
_TEXTS = (
    *(str, bytes, bytearray, int, float, complex, NoneType, array, count),
    *(PassOptions, PassSequence),
)
"""The types whose values are equal if their texts are."""


class Place(NamedTuple):
    """A place where a pass can keep state."""

    kind: str
    owner: Hashable
    """The class or module, if passes share the place."""

    name: str

    def __str__(self) -> str:
        """Return the place as a message about the pass names it."""
        return f"its {self.kind} '{self.name}'"


def instance_state(pass_: Pass) -> dict[Place, object]:
    """Return the attributes of a pass, without those that the pass manager sets."""
    look = _Look(type(pass_))
    return {
        Place("attribute", None, name): look.at(value)
        for name, value in vars(pass_).items()
        if name not in RUN_ATTRIBUTES
    }


def shared_state(pass_class: type[Pass]) -> dict[Place, object]:
    """Return the data in the classes of a pass and in the modules they are from."""
    look = _Look(pass_class)
    found: dict[Place, object] = {}
    for cls in look.classes:
        for name, value in _data(vars(cls)):
            found[Place("class attribute", cls, name)] = look.at(value)
    for module in look.modules & sys.modules.keys():
        for name, value in _data(vars(sys.modules[module])):
            found[Place("module's variable", module, name)] = look.at(value)
    return found


def _data(namespace: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in list(namespace.items()):
        is_special = name.startswith(("__", "_abc_")) or isinstance(value, ModuleType)
        if not is_special and not callable(value) and not hasattr(value, "__get__"):
            yield name, value


class _Look:
    """Turns the state of passes of a class into values that can be compared later."""

    def __init__(self, pass_class: type[Pass]) -> None:
        self.classes = [cls for cls in pass_class.__mro__ if cls not in _OF_ALL_PASSES]
        self.modules = {cls.__module__ for cls in self.classes}

    def at(self, value: object, seen: set[int] | None = None) -> object:
        """Return a value that is equal later if `value` has not changed meanwhile.

        An object that was `seen` in the same value already is not entered again.
        """
        seen = set() if seen is None else seen
        if isinstance(value, _TEXTS):
            return type(value), str(value)
        if isinstance(value, Random):
            return value.getstate()
        if isinstance(value, set | frozenset):
            return {_key(element) for element in value}
        if hasattr(value, "__length_hint__"):
            return id(value), value.__length_hint__()
        items = None if id(value) in seen else self._items(value)
        if items is None:
            return id(value)
        seen.add(id(value))
        return [(_key(key), self.at(element, seen)) for key, element in items]

    def _items(self, value: object) -> Iterable[tuple[Any, Any]] | None:
        if isinstance(value, list | tuple | deque):
            return enumerate(value)
        if isinstance(value, Mapping):
            return value.items()
        is_own = isinstance(value, SimpleNamespace)
        if is_own or type(value).__module__ in self.modules:
            return _attributes(value)
        return None


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name):
                yield name, getattr(value, name)
    yield from getattr(value, "__dict__", {}).items()


def _key(value: object) -> object:
    return repr(value) if isinstance(value, str | bytes | int | float) else id(value)
