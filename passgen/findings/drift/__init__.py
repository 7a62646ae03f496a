"""Where specs and the Python that implements them have come apart.

What implements a pass is read from the sources, without running them; what specs name
in Python is imported in a process of its own, as only that shows whether it can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from passgen import naming
from passgen.diagnostics import Note
from passgen.findings.drift.implementations import Implementation, Sources, Uses, scan
from passgen.findings.drift.imports import Imported, import_objects
from passgen.findings.finding import Finding
from passgen.model import Ignore, Pass, PassGroup
from passgen.rules import DRIFT_RULES
from passgen.source import Location


def find_drift(
    groups: Sequence[PassGroup], folders: Sequence[Path], *, imports: bool = True
) -> Iterator[Finding]:
    """Yield where `groups` and the Python files below `folders` differ.

    Args:
        groups: the specs.
        folders: where the implementations are, each a root of imports.
        imports: whether what specs name in Python is imported.

    Raises:
        SpecError: a source that holds passes is no Python.
        UserError: a source cannot be read, or Python cannot be started.
    """
    sources = scan(folders, {naming.base_class(each.name) for each in _passes(groups)})
    names = [each.constructor for each in _passes(groups) if each.constructor]
    names += [each.python for group in groups for each in _references(group)]
    imported = import_objects(names, folders) if imports and names else {}
    for group in groups:
        yield from _referred(group, imported)
        for pass_ in group.passes:
            found = sources.implementations(naming.base_class(pass_.name))
            yield from _implemented(group, pass_, found, imported)
            if found:
                yield from _used(group, pass_, found, sources.uses(found))
    yield from _undeclared(groups, sources)


def _passes(groups: Sequence[PassGroup]) -> Iterator[Pass]:
    for group in groups:
        yield from group.passes


def _implemented(
    group: PassGroup,
    pass_: Pass,
    found: Sequence[Implementation],
    imported: Mapping[str, Imported],
) -> Iterator[Finding]:
    base = naming.base_class(pass_.name)
    ignores = (*pass_.ignores, *group.ignores)
    what, name = f"pass '{pass_.argument}'", pass_.argument
    if not found and not pass_.constructor:
        message = f"{what} is declared, and no class derives from '{base}'"
        rule = DRIFT_RULES["missing-implementation"]
        yield Finding(rule, message, pass_.location, ignores, name=name)
    made = imported.get(pass_.constructor)
    if made is None:
        return
    reason = made.error or ("" if made.is_class else "it is no class")
    if not reason and base not in made.bases:
        reason = f"it does not derive from '{base}'"
    if reason:
        message = f"constructor of {what} cannot be used: {reason}"
        rule = DRIFT_RULES["broken-constructor"]
        place = pass_.constructor_location
        yield Finding(rule, message, place, ignores, name=name)


@dataclass(frozen=True)
class _Reference:
    """A Python object that a spec names, other than a constructor."""

    what: str
    name: str
    python: str
    location: Location
    ignores: tuple[Ignore, ...]


def _references(group: PassGroup) -> Iterator[_Reference]:
    for each in group.analyses:
        what, place = f"analysis '{each.name}'", each.python_location
        yield _Reference(what, each.name, each.python, place, group.ignores)
    for pass_ in group.passes:
        for option in pass_.options:
            if option.type.python:
                name = option.argument
                what = f"type of option '{name}' of pass '{pass_.argument}'"
                ignores = (*option.ignores, *pass_.ignores, *group.ignores)
                place = option.type.location
                yield _Reference(what, name, option.type.python, place, ignores)


def _referred(group: PassGroup, imported: Mapping[str, Imported]) -> Iterator[Finding]:
    for each in _references(group):
        found = imported.get(each.python)
        if found and found.error:
            message = f"{each.what} cannot be used: {found.error}"
            rule = DRIFT_RULES["broken-reference"]
            yield Finding(rule, message, each.location, each.ignores, name=each.name)


def _used(
    group: PassGroup, pass_: Pass, found: Sequence[Implementation], uses: Uses
) -> Iterator[Finding]:
    notes = tuple(Note("it is implemented here", each.location) for each in found)
    of, in_force = f"of pass '{pass_.argument}'", (*pass_.ignores, *group.ignores)
    for option in pass_.options:
        if not uses.reads(naming.snake_case(option.name)):
            message = f"option '{option.argument}' {of} is read nowhere"
            rule = DRIFT_RULES["unread-option"]
            ignores = (*option.ignores, *in_force)
            name = option.argument
            yield Finding(rule, message, option.location, ignores, notes, name)
    for statistic in pass_.statistics:
        if naming.snake_case(statistic.name) not in uses.counted:
            name = statistic.display_name
            message = f"statistic '{name}' {of} is counted nowhere"
            rule = DRIFT_RULES["uncounted-statistic"]
            ignores = (*statistic.ignores, *in_force)
            yield Finding(rule, message, statistic.location, ignores, notes, name)


def _undeclared(groups: Sequence[PassGroup], sources: Sources) -> Iterator[Finding]:
    ignores = tuple(ignore for group in groups for ignore in group.ignores)
    arguments = {each.argument for each in _passes(groups)}
    modules = {f"{naming.snake_case(group.name)}_passes": group for group in groups}
    for each in sources.classes:
        rule = DRIFT_RULES["undeclared-implementation"]
        if each.argument and each.argument not in arguments:
            message = (
                f"class '{each.name}' is pass '{each.argument}', which no spec declares"
            )
            yield Finding(rule, message, each.location, ignores, name=each.argument)
        for base in each.bases:
            group = modules.get(base.module.rpartition(".")[2])
            if group is None or not base.name.endswith("PassBase"):
                continue
            if base.name not in sources.declared:
                message = (
                    f"class '{each.name}' derives from '{base.name}', which group "
                    f"'{group.name}' does not declare"
                )
                yield Finding(rule, message, each.location, ignores, name=each.name)
