"""The forms of IR that hold between the boxes of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from passgen.checks import KnownPass
from passgen.model import Bundle, FormRules, Pipeline
from passgen.passgen_rules import form_judgement as states
from passgen.passgen_rules import forms as rules
from passgen.passgen_rules.sequence import Nest
from passgen.site.pipeline_boxes import Box, FormState, HeldForm

_WORDS: Final[Mapping[states.FormState, FormState]] = {
    states.FormState.HOLDS: "holds",
    states.FormState.LOST: "may be lost",
    states.FormState.BROKEN: "broken",
}
"""The states that are drawn."""


@dataclass(frozen=True)
class _DrawnStep:
    """A pass of a drawing, or a pipeline whose passes are drawn elsewhere."""

    forms: rules.FormRules
    nest: Nest
    is_conditional: bool = False
    is_open: bool = False
    """Whether it may do to forms what it does not declare."""


def with_forms(
    boxes: Sequence[Box],
    owner: Bundle | Pipeline,
    forms: Mapping[str, rules.Form],
    known: Mapping[str, KnownPass],
) -> tuple[tuple[Box, ...], tuple[HeldForm, ...]]:
    """Return the boxes of `owner` with the forms before them, and the forms after all.

    Args:
        boxes: the elements of `owner`.
        owner: the bundle or the pipeline.
        forms: the forms that are drawn, by name.
        known: the passes that the owner may name, by argument.
    """
    root: Nest = ()
    steps: list[_DrawnStep] = []
    if isinstance(owner, Pipeline):
        root = (owner.operation,) if owner.operation else ()
        given = FormRules(gives=owner.forms.needs)
        steps.append(_DrawnStep(given.meaning(forms), root))
    drawn: list[Box] = []
    around: list[Box] = []
    for box in boxes:
        del around[box.line.depth :]
        nest = tuple(outer.line.nest for outer in around if outer.line.nest)
        held: tuple[HeldForm, ...] = ()
        if box.number:
            held = _held_forms(steps, forms.values(), nest)
            declared, is_open = _declared(box, known)
            is_conditional = any(outer.line.test for outer in around)
            effects = declared.meaning(forms)
            steps.append(_DrawnStep(effects, nest, is_conditional, is_open))
        drawn.append(replace(box, forms=held))
        around.append(box)
    return tuple(drawn), _held_forms(steps, forms.values(), root)


def _declared(box: Box, known: Mapping[str, KnownPass]) -> tuple[FormRules, bool]:
    """Return what a pass or pipeline says of forms, and whether it may do more."""
    if box.line.pipeline:
        return box.line.pipeline.forms, True
    if pass_ := known.get(box.line.added_pass):
        return pass_.constraints.forms, pass_.is_open
    is_open = states.may_do_anything(
        box.line.added_pass, has_spec=False, has_forms=False, runs_pipelines=False
    )
    return FormRules(), is_open


def _held_forms(
    steps: Sequence[_DrawnStep], forms: Iterable[rules.Form], nest: Nest
) -> tuple[HeldForm, ...]:
    """Return the forms with a known state after `steps`, for passes in `nest`."""
    states = ((form.name, _state_after(steps, form, nest)) for form in forms)
    return tuple(
        HeldForm(name, _WORDS[state]) for name, state in states if state in _WORDS
    )


def _state_after(
    steps: Sequence[_DrawnStep], form: rules.Form, nest: Nest
) -> states.FormState:
    state = states.FormState.UNKNOWN
    for step in steps:
        effect = states.effect_on(form, step, nest)
        after = states.next_state(state, effect)
        state = states.joined_states(state, after) if step.is_conditional else after
    return state
