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

    A pass that keeps one in an attribute owns its passes.

    Such a pass runs it as a dynamic pipeline: it depends on the dialects of its passes,
    and is copied with it.
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
"""The types of values that `sequences_in` searches; quick to test."""


def sequences_in(value: object) -> Iterator[PassSequence[Any]]:
    """Yield `value` if it is a pass sequence, or those in the container `value`."""
    seen: set[int] = set()
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, PassSequence):
            yield each
        elif isinstance(each, dict | list | tuple) and id(each) not in seen:
            seen.add(id(each))
            inside = [*(each.values() if isinstance(each, dict) else each)]
            pending += reversed(inside)


def kept_by(pass_: object) -> Iterator[PassSequence[Any]]:
    """Yield the pass sequences in attributes of `pass_`: its dynamic pipelines."""
    for name, value in tuple(vars(pass_).items()):
        if isinstance(value, MAY_HOLD_PASSES) and name != "dynamic_pipelines":
            yield from sequences_in(value)


def check_keeps_not_itself(pass_: _Named) -> None:
    """Check that `pass_` does not keep itself: copying it would not end.

    Raises:
        SchedulingError: the pass, or one inside it, is in a pass manager it keeps.
    """
    around: list[_Named] = []

    def visit(inner: _Named) -> None:
        if any(inner is outer for outer in around):
            message = (
                f"pass '{inner.argument or inner.name}' keeps a pass manager that "
                "holds the pass itself: give the manager a pass of its own, or make it "
                "when the pass runs"
            )
            raise SchedulingError(message)
        around.append(inner)
        for sequence in kept_by(inner):
            for kept in sequence.passes():
                visit(kept)
        around.pop()

    visit(pass_)


def copy_owned(value: T, memo: dict[int, Any] | None = None) -> T:
    """Return a copy of a container or pass sequence, and anything else as it is.

    Another thread may be filling a container meanwhile.
    """
    memo = {} if memo is None else memo
    known: T | None = memo.get(id(value))
    if known is not None:
        return known
    result: Any = value
    if isinstance(value, PassSequence):
        result = value.copy()
    elif isinstance(value, dict):
        result = memo[id(value)] = copy.copy(value)
        for key, element in tuple(result.items()):
            result[key] = copy_owned(element, memo)
    elif isinstance(value, list | deque):
        result = memo[id(value)] = copy.copy(value)
        for index, element in enumerate(result):
            result[index] = copy_owned(element, memo)
    elif isinstance(value, set | bytearray):
        result = copy.copy(value)
    elif type(result) is tuple:
        result = tuple(copy_owned(element, memo) for element in result)
    memo[id(value)] = result
    return result  # type: ignore[no-any-return] # of the type of `value`
