"""Bundles, pipelines and rules of order as the Markdown templates need them.

A part of `targets.markdown`. The elements of a pipeline become lines of a nested list,
each name in it a link to where the page describes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from passgen.model import (
    BundleElement,
    Condition,
    Element,
    Name,
    Option,
    OptionReference,
    OrderingRule,
    Pass,
    PassElement,
    PassGroup,
    PipelineElement,
    RuleKind,
    Scalar,
    SetOption,
    without_blocks,
)
from passgen.render import Link

Spell = Callable[[Scalar], str]
"""Spells a value as a pipeline does."""


@dataclass(frozen=True)
class Line:
    """A line about an element, or about what holds for the lines below it.

    One of the kinds is set.
    """

    depth: int
    stage: str = ""
    nest: str = ""
    tests: tuple[Test, ...] = ()
    """Of a condition, one."""

    passes: tuple[Link, ...] = ()
    """One."""

    bundles: tuple[Link, ...] = ()
    """One."""

    pipelines: tuple[Link, ...] = ()
    """One."""

    settings: str = ""
    """What an element is given, as a pipeline spells it; `<x>` stands for an option."""


@dataclass(frozen=True)
class Test:
    """What a condition asks of an option."""

    option: str
    """Its argument."""

    value: str
    is_negated: bool


@dataclass(frozen=True)
class AnalysisEntry:
    """What a page says of an analysis."""

    name: str
    python: str
    summary: str


@dataclass(frozen=True)
class RulesEntry:
    """What a page says of the place of a pass in pipelines; all of it may be empty."""

    tags: tuple[str, ...] = ()
    after: tuple[Link, ...] = ()
    before: tuple[Link, ...] = ()
    after_if_present: tuple[Link, ...] = ()
    before_if_present: tuple[Link, ...] = ()
    cleanup: tuple[Link, ...] = ()
    required: tuple[str, ...] = ()
    provided: tuple[str, ...] = ()
    preserved: tuple[str, ...] = ()
    preserves_all: bool = False
    bundles: tuple[Link, ...] = ()
    """Those that hold the pass."""

    pipelines: tuple[Link, ...] = ()
    """As `bundles`."""

    @property
    def is_any(self) -> bool:
        """Whether there is anything to say."""
        return self != RulesEntry()


@dataclass(frozen=True)
class Links:
    """Where the page describes what pipelines name."""

    passes: Mapping[str, Link]
    """By argument; passes of other groups are not on the page."""

    pipelines: Mapping[str, Link]

    def of_pass(self, argument: str) -> Link:
        """Return the link to a pass, which leads nowhere if it is not on the page."""
        return self.passes.get(argument) or Link(argument)

    def of_bundle(self, name: str) -> Link:
        """Return the link to a bundle of the page."""
        return Link(name, f"bundle-{name}")


def rules_entry(pass_: Pass, group: PassGroup, links: Links) -> RulesEntry:
    """Return what a page says of the place of `pass_` in pipelines."""
    constraints = pass_.constraints

    def partners(kind: RuleKind) -> tuple[Link, ...]:
        rules = (rule for rule in constraints.ordering if rule.kind == kind)
        return tuple(link for rule in rules for link in _partners(rule, links))

    return RulesEntry(
        tags=_names(constraints.tags),
        after=partners("after"),
        before=partners("before"),
        after_if_present=partners("afterIfPresent"),
        before_if_present=partners("beforeIfPresent"),
        cleanup=partners("cleanup"),
        required=_names(constraints.required_analyses),
        provided=_names(constraints.provided_analyses),
        preserved=_names(constraints.preserved_analyses),
        preserves_all=constraints.preserves_all,
        bundles=tuple(
            links.of_bundle(bundle.name)
            for bundle in group.bundles
            if _holds(bundle.elements, pass_)
        ),
        pipelines=tuple(
            links.pipelines[pipeline.argument]
            for pipeline in group.pipelines
            if _holds(pipeline.elements, pass_)
        ),
    )


def _partners(rule: OrderingRule, links: Links) -> Iterator[Link]:
    for each in rule.partners:
        yield Link(f"{{tag: {each.name}}}") if each.is_tag else links.of_pass(each.name)


def _names(names: tuple[Name, ...]) -> tuple[str, ...]:
    return tuple(each.name for each in names)


def _holds(elements: tuple[Element, ...], pass_: Pass) -> bool:
    return any(
        isinstance(each, PassElement) and each.argument == pass_.argument
        for each in without_blocks(elements)
    )


def lines(
    elements: tuple[Element, ...],
    options: tuple[Option, ...],
    links: Links,
    spell: Spell,
) -> tuple[Line, ...]:
    """Return the lines about `elements` of what has `options`."""
    arguments = {each.name: each.argument for each in options}
    return tuple(_Drawing(arguments, links, spell).lines(elements, 0))


@dataclass(frozen=True)
class _Drawing:
    arguments: Mapping[str, str]
    """Of the options, by their names."""

    links: Links
    spell: Spell

    def lines(self, elements: tuple[Element, ...], depth: int) -> Iterator[Line]:
        for element in elements:
            inner = depth
            if element.condition:
                yield Line(depth, tests=(self._test(element.condition),))
                inner += 1
            yield from self._line(element, inner)

    def _line(self, element: Element, depth: int) -> Iterator[Line]:
        if isinstance(element, PassElement):
            link = self.links.of_pass(element.argument)
            settings = self._settings(element.options)
            yield Line(depth, passes=(link,), settings=settings)
        elif isinstance(element, BundleElement):
            yield Line(depth, bundles=(self.links.of_bundle(element.name),))
        elif isinstance(element, PipelineElement):
            link = self.links.pipelines[element.argument]
            settings = self._settings(element.options)
            yield Line(depth, pipelines=(link,), settings=settings)
        elif element.kind == "when":
            yield from self.lines(element.elements, depth)
        else:
            is_stage = element.kind == "stage"
            stage, nest = (element.name, "") if is_stage else ("", element.name)
            yield Line(depth, stage=stage, nest=nest)
            yield from self.lines(element.elements, depth + 1)

    def _test(self, condition: Condition) -> Test:
        return Test(
            self.arguments[condition.option],
            self.spell(condition.value),
            condition.is_negated,
        )

    def _settings(self, options: tuple[SetOption, ...]) -> str:
        return " ".join(f"{each.argument}={self._value(each)}" for each in options)

    def _value(self, option: SetOption) -> str:
        if isinstance(option.value, OptionReference):
            return f"<{self.arguments[option.value.name]}>"
        if isinstance(option.value, tuple):
            return ",".join(map(self.spell, option.value))
        return self.spell(option.value)
