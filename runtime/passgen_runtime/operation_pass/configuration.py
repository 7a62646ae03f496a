"""The configuration of a pass: its class, its options and its own attributes.

Two passes with one argument and equal options may have different effects, because of
their classes or of what their constructors were given.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import is_dataclass
from enum import Enum
from typing import Final, cast

from passgen_runtime.operation_pass.operation_pass import RUN_ATTRIBUTES, Pass
from passgen_runtime.operation_pass.ownership import PassSequence
from passgen_runtime.pass_options import PassOptions


class PassConfiguration:
    """The configuration of a pass or a pipeline at one time, for comparisons.

    Two are equal only if the passes have the same effect for certain. An object that is
    compared by identity is equal to itself only; one that cannot be compared or copied
    is equal to none.
    """

    def __init__(self, configured: Pass | PassSequence[Pass]) -> None:
        """Keep the configuration of `configured` as it is now."""
        self._class = type(configured)
        self._state: object
        try:
            self._state = _snapshot(configured)
        except Exception:  # noqa: BLE001 - of the author's own `__deepcopy__`
            self._state = object()

    def __eq__(self, other: object) -> bool:
        """Return whether passes of both configurations have the same effect."""
        if not isinstance(other, PassConfiguration):
            return NotImplemented
        try:
            return bool(self._state == other._state)
        except Exception:  # noqa: BLE001 - of the author's own `__eq__`
            return False

    def __hash__(self) -> int:
        """Return the hash of the class: attributes may have none."""
        return hash(self._class)


class _IncomparableError(Exception):
    """A value whose equality does not mean that passes have the same effect."""


_EXACT: Final = frozenset({str, bytes, int, bool, type(None), type(...), range})
"""The classes whose values are the same if they are equal and of one class."""


def _snapshot(value: object) -> Hashable:
    """Return a value that is equal to that of a value with the same content.

    `==` alone takes 1 for `True`, 0.0 for -0.0, and for one another what a class leaves
    out of the comparison.

    Raises:
        _IncomparableError: only the class of the value compares it.
    """
    kind = type(value)
    if kind in _EXACT:
        return kind, value
    if kind in {float, complex}:
        return kind, repr(value)
    if isinstance(value, set | frozenset) and kind in {set, frozenset}:
        return kind, frozenset(map(_snapshot, value))
    members = _members(value)
    if members is not None:
        return kind, *map(_snapshot, members)
    if kind.__eq__ is object.__eq__ or isinstance(value, type | Enum):
        return kind, value  # the same object only
    raise _IncomparableError


def _members(value: object) -> Iterable[object] | None:
    """Return the values that a value consists of; `None` if it is of another class."""
    kind = type(value)
    if isinstance(value, PassSequence):
        return value.anchor, *value.elements
    if kind in {list, tuple}:
        return cast("Iterable[object]", value)
    if isinstance(value, deque) and kind is deque:
        return value.maxlen, *value
    if isinstance(value, dict) and kind is dict:
        return value.items()
    if isinstance(value, Pass | PassOptions) or is_dataclass(value):
        attributes = attributes_of(value).items()
        return [pair for pair in attributes if pair[0] not in RUN_ATTRIBUTES]
    return None


def attributes_of(value: object) -> dict[str, object]:
    """Return the attributes of an object, in its dictionary and in slots."""
    found = object.__getstate__(value)
    in_dictionary, in_slots = found if isinstance(found, tuple) else (found, None)
    return {**(in_dictionary or {}), **(in_slots or {})}
