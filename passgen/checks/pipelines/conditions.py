"""Pipelines as sequences of passes, each with a guard over the pipeline's options.

A guard gives the values that some options must have. Options in conditions are booleans
and enums, which have finitely many values, so it can be decided exactly whether a
pipeline breaks a rule for some values of its options.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from passgen.checks.pipelines.references import KnownPass, KnownPasses
from passgen.diagnostics import Note
from passgen.model import (
    ANY_OPERATION,
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
from passgen.source import Location

Guard: TypeAlias = Mapping[str, frozenset[ConditionValue]]
"""The values for which an element is present, by option name; empty: always."""

Domains: TypeAlias = Mapping[str, tuple[ConditionValue, ...]]
"""All values of the options that conditions may test, by option name."""


Nest: TypeAlias = tuple[str, ...]
"""The operation of a pipeline, then those that it is nested on; empty: any of them."""


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


def both(first: Guard, second: Guard) -> Guard | None:
    """Return the conjunction of two guards; `None` if it is never true."""
    joined = dict(first)
    for option, values in second.items():
        joined[option] = joined.get(option, values) & values
        if not joined[option]:
            return None
    return joined


def find_case(
    present: Iterable[Guard], absent: Iterable[Guard], domains: Domains
) -> Guard | None:
    """Return values of options for which all of `present` and none of `absent` hold.

    The result restricts only the options that matter; `None`: there are no such values.
    """
    case: Guard = {}
    for guard in present:
        joined = both(case, guard)
        if joined is None:
            return None
        case = joined
    different = {frozenset(guard.items()): guard for guard in absent}
    return _without(case, list(different.values()), domains)


def _without(case: Guard, absent: list[Guard], domains: Domains) -> Guard | None:
    if not absent:
        return case
    guard, *rest = sorted(absent, key=len)  # those with the fewest choices first
    for option, values in guard.items():
        left = case.get(option, frozenset(domains[option])) - values
        if left:
            found = _without({**case, option: left}, rest, domains)
            if found is not None:
                return found
    return None


def describe_case(case: Guard, domains: Domains) -> str:
    """Return `case` in words: `'vectorize' is true and 'mode' is 'greedy'`."""
    first = {
        option: next(value for value in domains[option] if value in values)
        for option, values in case.items()
    }
    return " and ".join(
        f"'{name}' is {_format(value)}" for name, value in first.items()
    )


def _format(value: ConditionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else f"'{value}'"


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
    def anchor(self) -> str:
        """The operation that it runs on; empty if that may be any."""
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
        """The operation that it runs on; empty if that may be any."""
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
    anchor = pipeline.anchor.name if pipeline.anchor else ""
    outside = _Around({}, (anchor,), options, None)
    passes = tuple(walk.elements(pipeline.elements, outside))
    return FlatPipeline(passes, tuple(walk.inclusions), domains)


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
            anchor = "" if element.name == ANY_OPERATION else element.name
            inside = replace(around, nest=(*around.nest, anchor))
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
