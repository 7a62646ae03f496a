"""The page of a group: what it says about a pass, such as a pipeline that runs it.

The templates decide how it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from passgen.model import (
    FOREIGN,
    OPTION_TYPES,
    Analysis,
    Bundle,
    Option,
    OptionValue,
    Pass,
    PassGroup,
    Pipeline,
)
from passgen.render import Link, fenced_ir, heading_anchor
from passgen.targets.markdown.examples import (
    example_pipeline,
    show,
    spell,
)
from passgen.targets.markdown.pipelines import (
    Line,
    Links,
    RulesEntry,
    lines,
    rules_entry,
)
from passgen.targets.origin import Origin

_HEADINGS: Final = (
    *("Options", "Statistics", "In a pipeline", "Elements", "Example pipeline"),
)

_CLAIMED: Final = re.compile(
    r"(?:pass-)*(?:(?:options|statistics|example-pipeline|in-a-pipeline|elements)"
    r"(?:-\d+)?|bundle-.*)",
    re.IGNORECASE | re.DOTALL,
)
"""Anchors of the headings inside a pass and of bundles, with the prefix or without."""


@dataclass(frozen=True)
class Description:
    """The description of an item of a list: a line, a block, or neither."""

    line: str
    """One line of Markdown, which follows the item."""

    block: str
    """Several lines, which stand below the item."""

    @property
    def text(self) -> str:
        """The description, for a place that takes any Markdown."""
        return self.line or self.block


@dataclass(frozen=True)
class Described:
    """A value of an enum option, or a statistic."""

    name: str
    description: Description


@dataclass(frozen=True)
class OptionEntry:
    """An option on a page."""

    argument: str
    is_list: bool
    type: str
    default: str
    """As in a textual pipeline, but a string in quotes; empty for no default."""

    values: tuple[Described, ...]
    description: Description
    deprecated: str


@dataclass(frozen=True)
class PassEntry:
    """A pass on a page."""

    argument: str
    link: str
    """The anchor: the argument, with a prefix if a heading of the page has it."""

    summary: str
    deprecated: str
    description: str
    operation: str
    """The operation that the pass is restricted to, if any."""

    interface: str
    """The interface that the pass is restricted to, if any."""

    unknown_anchor: str
    """The C++ class that says what the pass runs on, if only C++ does."""

    is_op_agnostic: bool

    lacks_class: bool
    """Whether the spec names the classes of other passes, and none for this one."""

    dependent_dialects: tuple[str, ...]
    options: tuple[OptionEntry, ...]
    statistics: tuple[Described, ...]
    rules: RulesEntry
    example: str
    """A textual pipeline that runs the pass; empty if its anchor is unknown."""


@dataclass(frozen=True)
class BundleEntry:
    """A bundle on a page."""

    name: str
    link: str
    summary: str
    description: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class PipelineEntry:
    """A pipeline on a page."""

    argument: str
    link: str
    summary: str
    description: str
    operation: str
    """The operation that the pipeline is restricted to, if any."""

    options: tuple[OptionEntry, ...]
    lines: tuple[Line, ...]
    example: str
    """A textual pipeline that runs the pipeline."""


@dataclass(frozen=True)
class Page:
    """One generated page."""

    name: str
    summary: str
    description: str
    anchors: frozenset[str]
    """Those of the headings of the page, without those in descriptions."""

    passes: tuple[PassEntry, ...]
    lacks_classes: bool
    """Whether the spec names no class of any pass."""

    analyses: tuple[Analysis, ...]
    bundles: tuple[BundleEntry, ...]
    pipelines: tuple[PipelineEntry, ...]


def values(group: PassGroup, origin: Origin) -> dict[str, object]:
    """Return the variables of `markdown/passes.md.j2`."""
    return {"page": page(group), "origin": origin}


def page(group: PassGroup) -> Page:
    """Return the page of `group`."""
    links = Links(_links(group.passes), _links(group.pipelines))
    return Page(
        name=group.title,
        summary=group.summary,
        description=fenced_ir(group.description),
        anchors=_anchors(group),
        passes=tuple(_entry(pass_, group, links) for pass_ in group.passes),
        lacks_classes=_lacks_classes(group),
        analyses=group.analyses,
        bundles=tuple(_bundle_entry(bundle, links) for bundle in group.bundles),
        pipelines=tuple(
            _pipeline_entry(pipeline, links) for pipeline in group.pipelines
        ),
    )


def _lacks_classes(group: PassGroup) -> bool:
    return bool(group.passes) and not any(pass_.constructor for pass_ in group.passes)


def _anchors(group: PassGroup) -> frozenset[str]:
    names = [f"{group.title} passes", *_HEADINGS]
    names += [pass_.argument for pass_ in group.passes]
    names += [f"bundle {bundle.name}" for bundle in group.bundles]
    names += [f"pipeline {pipeline.argument}" for pipeline in group.pipelines]
    arguments = [pass_.argument for pass_ in group.passes]
    arguments += [pipeline.argument for pipeline in group.pipelines]
    return frozenset((*map(_link, arguments), *map(heading_anchor, names)))


def _links(described: Sequence[Pass | Pipeline]) -> dict[str, Link]:
    return {
        pass_.argument: Link(pass_.argument, _link(pass_.argument))
        for pass_ in described
    }


def _entry(pass_: Pass, group: PassGroup, links: Links) -> PassEntry:
    anchor = pass_.anchor
    return PassEntry(
        argument=pass_.argument,
        link=_link(pass_.argument),
        summary=pass_.summary,
        deprecated=pass_.deprecated,
        description=fenced_ir(pass_.description),
        operation=anchor.name if anchor and anchor.kind == "operation" else "",
        interface=anchor.name if anchor and anchor.kind == "interface" else "",
        unknown_anchor=pass_.unknown_anchor,
        is_op_agnostic=anchor is None and not pass_.unknown_anchor,
        lacks_class=not pass_.constructor and not _lacks_classes(group),
        dependent_dialects=tuple(
            dependent_dialect.name for dependent_dialect in pass_.dependent_dialects
        ),
        options=tuple(_option_entry(option) for option in pass_.options),
        statistics=tuple(
            Described(statistic.display_name, _description(statistic.description))
            for statistic in pass_.statistics
        ),
        rules=rules_entry(pass_, group, links),
        example="" if pass_.unknown_anchor else example_pipeline(pass_),
    )


def _bundle_entry(bundle: Bundle, links: Links) -> BundleEntry:
    return BundleEntry(
        name=bundle.name,
        link=links.of_bundle(bundle.name).anchor,
        summary=bundle.summary,
        description=fenced_ir(bundle.description),
        lines=lines(bundle.elements, (), links, show),
    )


def _pipeline_entry(pipeline: Pipeline, links: Links) -> PipelineEntry:
    return PipelineEntry(
        argument=pipeline.argument,
        link=links.pipelines[pipeline.argument].anchor,
        summary=pipeline.summary,
        description=fenced_ir(pipeline.description),
        operation=pipeline.anchor.name if pipeline.anchor else "",
        options=tuple(_option_entry(option) for option in pipeline.options),
        lines=lines(pipeline.elements, pipeline.options, links, show),
        example=example_pipeline(pipeline),
    )


def _link(argument: str) -> str:
    # Arguments stay distinct: one that has the prefix already gets another.
    return f"pass-{argument}" if _CLAIMED.fullmatch(argument) else argument


def _option_entry(option: Option) -> OptionEntry:
    type_ = option.type
    return OptionEntry(
        argument=option.argument,
        is_list=option.is_list,
        type=(type_.python or type_.cpp) if type_.name == FOREIGN else type_.name,
        default=_shown_default(option),
        values=tuple(
            Described(value.value, _description(value.description))
            for value in type_.values
        ),
        description=_description(option.description),
        deprecated=option.deprecated,
    )


def _description(text: str) -> Description:
    stripped = text.strip()
    is_line = len(stripped.splitlines()) <= 1
    return Description(stripped, "") if is_line else Description("", fenced_ir(text))


def _shown_default(option: Option) -> str:
    if option.default is None:
        return option.unknown_default  # no pipeline can have it
    if isinstance(option.default, tuple):
        elements = ",".join(_shown_value(option, element) for element in option.default)
        return f"{{{elements}}}" if elements else ""
    return _shown_value(option, option.default)


def _shown_value(option: Option, value: OptionValue) -> str:
    row = OPTION_TYPES.get(option.type.name)
    if row and row.literal == "string":
        return f'"{value}"'
    return spell(option, value)
