"""Checks of the forms of IR that passes and pipelines need and promise.

`passgen_rules.form_judgement` decides what is broken, as it does for pipelines that are
built or parsed; here it gets places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from passgen.checks.pipelines.form_steps import (
    FormSequence,
    Moment,
    place_in,
)
from passgen.checks.pipelines.references import KnownPasses
from passgen.diagnostics import Diagnostic, Note
from passgen.model import Name, PassGroup
from passgen.passgen_rules.form_judgement import find_breaker, find_case_without_giver


def check_forms(
    group: PassGroup, others: Sequence[PassGroup], known: KnownPasses
) -> Iterator[Diagnostic]:
    """Yield the forms that pipelines of `group` need or promise, and that are broken.

    Args:
        group: the group to check.
        others: the groups whose passes it names.
        known: the passes that it may name.
    """
    for pipeline in group.pipelines:
        sequence = FormSequence(pipeline, group, others, known)
        for moment, name in sequence.needs():
            yield from _broken(sequence, moment, "needs", name)
        needed = {str(name) for name in pipeline.forms.needs}
        for name in pipeline.forms.gives:
            found = list(_broken(sequence, sequence.end, "gives", name))
            if not found and str(name) not in needed:
                found = list(_never_given(sequence, name))
            yield from found
        for name in pipeline.forms.keeps:
            yield from _broken(sequence, sequence.end, "keeps", name)


def _broken(
    sequence: FormSequence, moment: Moment, verb: str, name: Name
) -> Iterator[Diagnostic]:
    """Yield a case in which the form called `name` is broken at `moment`."""
    form, earlier = sequence.form(name), sequence.before(moment)
    found = find_breaker(form, moment, earlier, sequence.domains)
    if found is None:
        return
    step, case = found
    breaker = step.source
    is_inside = moment.what != sequence.what
    where = f" before that in {sequence.what}" if is_inside else ""
    message = (
        f"{moment.what} {verb} '{name}'; '{breaker.argument}' breaks it{where}, and "
        "nothing after it gives it"
    )
    notes = (
        *moment.place.notes(moment.what),
        *sequence.flat.case_notes(case),
        Note(f"'{breaker.argument}' stands here", breaker.place.element),
        Note("it is broken here", place_in(breaker.forms.breaks, name.name)),
        Note(f"'{verb}' names it here", name.location),
    )
    yield Diagnostic(message, moment.place.element, notes)


def _never_given(sequence: FormSequence, name: Name) -> Iterator[Diagnostic]:
    """Yield a case in which no pass may give the form called `name`."""
    passes = [step for step in sequence.steps if step.is_pass]
    form, end = sequence.form(name), sequence.end
    case = find_case_without_giver(form, end, passes, sequence.domains)
    if case is not None:
        message = f"{end.what} gives '{name}', which none of its passes gives"
        yield Diagnostic(message, name.location, sequence.flat.case_notes(case))
