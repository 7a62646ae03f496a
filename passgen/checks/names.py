"""Clashes among the names that generated Python defines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from passgen import naming
from passgen.diagnostics import Diagnostic, Note
from passgen.model import Option, Pass, PassGroup, Pipeline
from passgen.source import Location


@dataclass(frozen=True)
class _Definition:
    """A name that the generated file defines."""

    name: str
    what: str
    """The defined object, as messages name it."""

    location: Location
    values: tuple[str, ...] = ()
    """The values of an enum: options with equal values may share it."""


def check_generated_names(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each name that `group` would define twice."""
    first: dict[str, _Definition] = {}
    reported: set[tuple[Location, Location]] = set()
    for definition in _definitions(group):
        name, what, location = definition.name, definition.what, definition.location
        if name in naming.IMPORTS:
            message = f"{what} would be '{name}', which the generated file imports"
            yield Diagnostic(message, location)
            continue
        other = first.setdefault(name, definition)
        if other is definition or (other.values and other.values == definition.values):
            continue
        if (location, other.location) in reported:
            continue  # two passes whose names clash have several names in common
        reported.add((location, other.location))
        if definition.values and other.values:
            message = f"{what} would be '{name}' with other values than {other.what}"
        else:
            message = f"{what} would be '{name}', as would {other.what}"
        note = Note("first defined here", other.location)
        yield Diagnostic(message, location, (note,))


def _definitions(group: PassGroup) -> Iterator[_Definition]:
    register = naming.register_group_function(group.name)
    what = f"the function that registers group '{group.title}'"
    yield _Definition(register, what, group.location)
    register = naming.register_pipelines_function(group.name)
    what = f"the function that registers the pipelines of group '{group.title}'"
    yield _Definition(register, what, group.location)
    for form in group.forms:
        what = f"the constant of form '{form.name}'"
        yield _Definition(naming.form_constant(form.name), what, form.location)
    for pass_ in group.passes:
        yield from _definitions_of_pass(pass_)
    for bundle in group.bundles:
        what = f"the function that adds bundle '{bundle.name}'"
        name = naming.bundle_function(bundle.name)
        yield _Definition(name, what, bundle.location)
    for pipeline in group.pipelines:
        yield from _definitions_of_pipeline(pipeline)


def _definitions_of_pipeline(pipeline: Pipeline) -> Iterator[_Definition]:
    of = f"pipeline '{pipeline.name}'"
    stem = naming.pipeline_stem(pipeline.name)
    names = {
        naming.build_pipeline_function(pipeline.name): f"the function that builds {of}",
        naming.register_function(stem): f"the function that registers {of}",
    }
    if pipeline.options:
        names[naming.options_class(stem)] = f"the options class of {of}"
    for name, what in names.items():
        yield _Definition(name, what, pipeline.location)
    yield from _enums(pipeline.options, of)


def _definitions_of_pass(pass_: Pass) -> Iterator[_Definition]:
    of = f"pass '{pass_.name}'"
    names = {
        naming.base_class(pass_.name): f"the base class of {of}",
        naming.create_function(pass_.name): f"the function that creates {of}",
        naming.register_function(pass_.name): f"the function that registers {of}",
    }
    if pass_.options:
        names[naming.options_class(pass_.name)] = f"the options class of {of}"
    for name, what in names.items():
        yield _Definition(name, what, pass_.location)
    yield from _enums(pass_.options, of)


def _enums(options: tuple[Option, ...], owner: str) -> Iterator[_Definition]:
    for option in options:
        name = option.type.enum_name
        if name:
            what = f"the enum of option '{option.argument}' of {owner}"
            values = tuple(value.value for value in option.type.values)
            yield _Definition(name, what, option.type.location, values)
