"""A pipeline as the line of passes that runs: bundles and other pipelines put in place.

Each pass keeps the operation that it runs on, the guard of the conditions around it,
and the place in the pipeline at hand that it came from. Names must be known and nothing
may hold itself: `pipeline_references` and `pipeline_inclusion` have seen to that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from passgen.checks.pipelines.conditions import Domains, Guard, allowed_values, both, domain
from passgen.checks.pipelines.known_passes import KnownPass, KnownPasses
from passgen.model.group import Option, PassGroup, Pipeline
from passgen.model.pipelines import (
    ANY_OPERATION,
    Bundle,
    BundleElement,
    Condition,
    ConditionValue,
    Element,
    OptionReference,
    PassElement,
    PipelineElement,
)
from passgen.source import Location


@dataclass(frozen=True)
class Place:
    """Where a pass or a pipeline of the line stands."""

    element: Location
    """In the pipeline at hand: the pass, or the bundle or pipeline that brought it."""

    own: Location
    """Where it is named: elsewhere than `element` if something else brought it."""


@dataclass(frozen=True)
class FlatPass:
    """One pass of the line."""

    pass_: KnownPass
    place: Place
    guard: Guard
    anchor: str
    """The operation that it runs on; empty where that may be any."""


@dataclass(frozen=True)
class FlatInclusion:
    """Another pipeline that the line went through."""

    pipeline: Pipeline
    place: Place
    anchor: str


@dataclass(frozen=True)
class FlatPipeline:
    """What runs, in order."""

    passes: tuple[FlatPass, ...]
    inclusions: tuple[FlatInclusion, ...]
    domains: Domains
    """The values of the pipeline's options that conditions may ask about."""


_Meaning: TypeAlias = ConditionValue | OptionReference | None
"""Of an option inside a pipeline: a value, an option of the one at hand, or neither."""


@dataclass(frozen=True)
class _Around:
    """What is known of the place of an element by what stands around it."""

    guard: Guard
    anchor: str
    options: Mapping[str, _Meaning]
    element: Location | None
    """In the pipeline at hand, if the element stands in another one or a bundle."""

    def place(self, own: Location) -> Place:
        return Place(self.element or own, own)


def flatten(pipeline: Pipeline, group: PassGroup, known: KnownPasses) -> FlatPipeline:
    """Return what runs when `pipeline` of `group` does."""
    domains = {each.name: domain(each) for each in pipeline.options}
    walk = _Walk(group, known, domains)
    options: dict[str, _Meaning] = {
        each.name: OptionReference(each.name, each.location)
        for each in pipeline.options
    }
    anchor = pipeline.anchor.name if pipeline.anchor else ""
    outside = _Around({}, anchor, options, None)
    passes = tuple(walk.elements(pipeline.elements, outside))
    return FlatPipeline(passes, tuple(walk.inclusions), domains)


class _Walk:
    """Follows the elements of one pipeline, and keeps the others it came through."""

    def __init__(self, group: PassGroup, known: KnownPasses, domains: Domains) -> None:
        self.inclusions: list[FlatInclusion] = []
        self._known = known
        self._domains = domains
        self._bundles: dict[str, Bundle] = {each.name: each for each in group.bundles}
        self._pipelines = {each.argument: each for each in group.pipelines}

    def elements(
        self, elements: tuple[Element, ...], around: _Around
    ) -> Iterator[FlatPass]:
        for element in elements:
            guard = self._guard(element.condition, around)
            if guard is not None:
                yield from self._element(element, replace(around, guard=guard))

    def _element(self, element: Element, around: _Around) -> Iterator[FlatPass]:
        place = around.place(element.location)
        if isinstance(element, PassElement):
            pass_ = self._known.by_argument[element.argument]
            yield FlatPass(pass_, place, around.guard, around.anchor)
        elif isinstance(element, BundleElement):
            bundle = self._bundles[element.name]
            inside = replace(around, options={}, element=place.element)
            yield from self.elements(bundle.elements, inside)
        elif isinstance(element, PipelineElement):
            pipeline = self._pipelines[element.argument]
            self.inclusions.append(FlatInclusion(pipeline, place, around.anchor))
            meanings = dict(_meanings(pipeline.options, element, around.options))
            inside = replace(around, options=meanings, element=place.element)
            yield from self.elements(pipeline.elements, inside)
        elif element.kind == "nest":
            anchor = "" if element.name == ANY_OPERATION else element.name
            inside = replace(around, anchor=anchor)
            yield from self.elements(element.elements, inside)
        else:
            yield from self.elements(element.elements, around)

    def _guard(self, condition: Condition | None, around: _Around) -> Guard | None:
        """Return when an element is there, `None` if it never is."""
        if condition is None:
            return around.guard
        meaning = around.options[condition.option]
        if isinstance(meaning, OptionReference):
            values = allowed_values(condition, self._domains[meaning.name])
            return both(around.guard, {meaning.name: values}) if values else None
        assert meaning is not None
        return around.guard if allowed_values(condition, (meaning,)) else None


def _meanings(
    options: tuple[Option, ...],
    element: PipelineElement,
    outer: Mapping[str, _Meaning],
) -> Iterator[tuple[str, _Meaning]]:
    """Yield what options of an included pipeline are in the one at hand."""
    settings = {each.argument: each.value for each in element.options}
    for option in options:
        value = settings.get(option.argument, option.default)
        values = domain(option)
        if isinstance(value, OptionReference):
            yield option.name, outer[value.name]
        elif isinstance(value, (bool, str)):
            yield option.name, value
        else:
            yield option.name, values[0] if values else None
