"""The elements of pipelines and bundles, and analyses.

Elements name passes by their arguments; `checks` decides whether such passes exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from passgen.model.constraints import Ignore
from passgen.source import Location

Scalar: TypeAlias = bool | int | float | str

ConditionValue: TypeAlias = bool | str

BlockKind: TypeAlias = Literal["stage", "nest", "when"]


@dataclass(frozen=True)
class OptionReference:
    """The value of an option of the pipeline, as the value of an element's option."""

    name: str
    """The option's name in the spec."""

    location: Location


OptionSetting: TypeAlias = Scalar | tuple[Scalar, ...] | OptionReference


@dataclass(frozen=True)
class SetOption:
    """The value that a pipeline gives to an option of one of its elements."""

    argument: str
    value: OptionSetting
    location: Location
    """The place of the option's argument."""

    value_location: Location
    item_locations: tuple[Location, ...] = ()
    """The places of the values in a list."""


@dataclass(frozen=True)
class Condition:
    """The value of an option for which an element is part of the pipeline."""

    option: str
    """The option's name in the spec."""

    value: ConditionValue
    is_negated: bool
    """Whether the option must have another value than `value`."""

    location: Location
    """The place of the option's name."""

    value_location: Location


@dataclass(frozen=True)
class PassElement:
    """One pass."""

    argument: str
    location: Location
    options: tuple[SetOption, ...] = ()
    condition: Condition | None = None


@dataclass(frozen=True)
class BundleElement:
    """All passes of a bundle of the group."""

    name: str
    location: Location
    condition: Condition | None = None


@dataclass(frozen=True)
class PipelineElement:
    """All elements of another pipeline of the group."""

    argument: str
    location: Location
    options: tuple[SetOption, ...] = ()
    condition: Condition | None = None


@dataclass(frozen=True)
class Block:
    """Elements that form a stage, run nested, or only share a condition."""

    kind: BlockKind
    name: str
    """The stage, or the operation that nested elements run on, or `any`; else empty."""

    elements: tuple[Element, ...]
    location: Location
    condition: Condition | None = None


Element: TypeAlias = PassElement | BundleElement | PipelineElement | Block


def without_blocks(
    elements: tuple[Element, ...],
) -> Iterator[PassElement | BundleElement | PipelineElement]:
    """Yield `elements`, with the elements of blocks in place of the blocks."""
    for element in elements:
        if isinstance(element, Block):
            yield from without_blocks(element.elements)
        else:
            yield element


def outline(
    elements: tuple[Element, ...], depth: int = 0
) -> Iterator[tuple[int, Condition | Element]]:
    """Yield conditions and elements in order, each with its depth.

    A condition is one level above what it applies to, and so is a stage or an operation
    above the elements inside it; a block that only shares a condition is not yielded.
    """
    for element in elements:
        inner = depth
        if element.condition:
            yield depth, element.condition
            inner += 1
        if isinstance(element, Block) and element.kind == "when":
            yield from outline(element.elements, inner)
            continue
        yield inner, element
        if isinstance(element, Block):
            yield from outline(element.elements, inner + 1)


@dataclass(frozen=True)
class Bundle:
    """A named sequence of passes that are used together."""

    name: str
    """In kebab-case, unique in the group."""

    summary: str
    description: str
    """Markdown; may be empty."""

    elements: tuple[Element, ...]
    location: Location
    ignores: tuple[Ignore, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """An analysis that passes of the group require, provide or preserve."""

    name: str
    """In PascalCase, unique in the group."""

    python: str
    """`module:Class`."""

    summary: str
    """One line, may be empty."""

    location: Location
    python_location: Location
