"""Checks of the forms of IR that passes and pipelines need, give, keep and break.

A form that a pass breaks is broken until a pass gives it; what no pass breaks is
unknown, and no mistake. The runtime applies the same rules to pipelines that are built
or parsed: `tests/cases/forms.yaml` holds both to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from passgen.checks.members import NOT_IMPORTABLE, has_keyword
from passgen.checks.pipelines.conditions import (
    ConditionPlace,
    FlatInclusion,
    FlatPass,
    FlatPipeline,
    Guard,
    Nest,
    find_case,
    flatten,
)
from passgen.checks.pipelines.references import KnownPasses
from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.model import Form, FormRules, Name, PassGroup
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
            is_other = theirs.name == form.name and theirs.meaning != form.meaning
            if is_other and not (form.python or theirs.python):
                message = f"form '{form.name}' is declared otherwise in a spec "
                message += "whose passes are named here"
                here = Note("that one is declared here", theirs.location)
                yield Diagnostic(message, form.location, (here,))
    forms = [form.name for form in group.forms]
    for rules, of in _declared_rules(group):
        for key, names in rules.named:
            for name in names:
                if name.name not in forms:
                    message = f"unknown form '{name.name}' in '{key}' {of}"
                    note = Note("forms are declared under 'forms' or 'externalForms'")
                    notes = (*suggest(name.name, forms), note)
                    yield Diagnostic(message, name.location, notes)
        yield from _contradictions(rules, of)


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


def check_forms(
    group: PassGroup, others: Sequence[PassGroup], known: KnownPasses
) -> Iterator[Diagnostic]:
    """Yield the forms that pipelines of `group` need or promise, and that are broken.

    Args:
        group: the group to check.
        others: the groups whose passes it names.
        known: the passes that it may name.
    """
    forms = {
        form.name: form
        for spec in (*others, group)
        for form in spec.forms
        if not form.python
    }
    for pipeline in group.pipelines:
        what = f"pipeline '{pipeline.argument}'"
        flat = flatten(pipeline, group, known)
        check = _FormCheck(what, flat, forms)
        yield from check.needs()
        end = ConditionPlace(pipeline.location, pipeline.location)
        nest = (pipeline.operation,)
        needed = {str(name) for name in pipeline.forms.needs}
        after = _Moment(what, end, {}, nest, len(flat.passes))
        for name in pipeline.forms.gives:
            found = list(check.broken(after, "gives", name))
            if not found and str(name) not in needed:
                found = list(check.never_given(after, name))
            yield from found
        for name in pipeline.forms.keeps:
            yield from check.broken(after, "keeps", name)


@dataclass(frozen=True)
class _Moment:
    """A place in the sequence at which a form has to hold."""

    what: str
    """The pass or pipeline that says so."""

    place: ConditionPlace
    guard: Guard
    nest: Nest
    num_earlier: int


class _FormCheck:
    """The check of one pipeline."""

    def __init__(
        self, what: str, flat: FlatPipeline, forms: Mapping[str, Form]
    ) -> None:
        self._what = what
        self._flat = flat
        self._forms = forms

    def needs(self) -> Iterator[Diagnostic]:
        """Yield the needs of passes and of included pipelines that are broken."""
        for included in self._flat.inclusions:
            what = f"pipeline '{included.argument}'"
            here = included.place, included.guard, included.nest, included.num_earlier
            for name in included.forms.needs:
                yield from self.broken(_Moment(what, *here), "needs", name)
        for index, step in enumerate(self._flat.passes):
            what = f"pass '{step.argument}'"
            moment = _Moment(what, step.place, step.guard, step.nest, index)
            for name in step.forms.needs:
                yield from self.broken(moment, "needs", name)

    def broken(self, moment: _Moment, verb: str, name: Name) -> Iterator[Diagnostic]:
        """Yield a case in which the form called `name` is broken at `moment`."""
        givers: list[Guard] = []
        for earlier in self._before(moment):
            if self._breaks(earlier, name.name, moment.nest):
                guards = [moment.guard, earlier.guard]
                case = find_case(guards, givers, self._flat.domains)
                if case is not None:
                    yield self._broken(moment, verb, name, earlier, case)
                    return
            elif _may_give(earlier, name.name, moment.nest):
                givers.append(earlier.guard)

    def _before(self, moment: _Moment) -> Iterator[FlatPass | FlatInclusion]:
        """Yield the passes, and the pipelines that end, before `moment`, backwards."""
        for index in range(moment.num_earlier, 0, -1):
            for included in self._flat.inclusions:
                if included.num_earlier < index == included.end:
                    yield included
            yield self._flat.passes[index - 1]

    def never_given(self, moment: _Moment, name: Name) -> Iterator[Diagnostic]:
        """Yield a case in which no pass may give the form called `name`."""
        givers = [
            step.guard
            for step in self._flat.passes
            if _may_give(step, name.name, moment.nest)
        ]
        case = find_case([moment.guard], givers, self._flat.domains)
        if case is not None:
            message = f"{moment.what} gives '{name}', which none of its passes gives"
            yield Diagnostic(message, name.location, self._flat.case_notes(case))

    def _breaks(self, step: FlatPass | FlatInclusion, form: str, nest: Nest) -> bool:
        known = self._forms.get(form)
        is_near = len(step.nest) == len(nest) or (known and known.is_inherited)
        names = map(str, step.forms.breaks)
        return bool(is_near) and form in names and _meets(step.nest, nest)

    def _broken(
        self,
        moment: _Moment,
        verb: str,
        name: Name,
        breaker: FlatPass | FlatInclusion,
        case: Guard,
    ) -> Diagnostic:
        found = breaker.argument
        inside = moment.what != self._what
        where = f" before that in {self._what}" if inside else ""
        message = (
            f"{moment.what} {verb} '{name}'; '{found}' breaks it{where}, and nothing "
            "after it gives it"
        )
        broken = next(
            own.location for own in breaker.forms.breaks if str(own) == str(name)
        )
        notes = [
            *moment.place.notes(moment.what),
            *self._flat.case_notes(case),
            Note(f"'{found}' stands here", breaker.place.element),
            Note("it is broken here", broken),
            Note(f"'{verb}' names it here", name.location),
        ]
        return Diagnostic(message, moment.place.element, tuple(notes))


def _may_give(step: FlatPass | FlatInclusion, form: str, nest: Nest) -> bool:
    """Return whether `form` may hold after `step` for passes in `nest`."""
    is_given = form in map(str, step.forms.gives)
    return (is_given or step.is_open) and _meets(step.nest, nest)


def _meets(own: Nest, other: Nest) -> bool:
    """Return whether passes in `own` may change what passes in `other` run on.

    A pass changes what is nested in its operation, and an operation has another form if
    what is nested in it changes.
    """
    return all(
        mine == theirs or not (mine and theirs)
        for mine, theirs in zip(own, other, strict=False)
    )
