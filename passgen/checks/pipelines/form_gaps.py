"""Forms that plainly do not hold in a pipeline, though no pass breaks them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from passgen.checks.pipelines.conditions import FlatInclusion
from passgen.checks.pipelines.form_steps import FormSequence, FormStep, Moment, place_in
from passgen.checks.pipelines.references import KnownPasses
from passgen.diagnostics import Diagnostic, Note
from passgen.model import Name, PassGroup, Pipeline
from passgen.passgen_rules.form_judgement import find_case_without_giver, find_losers
from passgen.passgen_rules.sequence import Guard, may_change


@dataclass(frozen=True)
class FormGap:
    """A form that is needed too early, or that is lost before the end."""

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
    for pipeline in group.pipelines:
        sequence = FormSequence(pipeline, group, others, known)
        for mistake in _missing_forms(sequence, known):
            yield FormGap("form-missing", pipeline, mistake)
        promises = ("gives", pipeline.forms.gives), ("keeps", pipeline.forms.keeps)
        for verb, names in promises:
            for name in names:
                for mistake in _lost_form(sequence, verb, name):
                    yield FormGap("form-lost", pipeline, mistake)


def _missing_forms(sequence: FormSequence, known: KnownPasses) -> Iterator[Diagnostic]:
    """Yield the first need of each form that no earlier pass may give.

    A form that is given nowhere else either may hold in all IR, and what the pipeline
    itself needs does. The needs inside of an included pipeline are its own matter.

    Args:
        sequence: the pipeline.
        known: all passes, for those that give a form and are left out.
    """
    assumed = {str(name) for name in sequence.pipeline.forms.needs}
    for moment, needs in _own_needs(sequence):
        for name in needs:
            if str(name) in assumed:
                continue
            form, earlier = sequence.form(name), sequence.before(moment)
            case = find_case_without_giver(form, moment, earlier, sequence.domains)
            giver = _giver(sequence, moment, name, known)
            if case is not None and giver is not None:
                assumed.add(str(name))
                yield _missing_form(sequence, moment, name, giver, case)


def _own_needs(sequence: FormSequence) -> Iterator[tuple[Moment, Sequence[Name]]]:
    """Yield the needs of passes and pipelines that no included pipeline holds."""
    outer: list[FlatInclusion] = []
    for moment, included in sequence.starts():
        is_inside = any(
            other.num_earlier <= included.num_earlier and included.end <= other.end
            for other in outer
        )
        if not is_inside:
            outer.append(included)
            yield moment, included.forms.needs
    for moment, pass_ in sequence.moments():
        index = moment.num_earlier
        if not any(other.num_earlier <= index < other.end for other in outer):
            yield moment, pass_.forms.needs


def _giver(
    sequence: FormSequence, moment: Moment, name: Name, known: KnownPasses
) -> Note | None:
    """Return which pass gives a form: a later one, or one that is left out.

    A pass that needs the form too does not make it.
    """
    form = sequence.form(name)
    for step in sequence.after(moment):
        if not (step.is_pass and may_change(step.nest, moment.nest)):
            continue
        if step.forms.makes(form):
            message = f"'{step.source.argument}' gives it, and stands here"
            return Note(message, step.source.place.element)
    for pass_ in known.by_argument.values():
        rules = pass_.constraints.forms
        if rules.meaning(sequence.known_forms).makes(form):
            message = f"'{pass_.argument}' gives it, and is left out"
            return Note(message, place_in(rules.gives, name.name))
    return None


def _missing_form(
    sequence: FormSequence, moment: Moment, name: Name, giver: Note, case: Guard
) -> Diagnostic:
    what = sequence.what
    message = f"{moment.what} needs '{name}' in {what}, and no earlier pass gives it"
    notes = (
        *moment.place.notes(moment.what),
        *sequence.flat.case_notes(case),
        giver,
        Note("'needs' names it here", name.location),
        Note(f"if IR has it before {what}, write '{name}' in its 'needs'"),
    )
    return Diagnostic(message, moment.place.element, notes)


def _lost_form(sequence: FormSequence, verb: str, name: Name) -> Iterator[Diagnostic]:
    """Yield the last pass that creates what the form excludes, if none gives it."""
    form, steps = sequence.form(name), sequence.steps
    for step, case, created in find_losers(form, sequence.end, steps, sequence.domains):
        pass_ = step.source
        if _is_promised_around(sequence, step, name.name):
            continue
        message = (
            f"pass '{pass_.argument}' creates '{created}', which '{name}' excludes; "
            f"{sequence.what} {verb} it, and no later pass does"
        )
        created_here = place_in(pass_.forms.creates or (), created)
        notes = (
            *pass_.place.notes(f"pass '{pass_.argument}'"),
            *sequence.flat.case_notes(case),
            Note("'creates' names it here", created_here),
            Note(f"'{verb}' names the form here", name.location),
        )
        yield Diagnostic(message, pass_.place.element, notes)
        return


def _is_promised_around(sequence: FormSequence, step: FormStep, form: str) -> bool:
    """Return whether an included pipeline around a pass promises `form` itself."""
    return any(
        form in map(str, (*included.forms.gives, *included.forms.keeps))
        for included in sequence.flat.inclusions
        if included.num_earlier <= step.index < included.end
    )
