"""Checks of the names of forms, and of what is declared about one form twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from passgen.checks.members import NOT_IMPORTABLE, has_keyword
from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.model import Form, FormRules, PassGroup
from passgen.source import Location


def check_form_names(
    group: PassGroup, others: Sequence[PassGroup]
) -> Iterator[Diagnostic]:
    """Yield the mistakes in forms of `group`, and unknown forms.

    Args:
        group: the group to check.
        others: the groups whose passes it names, maybe with forms of the same names.
    """
    for form in group.forms:
        python = form.check or form.python
        if has_keyword(python):
            message = f"form '{form.name}': found '{python}', {NOT_IMPORTABLE}"
            yield Diagnostic(message, form.check_location)
        for theirs in (theirs for other in others for theirs in other.forms):
            if _differ(form, theirs):
                message = f"form '{form.name}' is declared otherwise in a spec "
                message += "whose passes are named here"
                here = Note("that one is declared here", theirs.location)
                yield Diagnostic(message, form.location, (here,))
    known = [form.name for form in group.forms]
    for rules, of in _declared_rules(group):
        for key, names in rules.named:
            for name in names:
                if name.name not in known:
                    message = f"unknown form '{name.name}' in '{key}' {of}"
                    note = Note("forms are declared under 'forms' or 'externalForms'")
                    notes = (*suggest(name.name, known), note)
                    yield Diagnostic(message, name.location, notes)
        yield from _contradictions(rules, of)


def _differ(form: Form, other: Form) -> bool:
    """Return whether two forms have one name and are not the same."""
    is_known = not (form.python or other.python)
    return is_known and form.name == other.name and form.meaning != other.meaning


def has_same_forms(group: PassGroup, other: PassGroup) -> bool:
    """Return whether forms that both groups declare are the same."""
    return not any(
        _differ(form, theirs) for form in group.forms for theirs in other.forms
    )


def _declared_rules(group: PassGroup) -> Iterator[tuple[FormRules, str]]:
    """Yield the rules of passes and pipelines, and whose they are."""
    for pass_ in group.passes:
        yield pass_.constraints.forms, f"of pass '{pass_.name}'"
    for external in group.external_passes:
        yield external.constraints.forms, f"of external pass '{external.argument}'"
    for pipeline in group.pipelines:
        yield pipeline.forms, f"of pipeline '{pipeline.name}'"


def _contradictions(rules: FormRules, of: str) -> Iterator[Diagnostic]:
    first: dict[str, tuple[str, Location]] = {}
    for key, names in rules.effects:
        for name in names:
            other, place = first.setdefault(name.name, (key, name.location))
            if other != key:
                message = f"form '{name.name}' is in '{other}' and in '{key}' {of}"
                here = Note("first named here", place)
                yield Diagnostic(message, name.location, (here,))
