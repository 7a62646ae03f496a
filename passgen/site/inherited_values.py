"""Values of enums that a pipeline's option has from the options that it is given to.

A pipeline repeats the values of a pass's option, mostly without their descriptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from passgen.checks import KnownPass
from passgen.model import Option, OptionReference, PassElement, without_blocks
from passgen.targets.markdown import PipelineEntry


def with_inherited_values(
    entry: PipelineEntry, known: Mapping[str, KnownPass]
) -> PipelineEntry:
    """Return `entry`, whose options have the described values of the passes' options.

    Args:
        entry: a pipeline.
        known: the passes that it may name, by argument.
    """
    options = (
        replace(option, declared=_with_described_values(option.declared, entry, known))
        for option in entry.options
    )
    return replace(entry, options=tuple(options))


def _with_described_values(
    option: Option, pipeline: PipelineEntry, known: Mapping[str, KnownPass]
) -> Option:
    described = {
        value.value: value
        for receiver in _receivers(option, pipeline, known)
        for value in receiver.type.values
        if value.description
    }
    values = (
        value if value.description else described.get(value.value, value)
        for value in option.type.values
    )
    return replace(option, type=replace(option.type, values=tuple(values)))


def _receivers(
    option: Option, pipeline: PipelineEntry, known: Mapping[str, KnownPass]
) -> Iterator[Option]:
    """Yield the options of passes that get the value of a pipeline's option."""
    for element in without_blocks(pipeline.declared.elements):
        if not isinstance(element, PassElement):
            continue
        pass_ = known.get(element.argument)
        of_pass = {each.argument: each for each in (pass_ and pass_.options) or ()}
        for setting in element.options:
            value = setting.value
            is_given = isinstance(value, OptionReference) and value.name == option.name
            if is_given and setting.argument in of_pass:
                yield of_pass[setting.argument]
