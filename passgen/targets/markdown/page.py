"""The page of a group: what it says about a pass, such as a pipeline that runs it.

The templates decide how it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from passgen.model import (
    FOREIGN,
    UNCONSTRAINED,
    Element,
    Option,
    OptionValue,
    Pass,
    PassElement,
    PassGroup,
    Pipeline,
    without_blocks,
)
from passgen.passgen_rules.ordering_rules import RULE_MEANINGS
from passgen.render import heading_anchor
from passgen.targets.lines import Line, Listing, bundle_listings, pipeline_listings
from passgen.targets.markdown.examples import example_pipeline, spell_value
from passgen.targets.markdown.expansion import expand
from passgen.targets.markdown.pass_examples import ExampleEntry, examples_of

_HEADINGS: Final = (
    *("Examples", "Options", "Statistics", "Remarks", "In a pipeline", "Elements"),
    "Example pipeline",
)

_CLAIMED: Final = re.compile(
    r"(?:pass-)*(?:(?:examples|options|statistics|remarks|example-pipeline|in-a-pipeline|"
    r"elements)(?:-\d+)?|bundle-.*)",
    re.IGNORECASE | re.DOTALL,
)
"""Anchors of the headings inside a pass and of bundles, with the prefix or without."""


@dataclass(frozen=True)
class OptionEntry:
    """An option on a page."""

    declared: Option
    type: str
    default: str
    """The default as a textual pipeline has it, strings in quotes; empty for none."""


@dataclass(frozen=True)
class RuleEntry:
    """The ordering rules of one kind that a pass has."""

    title: str
    partners: tuple[str, ...]


@dataclass(frozen=True)
class PassEntry:
    """A pass on a page."""

    declared: Pass
    anchor: str
    """The argument, with a prefix if a heading of the page has it."""

    lacks_class: bool
    """Whether the spec names the classes of other passes, and none for this one."""

    options: tuple[OptionEntry, ...]
    has_rules: bool
    """Whether there is anything to say about the pipelines around the pass."""

    rules: tuple[RuleEntry, ...]
    """The ordering rules, one entry for each kind."""

    bundles: tuple[str, ...]
    """The bundles that hold the pass."""

    pipelines: tuple[str, ...]
    """The pipelines that hold the pass."""

    example: str
    """A textual pipeline that runs the pass; empty if its anchor is unknown."""

    examples: tuple[ExampleEntry, ...] = ()


@dataclass(frozen=True)
class PipelineEntry:
    """A pipeline on a page."""

    declared: Pipeline
    anchor: str
    """The anchor, in words, as for a pass."""

    options: tuple[OptionEntry, ...]
    lines: tuple[Line, ...]
    example: str
    """A textual pipeline that runs the pipeline."""

    expansion: str
    """The textual pipeline that it is by default."""


@dataclass(frozen=True)
class Page:
    """One generated page."""

    anchors: frozenset[str]
    """The anchors of the page's headings, without those in descriptions."""

    pass_anchors: Mapping[str, str]
    """Where passes are described, by argument; those of other groups are not."""

    bundle_anchors: Mapping[str, str]
    pipeline_anchors: Mapping[str, str]
    lacks_classes: bool
    """Whether the spec names no class of any pass."""

    passes: tuple[PassEntry, ...]
    bundles: tuple[Listing, ...]
    pipelines: tuple[PipelineEntry, ...]


def values(group: PassGroup) -> dict[str, object]:
    """Return the variables of `markdown/passes.md.j2`."""
    return {"page": page_of(group)}


def page_of(group: PassGroup) -> Page:
    """Return the page of `group`."""
    has_classes = any(not pass_.needs_class for pass_ in group.passes)
    return Page(
        anchors=_anchors(group),
        pass_anchors={pass_.argument: _anchor(pass_) for pass_ in group.passes},
        bundle_anchors={
            bundle.name: f"bundle-{bundle.name}" for bundle in group.bundles
        },
        pipeline_anchors={
            pipeline.argument: _anchor(pipeline) for pipeline in group.pipelines
        },
        lacks_classes=bool(group.passes) and not has_classes,
        passes=tuple(
            _pass_entry(pass_, group, has_classes=has_classes) for pass_ in group.passes
        ),
        bundles=bundle_listings(group),
        pipelines=tuple(
            PipelineEntry(
                pipeline,
                _anchor(pipeline),
                tuple(map(_option_entry, pipeline.options)),
                listing.lines,
                example_pipeline(pipeline),
                expand(pipeline, group),
            )
            for pipeline, listing in zip(
                group.pipelines, pipeline_listings(group), strict=True
            )
        ),
    )


def _anchor(declared: Pass | Pipeline) -> str:
    # Arguments stay distinct: one that has the prefix already gets another.
    argument = declared.argument
    return f"pass-{argument}" if _CLAIMED.fullmatch(argument) else argument


def _anchors(group: PassGroup) -> frozenset[str]:
    names = [f"{group.title} passes", *_HEADINGS]
    names += [pass_.argument for pass_ in group.passes]
    names += [f"bundle {bundle.name}" for bundle in group.bundles]
    names += [f"pipeline {pipeline.argument}" for pipeline in group.pipelines]
    own = {*map(_anchor, group.passes), *map(_anchor, group.pipelines)}
    return frozenset(own.union(map(heading_anchor, names)))


def _pass_entry(pass_: Pass, group: PassGroup, *, has_classes: bool) -> PassEntry:
    bundles = tuple(
        bundle.name for bundle in group.bundles if _holds(bundle.elements, pass_)
    )
    pipelines = tuple(
        pipeline.argument
        for pipeline in group.pipelines
        if _holds(pipeline.elements, pass_)
    )
    return PassEntry(
        declared=pass_,
        anchor=_anchor(pass_),
        lacks_class=has_classes and pass_.needs_class,
        options=tuple(map(_option_entry, pass_.options)),
        has_rules=bool(pass_.constraints != UNCONSTRAINED or bundles or pipelines),
        rules=tuple(_rule_entries(pass_)),
        bundles=bundles,
        pipelines=pipelines,
        example="" if pass_.unknown_anchor else example_pipeline(pass_),
        examples=examples_of(pass_),
    )


def _rule_entries(pass_: Pass) -> Iterator[RuleEntry]:
    for kind, meaning in RULE_MEANINGS.items():
        partners = tuple(
            f"{{tag: {partner.name}}}" if partner.is_tag else partner.name
            for rule in pass_.constraints.ordering
            if rule.kind == kind
            for partner in rule.partners
        )
        if partners:
            yield RuleEntry(meaning.title, partners)


def _holds(elements: tuple[Element, ...], pass_: Pass) -> bool:
    return any(
        isinstance(element, PassElement) and element.argument == pass_.argument
        for element in without_blocks(elements)
    )


def _option_entry(option: Option) -> OptionEntry:
    type_ = option.type
    name = (type_.python or type_.cpp) if type_.name == FOREIGN else type_.name
    return OptionEntry(option, name, _shown_default(option))


def _shown_default(option: Option) -> str:
    if option.default is None:
        return option.unknown_default  # no pipeline can have it
    if isinstance(option.default, tuple):
        elements = ",".join(_shown_value(option, element) for element in option.default)
        return f"{{{elements}}}" if elements else ""
    return _shown_value(option, option.default)


def _shown_value(option: Option, value: OptionValue) -> str:
    if option.type.literal == "string":
        return f'"{value}"'
    return spell_value(option, value)
