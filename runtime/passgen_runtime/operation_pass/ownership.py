"""Ownership: the containers and pass managers that are copied with a pass.

Copies of a pass run in several threads at once. They must not share a list that one of
them fills, nor a pass manager whose passes see one operation at a time.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

from passgen_runtime.errors import SchedulingError


class _Named(Protocol):
    """A pass as error messages name it."""

    @property
    def argument(self) -> str: ...

    @property
    def name(self) -> str: ...


T = TypeVar("T")
P = TypeVar("P", bound=_Named)


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


MAY_HOLD_PASSES = (PassSequence, dict, list, tuple)
"""The types of values that `sequences_in` searches, for a quick test."""


def sequences_in(value: object) -> Iterator[PassSequence[Any]]:
    """Yield `value` if it is a pass sequence, or those in the container `value`."""
    if isinstance(value, dict):
        value = tuple(value.values())
    for found in value if isinstance(value, list | tuple) else (value,):
        if isinstance(found, PassSequence):
            yield found


def owned_sequences(pass_: object) -> Iterator[PassSequence[Any]]:
    """Yield the pass sequences in attributes of `pass_`: its dynamic pipelines."""
    for name, value in tuple(vars(pass_).items()):
        if isinstance(value, MAY_HOLD_PASSES) and name != "dynamic_pipelines":
            yield from sequences_in(value)


def check_owns_not_itself(pass_: _Named) -> None:
    """Check that `pass_` does not own itself: copying it would not end.

    Raises:
        SchedulingError: the pass, or one that it owns, owns itself.
    """
    around: list[_Named] = []

    def visit(inner: _Named) -> None:
        if any(inner is outer for outer in around):
            message = (
                f"pass '{inner.argument or inner.name}' keeps a pass manager that "
                "holds the pass itself: give the manager another pass, or make the "
                "manager when the pass runs"
            )
            raise SchedulingError(message)
        around.append(inner)
        for sequence in owned_sequences(inner):
            for owned in sequence.passes():
                visit(owned)
        around.pop()

    visit(pass_)


def copy_owned(value: T) -> T:
    """Return a copy of a container or pass sequence; any other value itself.

    Pass sequences directly in the container are copied, too; other values in it are
    shared. Another thread may change the container meanwhile.
    """
    result: Any = value
    if isinstance(value, PassSequence):
        result = value.copy()
    elif isinstance(value, dict):
        result = copy.copy(value)
        for key, element in tuple(result.items()):
            if isinstance(element, PassSequence):
                result[key] = element.copy()
    elif isinstance(value, list | deque):
        result = copy.copy(value)
        for index, element in enumerate(result):
            if isinstance(element, PassSequence):
                result[index] = element.copy()
    elif isinstance(value, set | bytearray):
        result = copy.copy(value)
    elif type(result) is tuple:
        copied = (
            element.copy() if isinstance(element, PassSequence) else element
            for element in result
        )
        result = tuple(copied)
    return result  # type: ignore[no-any-return] # of the type of `value`
