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
from typing import Any, Final, Generic, NamedTuple

from passgen_runtime.operation_pass import (
    RUN_ATTRIBUTES,
    InterfacePass,
    OperationPass,
    Pass,
    PassSequence,
)
from passgen_runtime.pass_options import PassOptions

_CLASSES_OF_ALL_PASSES: Final = frozenset(
    {*Pass.__mro__, OperationPass, InterfacePass, Generic}
)
_COMPARED_AS_TEXTS: Final = (
    str,
    bytes,
    bytearray,
    int,
    float,
    complex,
    NoneType,
    array,
    count,
    PassOptions,
    PassSequence,
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
    snapshots = _Snapshots(type(pass_))
    return {
        Place("attribute", None, name): snapshots.of(value)
        for name, value in vars(pass_).items()
        if name not in RUN_ATTRIBUTES
    }


def shared_state(pass_class: type[Pass]) -> dict[Place, object]:
    """Return the data in the classes of a pass and in the modules they are from."""
    snapshots = _Snapshots(pass_class)
    state: dict[Place, object] = {}
    for cls in snapshots.classes:
        for name, value in _data(vars(cls)):
            state[Place("class attribute", cls, name)] = snapshots.of(value)
    for module in snapshots.modules & sys.modules.keys():
        for name, value in _data(vars(sys.modules[module])):
            state[Place("module's variable", module, name)] = snapshots.of(value)
    return state


def _data(namespace: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield the members of a class or module that are neither code nor Python's own."""
    for name, value in list(namespace.items()):
        if name.startswith(("__", "_abc_")) or isinstance(value, ModuleType):
            continue
        is_code = callable(value) or hasattr(value, "__get__")
        if not is_code:
            yield name, value


class _Snapshots:
    """Makes values of the state of a pass, to be compared with later ones."""

    def __init__(self, pass_class: type[Pass]) -> None:
        self.classes = [
            cls for cls in pass_class.__mro__ if cls not in _CLASSES_OF_ALL_PASSES
        ]
        self.modules = {cls.__module__ for cls in self.classes}

    def of(self, value: object) -> object:
        """Return a value that is equal later if `value` has not changed meanwhile."""
        return self._snapshot(value, set())

    def _snapshot(self, value: object, entered: set[int]) -> object:
        """Return the snapshot of `value`, a part of another one or the whole.

        Args:
            value: the value.
            entered: the ids of the objects that are part of the snapshot already, which
                are not entered again.
        """
        if isinstance(value, _COMPARED_AS_TEXTS):
            return type(value), str(value)
        if isinstance(value, Random):
            return value.getstate()
        if isinstance(value, set | frozenset):
            return {_identity(element) for element in value}
        if hasattr(value, "__length_hint__"):
            return id(value), value.__length_hint__()
        parts = None if id(value) in entered else self._parts(value)
        if parts is None:
            return id(value)
        entered.add(id(value))
        return [(_identity(key), self._snapshot(part, entered)) for key, part in parts]

    def _parts(self, value: object) -> Iterable[tuple[Any, Any]] | None:
        """Return the parts to compare of `value`, each with its key or name.

        Returns:
            `None` if `value` is compared by identity.
        """
        if isinstance(value, list | tuple | deque):
            return enumerate(value)
        if isinstance(value, Mapping):
            return value.items()
        is_own = type(value).__module__ in self.modules
        if is_own or isinstance(value, SimpleNamespace):
            return _attributes(value)
        return None


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    """Yield the attributes of an object, those in slots first."""
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        names = (slots,) if isinstance(slots, str) else slots
        for name in names:
            if hasattr(value, name):
                yield name, getattr(value, name)
    yield from getattr(value, "__dict__", {}).items()


def _identity(value: object) -> object:
    """Return a text or an id that tells a key or an element apart from others."""
    return repr(value) if isinstance(value, str | bytes | int | float) else id(value)
