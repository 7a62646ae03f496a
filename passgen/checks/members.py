"""Rules about options and statistics: the members of the generated classes."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from passgen import naming
from passgen.checks.options import check_default, check_layout
from passgen.cpp import enumerator, variable_name
from passgen.diagnostics import Diagnostic, Note
from passgen.model import EnumValue, Option, Pass, Statistic
from passgen.source import Location

T = TypeVar("T")


def check_options(options: Sequence[Option], of: str) -> Iterator[Diagnostic]:
    """Yield the broken rules about `options`; `of` names their owner in messages."""
    yield from _check_python_names(options, "option name", of)
    for option, first in repetitions(options, lambda each: each.argument):
        message = f"duplicate option argument '{option.argument}' {of}"
        yield clash_error(message, option.argument_location, first.argument_location)
    for option in options:
        yield from _check_option(option, f"option '{option.argument}' {of}")


def _check_python_names(
    members: Iterable[Option | Statistic], what: str, of: str
) -> Iterator[Diagnostic]:
    for member, first in repetitions(members, _python_name):
        message = f"duplicate {what} '{member.name}' {of}"
        if member.name != first.name:
            message = (
                f"{what} '{member.name}' {of} is '{_python_name(member)}' in Python, "
                f"as is '{first.name}'"
            )
        yield clash_error(message, member.location, first.location)


def _check_option(option: Option, what: str) -> Iterator[Diagnostic]:
    yield from _check_member(
        option, what, naming.OPTIONS_MEMBERS, "PassOptions", naming.OPTION_SCOPE
    )
    type_ = option.type
    if has_keyword(type_.python):
        message = f"type of {what}: found '{type_.python}', {NOT_IMPORTABLE}"
        yield Diagnostic(message, type_.location)
    if keyword.iskeyword(type_.enum_name):
        message = f"enum of {what} is '{type_.enum_name}' in Python, a keyword"
        yield Diagnostic(message, type_.location)
    yield from _check_enum_values(option, what)
    if option.cpp.type is None:
        yield from _check_enumerators(type_.values, what)
    yield from check_default(option, what)
    yield from check_layout(option, what)


def _check_member(
    member: Option | Statistic,
    what: str,
    reserved: frozenset[str],
    owner: str,
    scope: frozenset[str],
) -> Iterator[Diagnostic]:
    """Yield a diagnostic if `member` cannot have its name in Python.

    Args:
        member: a member of a generated class.
        what: `member`, as messages name it.
        reserved: the members of its base class.
        owner: the base class.
        scope: the names that the body of the generated class uses.
    """
    name = _python_name(member)
    if name in reserved:
        reason = f"a member of '{owner}'"
    elif name in scope:
        reason = "which generated code needs"
    elif keyword.iskeyword(name):
        reason = "a keyword"
    else:
        return
    message = f"name of {what} is '{name}' in Python, {reason}"
    yield Diagnostic(message, member.location)


def _check_enum_values(option: Option, what: str) -> Iterator[Diagnostic]:
    values = option.type.values
    # The author may be unable to change an enum that C++ declares elsewhere.
    if len(values) == 1 and option.cpp.type is None:
        message = f"enum of {what} has one value, which leaves no choice"
        yield Diagnostic(message, values[0].location, severity="warning")
    for value, first in repetitions(values, lambda each: each.value):
        message = f"duplicate value '{value.value}' of {what}"
        yield clash_error(message, value.location, first.location)
    members: dict[str, EnumValue] = {}
    for value in values:
        member = naming.enum_member(value.value)
        if not member:
            message = f"value '{value.value}' of {what} has no letter or digit"
            note = Note("its name in Python is made of them")
            yield Diagnostic(message, value.location, (note,))
            continue
        first = members.setdefault(member, value)
        if first.value != value.value:
            message = (
                f"value '{value.value}' of {what} is '{member}' in Python, as is "
                f"'{first.value}'"
            )
            yield clash_error(message, value.location, first.location)


def _check_enumerators(values: Sequence[EnumValue], what: str) -> Iterator[Diagnostic]:
    """Yield the clashes in the C++ enum that the generator declares."""
    enumerators: dict[str, EnumValue] = {}
    for value in values:
        name = enumerator(value)
        first = enumerators.setdefault(name, value)
        # A clash in Python has been reported.
        in_python = {naming.enum_member(case.value) for case in (first, value)}
        if first is not value and len(in_python) > 1:
            message = (
                f"value '{value.value}' of {what} is '{name}' in C++, as is "
                f"'{first.value}'"
            )
            clash = clash_error(message, value.location, first.location)
            note = Note("give one another name: {value: ..., cpp: ...}")
            yield Diagnostic(clash.message, clash.location, (*clash.notes, note))


def check_statistics(
    statistics: Sequence[Statistic], of: str, scope: frozenset[str]
) -> Iterator[Diagnostic]:
    """Yield the broken rules about the statistics of a pass.

    Args:
        statistics: those of the pass.
        of: the pass, as messages name it.
        scope: the names that the body of the generated class uses.
    """
    for statistic in statistics:
        yield from _check_member(
            statistic,
            f"statistic '{statistic.name}' {of}",
            naming.PASS_MEMBERS,
            "OperationPass",
            scope,
        )
    clashes = [*_check_python_names(statistics, "statistic", of)]
    yield from clashes
    repeated = {clash.location for clash in clashes}
    for statistic, first in repetitions(statistics, lambda each: each.display_name):
        # A repeated name, reported above, also repeats the default display name.
        if statistic.location not in repeated:
            message = (
                f"display name '{statistic.display_name}' of statistic "
                f"'{statistic.name}' {of} is that of '{first.name}'"
            )
            yield clash_error(message, statistic.location, first.location)


_PARAMETER: Final = "options"
"""The parameter that constructors of `mlir-tblgen` assign to options."""


def check_cpp_members(pass_: Pass, of: str) -> Iterator[Diagnostic]:
    """Yield warnings about names that differ in Python, but clash in C++."""
    options = {_cpp_name(option): option.location for option in pass_.options}
    members = [("option", name, place) for name, place in options.items()]
    members += [
        ("statistic", _cpp_name(statistic), statistic.location)
        for statistic in pass_.statistics
    ]
    for kind, name, place in members:
        what, notes = f"{kind} '{name}' {of}", (_NAME_IN_CPP,)
        if name in naming.CPP_MEMBERS:
            message = f"{what} has the name of a function of its class in C++"
            yield Diagnostic(message, place, notes, severity="warning")
        elif name in naming.CPP_NO_NAMES:
            message = f"{what} has the name of a keyword or macro in C++"
            yield Diagnostic(message, place, notes, severity="warning")
        elif kind == "option" and name == _PARAMETER:
            message = f"{what} has the name of a parameter of its class in C++"
            yield Diagnostic(message, place, notes, severity="warning")
        elif kind == "statistic" and name in options:
            message = f"{what} has the name of an option in C++"
            here = Note("the option is defined here", options[name])
            yield Diagnostic(message, place, (here, *notes), severity="warning")


_NAME_IN_CPP: Final = Note("give it another name in C++: 'cpp: {name: ...}'")


def _cpp_name(member: Option | Statistic) -> str:
    return member.cpp.name or variable_name(member.name)


NOT_IMPORTABLE: Final = "which Python cannot import: it holds a keyword"
"""The end of messages about objects for which `has_keyword` is true."""


def has_keyword(python_object: str) -> bool:
    """Return whether a part of the dotted name `python_object` is a keyword."""
    return any(keyword.iskeyword(word) for word in re.split("[.:]", python_object))


def _python_name(member: Option | Statistic) -> str:
    return naming.snake_case(member.name)


def repetitions(items: Iterable[T], key: Callable[[T], str]) -> Iterator[tuple[T, T]]:
    """Yield each item whose key is repeated, with the first item of that key."""
    seen: dict[str, T] = {}
    for value in items:
        first = seen.setdefault(key(value), value)
        if first is not value:
            yield value, first


def clash_error(message: str, location: Location, first: Location) -> Diagnostic:
    """Return an error at `location` with a note that leads to the `first` one."""
    return Diagnostic(message, location, (Note("first defined here", first),))
