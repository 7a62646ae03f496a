"""Declared pipelines as sequences of passes, with guards of conditions, and places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from passgen.checks.pipelines.references import KnownPass, KnownPasses
from passgen.diagnostics import Note
from passgen.model import (
    Bundle,
    BundleElement,
    Condition,
    ConditionValue,
    Element,
    FormRules,
    Option,
    OptionReference,
    PassElement,
    PassGroup,
    Pipeline,
    PipelineElement,
)
from passgen.passgen_rules.sequence import (
    ALWAYS,
    ANY_OPERATION,
    Domains,
    Guard,
    Nest,
    both,
    describe_case,
)
from passgen.source import Location


def domain(option: Option) -> tuple[ConditionValue, ...]:
    """Return all values of `option`; none unless it is a boolean or an enum."""
    if option.is_list or option.optional:
        return ()
    if option.type.name == "bool":
        return (False, True)
    return tuple(value.value for value in option.type.values)


def allowed_values(
    condition: Condition, values: Iterable[ConditionValue]
) -> frozenset[ConditionValue]:
    """Return those of `values` for which `condition` holds."""
    return frozenset(
        value for value in values if (value == condition.value) != condition.is_negated
    )


@dataclass(frozen=True)
class ConditionPlace:
    """The locations of a pass or a pipeline in the sequence."""

    element: Location
    """The place in the checked pipeline, maybe of the bundle or pipeline around it."""

    own: Location
    """The place of the name, which may be in a bundle or in another pipeline."""

    def notes(self, what: str) -> tuple[Note, ...]:
        """Return a note with the place of the name of `what`, if it is elsewhere."""
        if self.own is self.element:
            return ()
        return (Note(f"{what} is named here", self.own),)


@dataclass(frozen=True)
class FlatPass:
    """One pass of the sequence."""

    pass_: KnownPass
    place: ConditionPlace
    guard: Guard
    nest: Nest

    @property
    def forms(self) -> FormRules:
        """The forms that it needs, gives, keeps and breaks."""
        return self.pass_.constraints.forms

    @property
    def argument(self) -> str:
        """The argument of the pass."""
        return self.pass_.argument

    @property
    def is_open(self) -> bool:
        """Whether it may give a form that it does not name."""
        return self.pass_.is_open

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the pass."""
        return tuple(map(str, self.pass_.constraints.tags))

    @property
    def anchor(self) -> str:
        """The operation that it runs on, or `any`."""
        return self.nest[-1]


@dataclass(frozen=True)
class FlatInclusion:
    """A pipeline that is included in the sequence."""

    pipeline: Pipeline
    place: ConditionPlace
    guard: Guard
    nest: Nest
    num_earlier: int
    """The number of passes before its own."""

    end: int
    """The number of passes before what follows it."""

    is_open: ClassVar[bool] = False
    """Whether it may give a form that it does not name; its passes may."""

    @property
    def forms(self) -> FormRules:
        """The forms that it needs, gives, keeps and breaks."""
        return self.pipeline.forms

    @property
    def argument(self) -> str:
        """The argument of the pipeline."""
        return self.pipeline.argument

    @property
    def anchor(self) -> str:
        """The operation that it runs on, or `any`."""
        return self.nest[-1]


@dataclass(frozen=True)
class FlatPipeline:
    """The passes of a pipeline in order, without blocks, bundles and pipelines."""

    passes: tuple[FlatPass, ...]
    inclusions: tuple[FlatInclusion, ...]
    domains: Domains
    """The values that each option of the pipeline can have."""

    def case_notes(self, case: Guard) -> tuple[Note, ...]:
        """Return a note with `case` in words, if it is not every case."""
        if not case:
            return ()
        return (Note(f"this happens if {describe_case(case, self.domains)}"),)


_Meaning: TypeAlias = ConditionValue | OptionReference | None
"""The value of an option in an included pipeline: a constant, an option of the checked
pipeline, or `None` if conditions cannot test it."""


@dataclass(frozen=True)
class _Around:
    """The context of an element: the blocks, bundles and pipelines around it."""

    guard: Guard
    nest: Nest
    options: Mapping[str, _Meaning]
    element: Location | None
    """The place of the outermost bundle or pipeline around the element, if any."""

    def place(self, own: Location) -> ConditionPlace:
        return ConditionPlace(self.element or own, own)


def flatten(pipeline: Pipeline, group: PassGroup, known: KnownPasses) -> FlatPipeline:
    """Return the passes that `pipeline` of `group` runs."""
    domains = {option.name: domain(option) for option in pipeline.options}
    walk = _Walk(group, known, domains)
    options: dict[str, _Meaning] = {
        option.name: OptionReference(option.name, option.location)
        for option in pipeline.options
    }
    outside = _Around(ALWAYS, nest_of(pipeline), options, None)
    passes = tuple(walk.elements(pipeline.elements, outside))
    return FlatPipeline(passes, tuple(walk.inclusions), domains)


def nest_of(pipeline: Pipeline) -> Nest:
    """Return the nest of what `pipeline` runs itself."""
    return (pipeline.operation or ANY_OPERATION,)


class _Walk:
    """Visits the elements of one pipeline, and collects included pipelines."""

    def __init__(self, group: PassGroup, known: KnownPasses, domains: Domains) -> None:
        self.inclusions: list[FlatInclusion] = []
        self._num_passes = 0
        self._known = known
        self._domains = domains
        self._bundles: dict[str, Bundle] = {
            bundle.name: bundle for bundle in group.bundles
        }
        self._pipelines = {pipeline.argument: pipeline for pipeline in group.pipelines}

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
            self._num_passes += 1
            yield FlatPass(pass_, place, around.guard, around.nest)
        elif isinstance(element, BundleElement):
            bundle = self._bundles[element.name]
            inside = replace(around, options={}, element=place.element)
            yield from self.elements(bundle.elements, inside)
        elif isinstance(element, PipelineElement):
            pipeline = self._pipelines[element.argument]
            here = place, around.guard, around.nest, self._num_passes
            index = len(self.inclusions)
            self.inclusions.append(FlatInclusion(pipeline, *here, self._num_passes))
            meanings = dict(_meanings(pipeline.options, element, around.options))
            inside = replace(around, options=meanings, element=place.element)
            yield from self.elements(pipeline.elements, inside)
            included = self.inclusions[index]
            self.inclusions[index] = replace(included, end=self._num_passes)
        elif element.kind == "nest":
            inside = replace(around, nest=(*around.nest, element.name))
            yield from self.elements(element.elements, inside)
        else:
            yield from self.elements(element.elements, around)

    def _guard(self, condition: Condition | None, around: _Around) -> Guard | None:
        """Return the guard of an element, `None` if it is never present."""
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
    """Yield the options of an included pipeline with their meanings."""
    settings = {setting.argument: setting.value for setting in element.options}
    for option in options:
        value = settings.get(option.argument, option.default)
        values = domain(option)
        if isinstance(value, OptionReference):
            yield option.name, outer[value.name]
        elif isinstance(value, (bool, str)):
            yield option.name, value
        else:
            yield option.name, values[0] if values else None
