"""Rules about a whole group: the phase between `resolve` and the targets.

`check` collects the broken rules: duplicate names and arguments, defaults that do not
fit their types, names that are reserved in Python or by the runtime. Each mistake is
reported once, with the location of the other declaration that is involved.
"""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING, Final, TypeVar

from passgen import naming
from passgen.checks.names import check_generated_names
from passgen.checks.options import check_default, check_layout
from passgen.checks.pipelines import check_pipelines
from passgen.checks.pipelines.references import needed_groups
from passgen.cpp import (
    RAW_OPTION_END,
    RAW_STATISTIC_END,
    RAW_SUMMARY_END,
    cpp_name,
    enumerator,
)
from passgen.diagnostics import Diagnostic, Note, SpecError, nearest
from passgen.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from passgen.model import (
        EnumValue,
        Option,
        Pass,
        PassGroup,
        Pipeline,
        Statistic,
    )
    from passgen.source import Location

__all__ = ["needed_groups"]


T = TypeVar("T")


def check(
    group: PassGroup, others: Sequence[PassGroup] | None = ()
) -> tuple[Diagnostic, ...]:
    """Return the warnings about `group`.

    Args:
        group: the group to check.
        others: other groups whose passes it may name; `None` if they are unknown, so
            that its pipelines and ordering rules cannot be checked.

    Raises:
        SpecError: rules are broken; all errors and warnings in the order of the text.
    """
    findings = list(_check_group(group))
    if others is not None:
        findings += check_pipelines(group, others)
    errors = [each for each in findings if each.severity == "error"]
    if errors:
        raise SpecError(errors)
    return tuple(findings)


def _check_group(group: PassGroup) -> Iterator[Diagnostic]:
    yield from _check_group_name(group)
    owners: list[tuple[Pass | Pipeline, str]] = [
        *((pass_, "pass") for pass_ in group.passes),
        *((pipeline, "pipeline") for pipeline in group.pipelines),
    ]
    for (owner, kind), (first, first_kind) in _repeated(
        owners, lambda each: each[0].argument
    ):
        message = (
            f"duplicate argument '{owner.argument}' of {kind} '{owner.name}', which "
            f"{first_kind} '{first.name}' has"
        )
        yield _clash(message, owner.argument_location, first.argument_location)
    for owner, kind in owners:
        if owner.argument in naming.ARGUMENTS:
            message = (
                f"argument of {kind} '{owner.name}' is '{owner.argument}', which "
                "anchors passes on any operation"
            )
            yield Diagnostic(message, owner.argument_location)
    yield from check_generated_names(group)
    yield from _check_ignores(group)
    yield from _check_operations(group)
    modules = [group.ir, *(each.python for each in group.operations)]
    scope = naming.STATISTIC_SCOPE.union(re.split("[.:]", each)[0] for each in modules)
    for pass_ in group.passes:
        yield from _check_pass(pass_, f"of pass '{pass_.name}'", scope)
    for pipeline in group.pipelines:
        yield from _check_options(pipeline.options, f"of pipeline '{pipeline.name}'")
    for analysis in group.analyses:
        if _has_keyword(analysis.python):
            message = (
                f"class of analysis '{analysis.name}': found '{analysis.python}', "
                f"{_NOT_IMPORTABLE}"
            )
            yield Diagnostic(message, analysis.python_location)


def _check_group_name(group: PassGroup) -> Iterator[Diagnostic]:
    if not naming.is_group_name(group.title):
        message = (
            f"name of the group: found '{group.title}', expected a letter, then "
            "letters, digits and underscores, such as 'MyDialect'"
        )
        note = Note("give it with 'name:' in the spec or with --name")
        yield Diagnostic(message, group.location, (note,))


def _check_operations(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield what is wrong about the Python classes of operations."""
    anchors = {each.anchor.name for each in group.passes if each.anchor}
    for each in group.operations:
        notes: tuple[Note, ...] = ()
        if _has_keyword(each.python):
            message = (
                f"class of operation '{each.name}': found '{each.python}', "
                f"{_NOT_IMPORTABLE}"
            )
            yield Diagnostic(message, each.python_location)
        if group.ir != "xdsl":
            message = f"the class of operation '{each.name}' is used by no pass"
            notes = (Note("write 'ir: xdsl' if the passes are for xDSL's IR"),)
        elif each.name not in anchors:
            message = f"operation '{each.name}' has a class, and no pass runs on it"
            meant = nearest(each.name, anchors)
            notes = (Note(f"did you mean '{meant}'?"),) if meant else ()
        else:
            continue
        yield Diagnostic(message, each.location, notes)


def _check_ignores(group: PassGroup) -> Iterator[Diagnostic]:
    for ignore in dict.fromkeys(group.all_ignores):
        if ignore.rule not in RULES:
            message = (
                f"found '{ignore.rule}', which is no rule of 'passgen diff', "
                "'passgen lint' or 'passgen drift'"
            )
            meant = nearest(ignore.rule, RULES)
            notes = (Note(f"did you mean '{meant}'?"),) if meant else ()
            yield Diagnostic(message, ignore.location, notes)


def _check_pass(pass_: Pass, of: str, scope: frozenset[str]) -> Iterator[Diagnostic]:
    if not pass_.summary and pass_.cpp.summary is None:
        message = f"summary of pass '{pass_.name}' is empty"
        note = Note("lists of passes show it")
        place = pass_.summary_location
        yield Diagnostic(message, place, (note,), severity="warning")
    yield from _check_raw_text(
        pass_.summary,
        RAW_SUMMARY_END,
        f"summary of pass '{pass_.name}'",
        pass_.summary_location,
    )
    for option in pass_.options:
        what = f"description of option '{option.argument}' {of}"
        end = RAW_OPTION_END
        yield from _check_raw_text(option.description, end, what, option.location)
    for statistic in pass_.statistics:
        what = f"description of statistic '{statistic.name}' {of}"
        end, place = RAW_STATISTIC_END, statistic.location
        yield from _check_raw_text(statistic.description, end, what, place)
    for dialect, first in _repeated(pass_.dependent_dialects, lambda each: each.name):
        message = f"duplicate dependent dialect '{dialect.name}' {of}"
        yield _clash(message, dialect.location, first.location)
    named = {each.name for each in pass_.dependent_dialects}
    for name in pass_.cpp.dialects:
        if name not in named:
            message = f"'cpp' {of} spells dialect '{name}', which it does not depend on"
            note = Note("dialects are named in 'dependentDialects'")
            yield Diagnostic(message, pass_.location, (note,))
    if _has_keyword(pass_.constructor):
        message = f"constructor {of}: found '{pass_.constructor}', {_NOT_IMPORTABLE}"
        yield Diagnostic(message, pass_.constructor_location)
    yield from _check_options(pass_.options, of)
    yield from _check_statistics(pass_.statistics, of, scope)
    yield from _check_cpp_members(pass_, of)


def _check_raw_text(
    text: str, end: str, what: str, place: Location
) -> Iterator[Diagnostic]:
    if end in text:
        message = f"{what} contains '{end}', which ends the text in C++ of mlir-tblgen"
        yield Diagnostic(message, place, severity="warning")


def _check_options(options: Sequence[Option], of: str) -> Iterator[Diagnostic]:
    for option, first in _repeated(options, _python_name):
        message = f"duplicate option name '{option.name}' {of}"
        if option.name != first.name:
            message = (
                f"option name '{option.name}' {of} is '{_python_name(option)}' in "
                f"Python, as is '{first.name}'"
            )
        yield _clash(message, option.location, first.location)
    for option, first in _repeated(options, lambda each: each.argument):
        message = f"duplicate option argument '{option.argument}' {of}"
        yield _clash(message, option.argument_location, first.argument_location)
    for option in options:
        yield from _check_option(option, f"option '{option.argument}' {of}")


def _check_option(option: Option, what: str) -> Iterator[Diagnostic]:
    yield from _check_member(
        option, what, naming.OPTIONS_MEMBERS, "PassOptions", naming.OPTION_SCOPE
    )
    type_ = option.type
    if _has_keyword(type_.python):
        message = f"type of {what}: found '{type_.python}', {_NOT_IMPORTABLE}"
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
        what: the words for `member` in messages.
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
    # An enum that C++ declares elsewhere has the values that it has.
    if len(values) == 1 and option.cpp.type is None:
        message = f"enum of {what} has one value, which leaves no choice"
        yield Diagnostic(message, values[0].location, severity="warning")
    for value, first in _repeated(values, lambda each: each.value):
        message = f"duplicate value '{value.value}' of {what}"
        yield _clash(message, value.location, first.location)
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
            yield _clash(message, value.location, first.location)


def _check_enumerators(values: Sequence[EnumValue], what: str) -> Iterator[Diagnostic]:
    """Yield the clashes in the C++ enum that the generator declares."""
    enumerators: dict[str, EnumValue] = {}
    for value in values:
        name = enumerator(value)
        first = enumerators.setdefault(name, value)
        # A clash in Python has been reported.
        is_python_clash = naming.enum_member(first.value) == naming.enum_member(
            value.value
        )
        if first is not value and not is_python_clash:
            message = (
                f"value '{value.value}' of {what} is '{name}' in C++, as is "
                f"'{first.value}'"
            )
            clash = _clash(message, value.location, first.location)
            note = Note("give one another name: {value: ..., cpp: ...}")
            yield Diagnostic(clash.message, clash.location, (*clash.notes, note))


def _check_statistics(
    statistics: Sequence[Statistic], of: str, scope: frozenset[str]
) -> Iterator[Diagnostic]:
    for statistic in statistics:
        yield from _check_member(
            statistic,
            f"statistic '{statistic.name}' {of}",
            naming.PASS_MEMBERS,
            "OperationPass",
            scope,
        )
    repeated = set()
    for statistic, first in _repeated(statistics, _python_name):
        repeated.add(statistic.location)
        message = f"duplicate statistic '{statistic.name}' {of}"
        if statistic.name != first.name:
            message = (
                f"statistic '{statistic.name}' {of} is '{_python_name(statistic)}' in "
                f"Python, as is '{first.name}'"
            )
        yield _clash(message, statistic.location, first.location)
    for statistic, first in _repeated(statistics, lambda each: each.display_name):
        # A repeated name, reported above, is also a repeated default.
        if statistic.location not in repeated:
            message = (
                f"display name '{statistic.display_name}' of statistic "
                f"'{statistic.name}' {of} is that of '{first.name}'"
            )
            yield _clash(message, statistic.location, first.location)


def _check_cpp_members(pass_: Pass, of: str) -> Iterator[Diagnostic]:
    """Yield warnings about names that differ in Python, but clash in C++."""
    options = {_cpp_name(option): option.location for option in pass_.options}
    members = [("option", name, place) for name, place in options.items()]
    members += [
        ("statistic", _cpp_name(each), each.location) for each in pass_.statistics
    ]
    for kind, name, place in members:
        what, notes = f"{kind} '{name}' {of}", (_NAME_IN_CPP,)
        if name in naming.CPP_MEMBERS:
            message = f"{what} has the name of a function of its class in C++"
            yield Diagnostic(message, place, notes, severity="warning")
        elif kind == "statistic" and name in options:
            message = f"{what} has the name of an option in C++"
            here = Note("the option is defined here", options[name])
            yield Diagnostic(message, place, (here, *notes), severity="warning")


_NAME_IN_CPP: Final = Note("give it another name in C++: 'cpp: {name: ...}'")


def _cpp_name(member: Option | Statistic) -> str:
    return member.cpp.name or cpp_name(member.name)


_NOT_IMPORTABLE: Final = "which Python cannot import: it holds a keyword"


def _has_keyword(python_object: str) -> bool:
    return any(keyword.iskeyword(each) for each in re.split("[.:]", python_object))


def _python_name(member: Option | Statistic) -> str:
    return naming.snake_case(member.name)


def _repeated(items: Iterable[T], key: Callable[[T], str]) -> Iterator[tuple[T, T]]:
    """Yield each item whose key is repeated, with the first item of that key."""
    seen: dict[str, T] = {}
    for item in items:
        first = seen.setdefault(key(item), item)
        if first is not item:
            yield item, first


def _clash(message: str, location: Location, first: Location) -> Diagnostic:
    return Diagnostic(message, location, (Note("first defined here", first),))
