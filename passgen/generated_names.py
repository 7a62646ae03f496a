"""Clashes among the names that generated Python defines: a part of `checks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from passgen import naming, reserved
from passgen.diagnostics import Diagnostic, Note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passgen.model import Option, Pass, PassGroup
    from passgen.source import Location


@dataclass(frozen=True, slots=True)
class _Definition:
    """A name of the generated file, and what asks for it."""

    name: str
    what: str
    location: Location
    values: tuple[str, ...] = ()
    """Of an enum: options whose values are equal share one."""


def check_generated_names(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each name that two things of `group` would define."""
    first: dict[str, _Definition] = {}
    for definition in _definitions(group):
        name, what, location = definition.name, definition.what, definition.location
        if name in reserved.IMPORTS:
            message = f"{what} would be '{name}', which the generated file imports"
            yield Diagnostic(message, location)
            continue
        other = first.setdefault(name, definition)
        if other is definition or (other.values and other.values == definition.values):
            continue
        if definition.values and other.values:
            message = f"{what} would be '{name}' with other values than {other.what}"
        else:
            message = f"{what} would be '{name}', as would {other.what}"
        yield Diagnostic(
            message, location, (Note("first defined here", other.location),)
        )


def _definitions(group: PassGroup) -> Iterator[_Definition]:
    register = naming.register_group_function(group.name)
    what = f"the function that registers group '{group.name}'"
    yield _Definition(register, what, group.location)
    for pass_ in group.passes:
        yield from _definitions_of_pass(pass_)


def _definitions_of_pass(pass_: Pass) -> Iterator[_Definition]:
    of = f"of pass '{pass_.name}'"
    names = {
        naming.base_class(pass_.name): f"the base class {of}",
        naming.create_function(
            pass_.name
        ): f"the function that creates pass '{pass_.name}'",
        naming.register_function(
            pass_.name
        ): f"the function that registers pass '{pass_.name}'",
    }
    if pass_.options:
        names[naming.options_class(pass_.name)] = f"the options class {of}"
    for name, what in names.items():
        yield _Definition(name, what, pass_.location)
    for option in pass_.options:
        if option.type.enum_name:
            yield _enum(option, f"the enum of option '{option.argument}' {of}")


def _enum(option: Option, what: str) -> _Definition:
    values = tuple(each.value for each in option.type.values)
    return _Definition(option.type.enum_name, what, option.type.location, values)
