"""Ownership: the containers and pass managers that are copied with a pass.

Copies of a pass run in several threads at once. They must not share a list that one of
them fills, nor a pass manager whose passes see one operation at a time.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")
P = TypeVar("P")


class PassSequence(Generic[P]):
    """Passes and nested sequences of passes that run on operations of one kind.

    A pass owns the sequences in its attributes: it runs them as dynamic pipelines,
    depends on the dialects of their passes, and is copied with them.
    """

    anchor: str
    """The name of the operations, or `any`."""

    elements: Sequence[P | PassSequence[P]]

    def passes(self) -> Iterator[P]:
        """Yield all passes, in order."""
        raise NotImplementedError

    def copy(self) -> Self:
        """Return clones of all passes in the same order."""
        raise NotImplementedError


def owned_sequences(pass_: object) -> Iterator[PassSequence[Any]]:
    """Yield the pass sequences in attributes of `pass_`: its dynamic pipelines."""
    for name, value in tuple(vars(pass_).items()):
        if name == "dynamic_pipelines":
            continue
        values = tuple(value.values()) if isinstance(value, dict) else value
        for found in values if isinstance(values, list | tuple) else (value,):
            if isinstance(found, PassSequence):
                yield found


def copy_owned(value: T) -> T:
    """Return a copy of a container or pass sequence; any other value itself.

    Pass sequences directly in the container are copied, too; other values in it are
    shared. Another thread may change the container meanwhile.
    """
    result: Any = value
    if isinstance(value, PassSequence):
        result = value.copy()
    elif isinstance(value, dict | list | deque):
        result = copy.copy(value)
        keys = result if isinstance(result, dict) else range(len(result))
        for key in tuple(keys):
            if isinstance(result[key], PassSequence):
                result[key] = result[key].copy()
    elif isinstance(value, set | bytearray):
        result = copy.copy(value)
    elif type(result) is tuple:
        copied = (
            element.copy() if isinstance(element, PassSequence) else element
            for element in result
        )
        result = tuple(copied)
    return result  # type: ignore[no-any-return] # of the type of `value`
