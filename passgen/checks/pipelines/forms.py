"""Checks of the forms of IR that passes and pipelines need, give, keep and break.

A form that a pass breaks is broken until a pass gives it; what no pass breaks is
unknown, and no error. The runtime applies the same rules to pipelines that are built or
parsed: `tests/cases/forms.yaml` holds both to them. `form_gaps` finds what is plainly
missing nevertheless, for `passgen lint`.
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
    flatten,
    nest_of,
)
from passgen.checks.pipelines.references import KnownPasses
from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.model import Form, FormRules, Name, PassGroup, Pipeline
from passgen.passgen_rules.sequence import Guard, Nest, find_case, may_change
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


def check_forms(
    group: PassGroup, others: Sequence[PassGroup], known: KnownPasses
) -> Iterator[Diagnostic]:
    """Yield the forms that pipelines of `group` need or promise, and that are broken.

    Args:
        group: the group to check.
        others: the groups whose passes it names.
        known: the passes that it may name.
    """
    forms = _known_forms(group, others)
    for pipeline in group.pipelines:
        what = f"pipeline '{pipeline.argument}'"
        flat = flatten(pipeline, group, known)
        check = _FormCheck(what, flat, forms)
        yield from check.needs()
        end = ConditionPlace(pipeline.location, pipeline.location)
        nest = nest_of(pipeline)
        needed = {str(name) for name in pipeline.forms.needs}
        after = _Moment(what, end, {}, nest, len(flat.passes))
        for name in pipeline.forms.gives:
            found = list(check.broken(after, "gives", name))
            if not found and str(name) not in needed:
                found = list(check.never_given(after, name))
            yield from found
        for name in pipeline.forms.keeps:
            yield from check.broken(after, "keeps", name)


def _known_forms(group: PassGroup, others: Sequence[PassGroup]) -> dict[str, Form]:
    return {
        form.name: form
        for spec in (*others, group)
        for form in spec.forms
        if not form.python
    }


@dataclass(frozen=True)
class FormGap:
    """A form that plainly does not hold in a pipeline, though no pass breaks it."""

    rule: str
    """The rule of `passgen lint` that reports it."""

    pipeline: Pipeline
    mistake: Diagnostic


def form_gaps(
    group: PassGroup, others: Sequence[PassGroup], known: KnownPasses
) -> Iterator[FormGap]:
    """Yield the forms that passes need too early, or that are lost before the end.

    Args:
        group: the group to check.
        others: the groups whose passes it names.
        known: the passes that its pipelines name, and others that may give forms.
    """
    forms = _known_forms(group, others)
    for pipeline in group.pipelines:
        what = f"pipeline '{pipeline.argument}'"
        check = _FormCheck(what, flatten(pipeline, group, known), forms)
        for mistake in check.missing(pipeline, known):
            yield FormGap("form-missing", pipeline, mistake)
        for mistake in check.lost(pipeline):
            yield FormGap("form-lost", pipeline, mistake)


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
        for index in range(moment.num_earlier - 1, -1, -1):
            yield from self._ended_by(index)
            yield self._flat.passes[index]

    def _ended_by(self, index: int) -> Iterator[FlatInclusion]:
        """Yield the pipelines whose last pass has this index."""
        for included in self._flat.inclusions:
            if included.num_earlier <= index == included.end - 1:
                yield included

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

    def missing(self, pipeline: Pipeline, known: KnownPasses) -> Iterator[Diagnostic]:
        """Yield the first need of each form that no earlier pass may give.

        A form that is given nowhere else either may hold in all IR, and what the
        pipeline itself needs does. The needs inside of an included pipeline are a
        matter of that one.

        Args:
            pipeline: the pipeline.
            known: all passes, for those that give a form and are left out.
        """
        assumed = {str(name) for name in pipeline.forms.needs}
        for moment, needs in self._own_needs():
            for name in needs:
                if str(name) in assumed:
                    continue
                earlier = [
                    step.guard
                    for step in self._before(moment)
                    if _may_give(step, name.name, moment.nest)
                ]
                case = find_case([moment.guard], earlier, self._flat.domains)
                giver = self._giver(moment, name.name, known)
                if case is not None and giver is not None:
                    assumed.add(str(name))
                    yield self._missing(moment, name, giver, case)

    def _own_needs(self) -> Iterator[tuple[_Moment, Sequence[Name]]]:
        """Yield the needs of passes and pipelines that no included pipeline holds."""
        outer = [
            included
            for position, included in enumerate(self._flat.inclusions)
            if not any(
                other.num_earlier <= included.num_earlier and included.end <= other.end
                for other in self._flat.inclusions[:position]
            )
        ]
        for included in outer:
            what = f"pipeline '{included.argument}'"
            here = included.place, included.guard, included.nest, included.num_earlier
            yield _Moment(what, *here), included.forms.needs
        for index, step in enumerate(self._flat.passes):
            if not any(each.num_earlier <= index < each.end for each in outer):
                what = f"pass '{step.argument}'"
                moment = _Moment(what, step.place, step.guard, step.nest, index)
                yield moment, step.forms.needs

    def _giver(self, moment: _Moment, form: str, known: KnownPasses) -> Note | None:
        """Return which pass gives `form`: a later one, or one that is left out.

        A pass that needs the form too does not make it.
        """
        later = [
            step
            for step in self._flat.passes[moment.num_earlier :]
            if _makes(step.forms, form) and may_change(step.nest, moment.nest)
        ]
        if later:
            message = f"'{later[0].argument}' gives it, and stands here"
            return Note(message, later[0].place.element)
        for pass_ in known.by_argument.values():
            if _makes(pass_.constraints.forms, form):
                given = pass_.constraints.forms.gives
                place = next(own.location for own in given if own.name == form)
                message = f"'{pass_.argument}' gives it, and is left out"
                return Note(message, place)
        return None

    def _missing(
        self, moment: _Moment, name: Name, giver: Note, case: Guard
    ) -> Diagnostic:
        message = (
            f"{moment.what} needs '{name}' in {self._what}, and no earlier pass gives "
            "it"
        )
        notes = [
            *moment.place.notes(moment.what),
            *self._flat.case_notes(case),
            giver,
            Note("'needs' names it here", name.location),
            Note(f"if IR has it before {self._what}, write '{name}' in its 'needs'"),
        ]
        return Diagnostic(message, moment.place.element, tuple(notes))

    def lost(self, pipeline: Pipeline) -> Iterator[Diagnostic]:
        """Yield the forms that the pipeline gives or keeps, and a pass may undo."""
        for verb, names in (
            ("gives", pipeline.forms.gives),
            ("keeps", pipeline.forms.keeps),
        ):
            for name in names:
                if name.name in self._forms:
                    yield from self._lost(pipeline, verb, name)

    def _lost(self, pipeline: Pipeline, verb: str, name: Name) -> Iterator[Diagnostic]:
        """Yield the last pass that creates what the form excludes, if none gives it."""
        givers: list[Guard] = []
        nest = nest_of(pipeline)
        for index in range(len(self._flat.passes) - 1, -1, -1):
            step = self._flat.passes[index]
            ended: list[FlatPass | FlatInclusion] = [*self._ended_by(index), step]
            givers += [each.guard for each in ended if _may_give(each, name.name, nest)]
            created = _excluded(step.forms, self._forms[name.name])
            if created is None or not may_change(step.nest, nest):
                continue
            case = find_case([step.guard], givers, self._flat.domains)
            if case is not None and not self._is_promised_inside(index, name.name):
                message = (
                    f"pass '{step.argument}' creates '{created}', which '{name}' "
                    f"excludes; {self._what} {verb} it, and no later pass does"
                )
                notes = [
                    *step.place.notes(f"pass '{step.argument}'"),
                    *self._flat.case_notes(case),
                    Note("'creates' names it here", created.location),
                    Note(f"'{verb}' names the form here", name.location),
                ]
                yield Diagnostic(message, step.place.element, tuple(notes))
                return

    def _is_promised_inside(self, index: int, form: str) -> bool:
        """Return whether an included pipeline around a pass promises `form` itself."""
        return any(
            form in map(str, (*included.forms.gives, *included.forms.keeps))
            for included in self._flat.inclusions
            if included.num_earlier <= index < included.end
        )

    def _breaks(self, step: FlatPass | FlatInclusion, form: str, nest: Nest) -> bool:
        known = self._forms.get(form)
        is_near = len(step.nest) == len(nest) or (known and known.is_inherited)
        names = map(str, step.forms.breaks)
        return bool(is_near) and form in names and may_change(step.nest, nest)

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
    return (is_given or step.is_open) and may_change(step.nest, nest)


def _makes(rules: FormRules, form: str) -> bool:
    """Return whether a pass gives `form` to IR that does not have it."""
    return form in map(str, rules.gives) and form not in map(str, rules.needs)


def _excluded(rules: FormRules, form: Form) -> Name | None:
    """Return what a pass creates, and `form` cannot have; `None` if that is not sure.

    A dialect in `creates` need not be an operation of it that is absent.
    """
    if any(form.name == str(name) for _, names in rules.effects for name in names):
        return None
    for created in rules.creates or ():
        if form.absent and any(_holds(name, created) for name in form.absent):
            return created
        if form.only and not any(
            _holds(name, created) or _holds(created, name) for name in form.only
        ):
            return created
    return None


def _holds(name: Name, other: Name) -> bool:
    """Return whether `other` is the dialect or operation `name`, or one of it."""
    return f"{other}.".startswith(f"{name}.")
