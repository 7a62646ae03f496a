"""The configuration of a pass: its class, its options and its own attributes.

Two passes with one argument and equal options may have different effects, because of
their classes or of what their constructors were given.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Hashable, Iterable
from typing import cast

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


def _snapshot(value: object) -> object:
    """Return a value that is equal to that of an equal value of the same type.

    `==` alone takes 1 for `True`, and 0.0 for -0.0.
    """
    kind, state = type(value), value
    if isinstance(value, PassSequence):
        state = value.anchor, _snapshot([*value.elements])
    elif isinstance(value, Pass | PassOptions):
        state = {
            name: _snapshot(attribute)
            for name, attribute in _attributes(value).items()
            if name not in RUN_ATTRIBUTES
        }
    elif isinstance(value, float | complex):
        state = repr(value)
    elif kind in {list, deque} or isinstance(value, tuple):
        state = [_snapshot(member) for member in cast("Iterable[object]", value)]
    elif isinstance(value, dict) and kind is dict:
        state = _snapshot([*value.items()])
    elif isinstance(value, set | frozenset):
        state = {(type(member), member) for member in value}
    elif not issubclass(kind, Hashable):  # its `__eq__` compares what may change
        state = copy.deepcopy(value)
    return kind, state


def _attributes(value: object) -> dict[str, object]:
    """Return the attributes of an object, in its dictionary and in slots."""
    found = object.__getstate__(value)
    in_dictionary, in_slots = found if isinstance(found, tuple) else (found, None)
    return {**(in_dictionary or {}), **(in_slots or {})}
