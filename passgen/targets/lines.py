"""The elements of bundles and pipelines as lines, one for each element.

A line becomes a statement in Python, an item of a nested list in Markdown, and a box on
a site. What an element names is in it: options and other pipelines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from passgen import model
from passgen.passgen_rules.option_values import literal_text
from passgen.passgen_rules.pipeline_text import list_text


@dataclass(frozen=True)
class Setting:
    """An option of an element, and its value."""

    argument: str
    value: model.Scalar | tuple[model.Scalar, ...] | model.Option
    """An option of the pipeline stands for its value."""

    target: model.Option | None
    """The option that is set; `None` for that of a pass."""

    def __str__(self) -> str:
        """Return it as in a textual pipeline; `<x>` stands for an option."""
        if isinstance(self.value, model.Option):
            return f"{self.argument}=<{self.value.argument}>"
        spell = self.target.type.meaning.print_literal if self.target else literal_text
        if isinstance(self.value, tuple):
            return f"{self.argument}={list_text(map(spell, self.value))}"
        return f"{self.argument}={spell(self.value)}"


@dataclass(frozen=True)
class Test:
    """The value that a condition compares an option with."""

    option: model.Option
    value: model.ConditionValue
    is_negated: bool

    @property
    def text(self) -> str:
        """The value as in a textual pipeline."""
        return literal_text(self.value)


@dataclass(frozen=True)
class Line:
    """An element, or the head of the lines below it. One of the kinds is set."""

    depth: int
    stage: str = ""
    nest: str = ""
    test: Test | None = None
    """The test of a condition."""

    added_pass: str = ""
    bundle: str = ""
    pipeline: model.Pipeline | None = None
    settings: tuple[Setting, ...] = ()

    @property
    def settings_text(self) -> str:
        """The settings as in a textual pipeline."""
        return " ".join(map(str, self.settings))


@dataclass(frozen=True)
class Listing:
    """A bundle or a pipeline, and the lines about its elements."""

    declared: model.Bundle | model.Pipeline
    lines: tuple[Line, ...]


def bundle_listings(group: model.PassGroup) -> tuple[Listing, ...]:
    """Return the bundles of `group` with their lines."""
    return tuple(
        Listing(bundle, tuple(_lines(bundle.elements, (), group)))
        for bundle in group.bundles
    )


def pipeline_listings(group: model.PassGroup) -> tuple[Listing, ...]:
    """Return the pipelines of `group` with their lines."""
    return tuple(
        Listing(pipeline, tuple(_lines(pipeline.elements, pipeline.options, group)))
        for pipeline in group.pipelines
    )


def _lines(
    elements: tuple[model.Element, ...],
    options: tuple[model.Option, ...],
    group: model.PassGroup,
) -> Iterator[Line]:
    own = {option.name: option for option in options}
    pipelines = {pipeline.argument: pipeline for pipeline in group.pipelines}

    def value_of(
        value: model.OptionSetting,
    ) -> model.Scalar | tuple[model.Scalar, ...] | model.Option:
        return own[value.name] if isinstance(value, model.OptionReference) else value

    def settings(
        given: tuple[model.SetOption, ...], targets: tuple[model.Option, ...] = ()
    ) -> tuple[Setting, ...]:
        by_argument = {target.argument: target for target in targets}
        return tuple(
            Setting(name, value_of(option.value), by_argument.get(name))
            for option in given
            for name in [option.argument]
        )

    for depth, element in model.outline(elements):
        match element:
            case model.Condition(option=name, value=value, is_negated=is_negated):
                yield Line(depth, test=Test(own[name], value, is_negated))
            case model.PassElement(argument=argument, options=given):
                yield Line(depth, added_pass=argument, settings=settings(given))
            case model.BundleElement(name=name):
                yield Line(depth, bundle=name)
            case model.PipelineElement(argument=argument, options=given):
                called = pipelines[argument]
                of_call = settings(given, called.options)
                yield Line(depth, pipeline=called, settings=of_call)
            case _ if element.kind == "stage":
                yield Line(depth, stage=element.name)
            case _:
                yield Line(depth, nest=element.name)
