"""Checks of pipelines and bundles that include others.

Neither may include itself, and the number of passes in them is bounded: ten bundles
that each include the next one twice would be a thousand passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from passgen.diagnostics import Diagnostic, Note
from passgen.model import (
    BundleElement,
    Element,
    PassElement,
    PassGroup,
    PipelineElement,
    without_blocks,
)
from passgen.source import Location

MAX_PASSES: Final = 1000
"""The number of passes in a pipeline, with those of its bundles and pipelines."""

MAX_DEPTH: Final = 16
"""The depth of nested pipelines and bundles."""


@dataclass(frozen=True)
class _Holder:
    """A pipeline or a bundle."""

    location: Location
    num_own_passes: int
    held: tuple[tuple[str, Location], ...]
    """The names of the pipelines and bundles in it, each with its location."""


def check_inclusion(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield pipelines and bundles that include themselves or are too large."""
    holders = dict(_holders(group))
    depths: dict[str, int] = {}
    sizes: dict[str, int] = {}
    waiting = dict(holders)
    is_shrinking = True
    while is_shrinking:
        ready = {
            name: holder
            for name, holder in waiting.items()
            if not any(held in waiting for held, _ in holder.held)
        }
        for name, holder in ready.items():
            del waiting[name]
            known = [held for held, _ in holder.held if held in depths]
            depths[name] = 1 + max((depths[held] for held in known), default=0)
            sizes[name] = holder.num_own_passes + sum(sizes[held] for held in known)
        is_shrinking = bool(ready)
    yield from _cycles(waiting)
    for name, holder in holders.items():
        if depths.get(name) == MAX_DEPTH + 1:
            message = (
                f"{name} nests pipelines and bundles more than {MAX_DEPTH} levels deep"
            )
            yield Diagnostic(message, holder.location)
        elif sizes.get(name, 0) > MAX_PASSES and not any(
            sizes.get(held, 0) > MAX_PASSES for held, _ in holder.held
        ):
            message = f"{name} has more than {MAX_PASSES} passes"
            yield Diagnostic(message, holder.location)


def _holders(group: PassGroup) -> Iterator[tuple[str, _Holder]]:
    for bundle in group.bundles:
        yield f"bundle '{bundle.name}'", _holder(bundle.location, bundle.elements)
    for pipeline in group.pipelines:
        name = f"pipeline '{pipeline.argument}'"
        yield name, _holder(pipeline.location, pipeline.elements)


def _holder(location: Location, elements: tuple[Element, ...]) -> _Holder:
    num_passes = sum(
        isinstance(element, PassElement) for element in without_blocks(elements)
    )
    return _Holder(location, num_passes, tuple(_names_held(elements)))


def _names_held(elements: tuple[Element, ...]) -> Iterator[tuple[str, Location]]:
    for element in without_blocks(elements):
        if isinstance(element, BundleElement):
            yield f"bundle '{element.name}'", element.location
        elif isinstance(element, PipelineElement):
            yield f"pipeline '{element.argument}'", element.location


def _cycles(holders: dict[str, _Holder]) -> Iterator[Diagnostic]:
    """Yield the cycles among `holders`, each of which includes another one of them."""
    reported: set[str] = set()
    for start in holders:
        path: dict[str, Location] = {}
        name = start
        while name not in path:
            path[name], following = next(
                (place, held) for held, place in holders[name].held if held in holders
            )
            name = following
        names = list(path)
        names = names[names.index(name) :]
        if reported.isdisjoint(names):
            reported.update(names)
            first = next(holder for holder in holders if holder in names)
            index = names.index(first)
            names = names[index:] + names[:index]
            yield _cycle([(name, path[name]) for name in names])


def _cycle(steps: list[tuple[str, Location]]) -> Diagnostic:
    (first, place), *others = steps
    message = f"{first} includes itself"
    if others:
        message += f" through {', '.join(name for name, _ in others)}"
    followed = [*(name for name, _ in others[1:]), first]
    notes = tuple(
        Note(f"{name} includes {held} here", where)
        for (name, where), held in zip(others, followed, strict=bool(others))
    )
    return Diagnostic(message, place, notes)
