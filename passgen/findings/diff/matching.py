"""Which things of two versions are the same: by what users write, then by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from passgen.diagnostics import Note
from passgen.source import Location

T = TypeVar("T")


@dataclass(frozen=True)
class Matched(Generic[T]):
    """The things of two versions."""

    kept: tuple[tuple[T, T], ...]
    """Old and new of each thing that both have, in the order of the new."""

    removed: tuple[T, ...]
    added: tuple[T, ...]


def match(
    old: Sequence[T],
    new: Sequence[T],
    written: Callable[[T], str],
    name: Callable[[T], str],
) -> Matched[T]:
    """Return which of `old` is which of `new`.

    Args:
        old: the things before.
        new: the things after.
        written: returns what users write; equal texts are the same thing.
        name: returns the name in code, which tells the things that were renamed.
    """
    by_text = {written(each): each for each in old}
    kept = {
        index: by_text.pop(written(each))
        for index, each in enumerate(new)
        if written(each) in by_text
    }
    by_name = {name(each): each for each in by_text.values()}
    for index, each in enumerate(new):
        if index not in kept and name(each) in by_name:
            renamed = by_name.pop(name(each))
            del by_text[written(renamed)]
            kept[index] = renamed
    return Matched(
        tuple((kept[index], each) for index, each in enumerate(new) if index in kept),
        tuple(by_text.values()),
        tuple(each for index, each in enumerate(new) if index not in kept),
    )


def was_here(location: Location) -> tuple[Note, ...]:
    """Return the note that shows the thing as it was."""
    return (Note("it was here", location),)
