"""Bundles, pipelines and rules of order as the Markdown templates need them.

A part of `targets.markdown`. The elements of a pipeline become lines of a nested list;
the names in it are links to their descriptions on the page.
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
    outline,
    without_blocks,
)
from passgen.render import Link

Spell = Callable[[Scalar], str]
"""Returns a value as a textual pipeline has it."""


@dataclass(frozen=True)
class Line:
    """A line about an element, or about the lines below it. One of the kinds is set."""

    depth: int
    stage: str = ""
    nest: str = ""
    test: Test | None = None
    """Of a condition."""

    added_pass: Link | None = None
    bundle: Link | None = None
    pipeline: Link | None = None
    settings: str = ""
    """Options of the element as in a textual pipeline; `<x>` stands for an option."""


@dataclass(frozen=True)
class Test:
    """The value that a condition compares an option with."""

    option: str
    """Its argument."""

    value: str
    is_negated: bool


@dataclass(frozen=True)
class RulesEntry:
    """The requirements of a pass on pipelines, and its users; each may be empty."""

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
    """Those that hold the pass."""

    @property
    def is_any(self) -> bool:
        """Whether any part is not empty."""
        return self != RulesEntry()


@dataclass(frozen=True)
class Links:
    """Links to the descriptions of passes, bundles and pipelines on the page."""

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
    """Return the requirements of `pass_` on pipelines, and its users."""
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
    for partner in rule.partners:
        yield (
            Link(f"{{tag: {partner.name}}}")
            if partner.is_tag
            else links.of_pass(partner.name)
        )


def _names(names: tuple[Name, ...]) -> tuple[str, ...]:
    return tuple(name.name for name in names)


def _holds(elements: tuple[Element, ...], pass_: Pass) -> bool:
    return any(
        isinstance(element, PassElement) and element.argument == pass_.argument
        for element in without_blocks(elements)
    )


def lines(
    elements: tuple[Element, ...],
    options: tuple[Option, ...],
    links: Links,
    spell: Spell,
) -> tuple[Line, ...]:
    """Return the lines about `elements`; `options` are those of their pipeline."""
    arguments = {option.name: option.argument for option in options}
    return tuple(_Drawing(arguments, links, spell).lines(elements))


@dataclass(frozen=True)
class _Drawing:
    arguments: Mapping[str, str]
    """Of the options, by their names."""

    links: Links
    spell: Spell

    def lines(self, elements: tuple[Element, ...]) -> Iterator[Line]:
        for depth, element in outline(elements):
            if isinstance(element, Condition):
                yield Line(depth, test=self._test(element))
            elif isinstance(element, PassElement):
                link = self.links.of_pass(element.argument)
                settings = self._settings(element.options)
                yield Line(depth, added_pass=link, settings=settings)
            elif isinstance(element, BundleElement):
                yield Line(depth, bundle=self.links.of_bundle(element.name))
            elif isinstance(element, PipelineElement):
                link = self.links.pipelines[element.argument]
                settings = self._settings(element.options)
                yield Line(depth, pipeline=link, settings=settings)
            elif element.kind == "stage":
                yield Line(depth, stage=element.name)
            else:
                yield Line(depth, nest=element.name)

    def _test(self, condition: Condition) -> Test:
        return Test(
            self.arguments[condition.option],
            self.spell(condition.value),
            condition.is_negated,
        )

    def _settings(self, options: tuple[SetOption, ...]) -> str:
        return " ".join(
            f"{option.argument}={self._value(option)}" for option in options
        )

    def _value(self, option: SetOption) -> str:
        if isinstance(option.value, OptionReference):
            return f"<{self.arguments[option.value.name]}>"
        if isinstance(option.value, tuple):
            return ",".join(map(self.spell, option.value))
        return self.spell(option.value)
