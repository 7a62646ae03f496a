"""Removal of as many things from a list as possible: delta debugging."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeAlias, TypeVar

T = TypeVar("T")

RemoveFirst: TypeAlias = Callable[[Sequence[Sequence[T]]], int | None]
"""Removes the first of the chunks that can be removed; returns its index."""


def remove_chunks(things: Sequence[T], remove_first: RemoveFirst[T]) -> None:
    """Remove all `things` that can be removed: all at once, halves, quarters, each."""
    left = list(things)
    size = len(left)
    while size:
        chunks = [left[start : start + size] for start in range(0, len(left), size)]
        kept: list[list[T]] = []
        while (index := remove_first(chunks)) is not None:
            kept += chunks[:index]
            chunks = chunks[index + 1 :]
        left = list(chain(*kept, *chunks))
        size = min(size // 2, len(left))
