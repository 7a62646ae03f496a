"""Differences between specs and the Python that implements them.

Implementations are found in the sources, without running them. Python objects that
specs name are imported in another process, as nothing else shows whether they can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from passgen import naming
from passgen.diagnostics import Note
from passgen.finding_rules import DRIFT_RULES
from passgen.findings.drift.implementations import (
    Implementation,
    PythonSources,
    Uses,
    scan,
)
from passgen.findings.drift.imports import Imported, Kind, import_objects
from passgen.findings.drift.patterns import wrong_patterns
from passgen.findings.finding import Finding, Subject, group_subject
from passgen.model import Pass, PassGroup


def find_drift(
    groups: Sequence[PassGroup],
    folders: Sequence[Path],
    *,
    imports: bool = True,
    plugins: Sequence[str] = (),
) -> Iterator[Finding]:
    """Yield the differences between `groups` and the Python files below `folders`.

    Args:
        groups: the specs.
        folders: where the implementations are, each a root of imports.
        imports: whether to import the Python objects that specs name, and to parse
            patterns.
        plugins: the plugins whose dialects patterns may use.

    Raises:
        SpecError: a source that holds passes is not valid Python.
        UserError: a source cannot be read.
        ProbeError: Python cannot be started.
    """
    sources = scan(
        folders, {naming.base_class(pass_.name) for pass_ in _passes(groups)}
    )
    names = [pass_.constructor for pass_ in _passes(groups) if pass_.constructor]
    names += [python for group in groups for _, python, _ in _references(group)]
    imported = import_objects(names, folders) if imports and names else {}
    for group in groups:
        for subject, python, kind in _references(group):
            if python in imported and (why := imported[python].why_unfit(kind)):
                message = f"{subject.what} cannot be used: {why}"
                yield subject.finding("broken-reference", message)
        for pass_ in group.passes:
            subject = group_subject(group).part(
                "pass", pass_.argument, pass_.location, pass_.ignores
            )
            found = sources.implementations(naming.base_class(pass_.name))
            yield from _implementations_of(pass_, subject, found, imported)
            if found:
                yield from _used(pass_, subject, found, sources.uses(found))
    yield from _undeclared_members(groups, sources)
    if imports:
        yield from wrong_patterns(groups, folders, plugins)


def _passes(groups: Sequence[PassGroup]) -> Iterator[Pass]:
    for group in groups:
        yield from group.passes


def _implementations_of(
    pass_: Pass,
    subject: Subject,
    found: Sequence[Implementation],
    imported: Mapping[str, Imported],
) -> Iterator[Finding]:
    base, what = naming.base_class(pass_.name), subject.what
    if pass_.needs_class and not found:
        message = f"{what} is declared, and no class derives from '{base}'"
        yield subject.finding("missing-implementation", message)
    made = imported.get(pass_.constructor)
    if made is None:
        return
    reason = made.error or ("" if made.bases else "it is not a class")
    if not reason and base not in made.bases:
        reason = f"it does not derive from '{base}'"
    if reason:
        message = f"constructor of {what} cannot be used: {reason}"
        place = pass_.constructor_location
        yield subject.finding("broken-constructor", message, place)


def _references(group: PassGroup) -> Iterator[tuple[Subject, str, Kind]]:
    """Yield the parts of a group that name objects in Python, and what they are."""
    owner = group_subject(group)
    for analysis in group.analyses:
        place = analysis.python_location
        yield owner.part("analysis", analysis.name, place), analysis.python, "class"
    for form in group.forms:
        subject = owner.part("form", form.name, form.check_location)
        if form.check:
            yield subject, form.check, "function"
        elif form.python:
            yield subject, form.python, "form"
    for operation in group.operations:
        name, place = operation.name, operation.python_location
        subject = owner.part("class of operation", name, place)
        yield subject, operation.python, "class"
    for pass_ in group.passes:
        of = owner.part("pass", pass_.argument, pass_.location, pass_.ignores)
        yield from _references_of(pass_, of)


def _references_of(pass_: Pass, of: Subject) -> Iterator[tuple[Subject, str, Kind]]:
    """Yield the same of a pass, which is `of`."""
    for option in pass_.options:
        if option.type.python:
            name, place = option.argument, option.type.location
            subject = of.part("type of option", name, place, option.ignores)
            yield subject, option.type.python, "option type"
    for native in (*pass_.native_constraints, *pass_.native_rewrites):
        subject = of.part("function", native.name, native.location)
        yield subject, native.function, "function"
    for native in pass_.semantics:
        subject = of.part("semantics of operation", native.name, native.location)
        yield subject, native.function, "function"


def _used(
    pass_: Pass, owner: Subject, found: Sequence[Implementation], uses: Uses
) -> Iterator[Finding]:
    notes = [
        Note("it is implemented here", implementation.location)
        for implementation in found
    ]
    for option in pass_.options:
        if option.selects_patterns:  # the runtime reads it
            continue
        if not uses.reads(naming.snake_case(option.name)):
            name, place = option.argument, option.location
            subject = owner.part("option", name, place, option.ignores)
            message = f"{subject.what} is read nowhere"
            yield subject.finding("unread-option", message).noting(*notes)
    for statistic in pass_.statistics:
        if naming.snake_case(statistic.name) not in uses.counted:
            name, place = statistic.display_name, statistic.location
            subject = owner.part("statistic", name, place, statistic.ignores)
            message = f"{subject.what} is counted nowhere"
            yield subject.finding("uncounted-statistic", message).noting(*notes)
    for remark in pass_.remarks:
        if naming.remark_method(remark.name) not in uses.read:
            subject = owner.part("remark", remark.name, remark.location, remark.ignores)
            message = f"{subject.what} is emitted nowhere"
            yield subject.finding("unemitted-remark", message).noting(*notes)


def _undeclared_members(
    groups: Sequence[PassGroup], sources: PythonSources
) -> Iterator[Finding]:
    ignores = tuple(ignore for group in groups for ignore in group.ignores)
    arguments = {pass_.argument for pass_ in _passes(groups)}
    modules = {f"{naming.snake_case(group.title)}_passes": group for group in groups}
    for cls in sources.classes:
        rule = DRIFT_RULES["undeclared-implementation"]
        if cls.argument and cls.argument not in arguments:
            message = (
                f"class '{cls.name}' is pass '{cls.argument}', which no spec declares"
            )
            yield Finding(rule, message, cls.location, ignores, name=cls.argument)
        for base in cls.bases:
            group = modules.get(base.module.rpartition(".")[2])
            if group is None or not base.name.endswith("PassBase"):
                continue
            if base.name not in sources.declared:
                message = (
                    f"class '{cls.name}' derives from '{base.name}', which group "
                    f"'{group.title}' does not declare"
                )
                yield Finding(rule, message, cls.location, ignores, name=cls.name)
