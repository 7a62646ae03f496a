"""Pipelines and bundles inside one another: a part of `checks`.

None may hold itself, and what they stand for is bounded, as what aliases stand for is:
ten lines of bundles that hold one another twice would be a thousand passes.
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
"""Passes that a pipeline may hold, those of its bundles and pipelines included."""

MAX_DEPTH: Final = 16
"""Pipelines and bundles inside one another."""


@dataclass(frozen=True)
class _Holder:
    """A pipeline or a bundle."""

    location: Location
    num_own_passes: int
    held: tuple[tuple[str, Location], ...]
    """The pipelines and bundles in it, each with the place that names it."""


def check_inclusion(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield the pipelines and bundles of `group` that hold themselves or too much."""
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
            message = f"{name} holds more than {MAX_DEPTH} of them inside one another"
            yield Diagnostic(message, holder.location)
        elif sizes.get(name, 0) > MAX_PASSES and not any(
            sizes.get(held, 0) > MAX_PASSES for held, _ in holder.held
        ):
            message = f"{name} holds more than {MAX_PASSES} passes"
            yield Diagnostic(message, holder.location)


def _holders(group: PassGroup) -> Iterator[tuple[str, _Holder]]:
    for bundle in group.bundles:
        yield f"bundle '{bundle.name}'", _holder(bundle.location, bundle.elements)
    for pipeline in group.pipelines:
        name = f"pipeline '{pipeline.argument}'"
        yield name, _holder(pipeline.location, pipeline.elements)


def _holder(location: Location, elements: tuple[Element, ...]) -> _Holder:
    num_passes = sum(isinstance(each, PassElement) for each in without_blocks(elements))
    return _Holder(location, num_passes, tuple(_held(elements)))


def _held(elements: tuple[Element, ...]) -> Iterator[tuple[str, Location]]:
    for element in without_blocks(elements):
        if isinstance(element, BundleElement):
            yield f"bundle '{element.name}'", element.location
        elif isinstance(element, PipelineElement):
            yield f"pipeline '{element.argument}'", element.location


def _cycles(holders: dict[str, _Holder]) -> Iterator[Diagnostic]:
    """Yield the cycles among `holders`, each of which holds another one of them."""
    told: set[str] = set()
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
        if told.isdisjoint(names):
            told.update(names)
            first = next(each for each in holders if each in names)
            index = names.index(first)
            names = names[index:] + names[:index]
            yield _cycle([(each, path[each]) for each in names])


def _cycle(steps: list[tuple[str, Location]]) -> Diagnostic:
    (first, place), *others = steps
    message = f"{first} holds itself"
    if others:
        message += f" by way of {', '.join(name for name, _ in others)}"
    followed = [*(name for name, _ in others[1:]), first]
    notes = tuple(
        Note(f"{name} holds {held} here", where)
        for (name, where), held in zip(others, followed, strict=bool(others))
    )
    return Diagnostic(message, place, notes)
