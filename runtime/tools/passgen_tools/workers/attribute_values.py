"""Equality of the attributes of two passes: objects are taken to pieces.

A worker makes a pass from its class and its options. Whether it is the same pass shows
in the attributes of a new one, few of whose classes define `==`.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final, TypeAlias

from passgen_runtime.operation_pass import RUN_ATTRIBUTES, Pass, PassSequence

_MAX_DEPTH: Final = 8
"""The depth to which values are compared: they may be cyclic."""

_PICKLE_PROTOCOL: Final = 4

_Pieces: TypeAlias = Mapping[Any, object]
"""The pieces of a value by name, key or index."""


def are_equal(one: object, other: object, depth: int = 0) -> bool:
    """Return whether two values are equal for certain, or consist of equal values."""
    if one is other:
        return True
    if type(one) is not type(other) or depth > _MAX_DEPTH:
        return False
    try:
        mine, others = _pieces(one), _pieces(other)
        if mine is None or others is None:
            return bool(one == other)
        if _compares_itself(one) and not bool(one == other):
            return False
    except Exception:  # noqa: BLE001 - of the author's own code: it cannot be compared
        return False
    has_same_keys = [*map(_typed, mine)] == [*map(_typed, others)]
    return has_same_keys and all(
        are_equal(mine[key], others[key], depth + 1) for key in mine
    )


def _compares_itself(value: object) -> bool:
    """Return whether its author has written how it is compared: that counts, too."""
    return isinstance(type(value).__eq__, FunctionType)


def _typed(value: object) -> tuple[type, object]:
    """Return a value that is equal for equal ones of one type: 1 is not `True`."""
    return type(value), value


def _pieces(value: object) -> _Pieces | None:
    """Return the pieces of `value`; `None` if its class compares it.

    Raises:
        Exception: the value cannot be taken to pieces.
    """
    kind = type(value)
    if kind in _SCALARS:
        return None
    for classes, take in _TAKE:
        if kind in classes:
            return take(value)
    for base, take in _TAKE_ANY:
        if isinstance(value, base):
            return take(value)
    return _attributes(value)


def _of_function(function: FunctionType) -> _Pieces:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    defaults = function.__defaults__, function.__kwdefaults__
    parts = function.__code__, function.__module__, *defaults, *cells
    return dict(enumerate(parts))


def _of_pass(pass_: Pass) -> _Pieces:
    found = _attributes(pass_)
    return {name: found[name] for name in found if name not in RUN_ATTRIBUTES}


def _attributes(value: object) -> _Pieces:
    """Return the attributes of an object, and what a class of C says for pickling.

    Raises:
        Exception: it cannot be pickled.
    """
    made: Any = value.__reduce_ex__(_PICKLE_PROTOCOL)
    make, arguments, *more = made
    state = next(iter(more), None)
    states = state if isinstance(state, tuple) else (state,)
    found: dict[Any, object] = {}
    for attributes in states:  # of the dictionary, and of slots
        if isinstance(attributes, dict):
            found |= attributes
    others = [each for each in states if not isinstance(each, dict)]
    return found | dict(enumerate([make, *arguments, *others, *more[1:]]))


_SCALARS: Final = frozenset({str, bytes, int, bool, type(None), type(...), range})
"""The classes that compare their values as exactly as is needed."""

_Take: TypeAlias = Callable[[Any], _Pieces]

_TAKE: Final[tuple[tuple[tuple[Any, ...], _Take], ...]] = (
    ((float, complex), lambda number: {repr(number): None}),
    ((list, tuple), lambda members: dict(enumerate(members))),
    ((deque,), lambda members: {"maxlen": members.maxlen, **dict(enumerate(members))}),
    (
        (set, frozenset),
        lambda members: dict.fromkeys(sorted(map(repr, map(_typed, members)))),
    ),
    ((dict,), lambda items: items),
    ((FunctionType,), _of_function),
    ((type(threading.Lock()), type(threading.RLock())), lambda _lock: {}),
)
"""Functions that take values of exactly these classes to pieces.

`==` finds 0.0 and -0.0 equal. A lock is no state.
"""

_TAKE_ANY: Final[tuple[tuple[type, _Take], ...]] = (
    (PassSequence, lambda passes: {passes.anchor: [*passes.elements]}),
    (Pass, _of_pass),
    (threading.local, vars),
)
"""Functions for values of these classes, and of classes that derive from them."""
