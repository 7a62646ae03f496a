"""The judgement of forms: the state of a form between the steps of a pipeline.

A form is in one of four states, for what runs in a nest. A step of a pipeline has an
effect on the form there, and `next_state` says which state follows. A form that a pass
breaks is broken until a pass may give it; what no pass breaks is unknown, no mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, Protocol, TypeVar

from .forms import Form, FormRules
from .sequence import Domains, Guard, Nest, Step, find_case, may_change

GIVES_NO_FORM: Final = frozenset(
    {
        *("canonicalize", "control-flow-sink", "cse", "inline", "mem2reg", "sccp"),
        *("loop-invariant-code-motion", "remove-dead-values", "sroa", "symbol-dce"),
        *("strip-debuginfo", "symbol-privatize", "topological-sort"),
    }
)
"""The passes of MLIR that rewrite any IR, and lower none: they give no form."""


def may_do_anything(
    argument: str, *, has_spec: bool, has_forms: bool, runs_pipelines: bool
) -> bool:
    """Return whether a pass may do to forms what it does not declare.

    Args:
        argument: the name of the pass.
        has_spec: whether a spec declares all of it.
        has_forms: whether it declares anything about forms.
        runs_pipelines: whether a pipeline is among its options.
    """
    is_known = has_spec or has_forms or argument in GIVES_NO_FORM
    return runs_pipelines or not is_known


class FormState(Enum):
    """What is known of a form, of the operations in a nest."""

    UNKNOWN = "unknown"
    HOLDS = "holds"
    BROKEN = "broken"
    """It held or not, and a pass has broken it."""

    LOST = "may be lost"
    """It held, or may have been given, and nothing says that it holds."""


class FormEffect(Enum):
    """What a step does to a form, of the operations in a nest."""

    GIVES = "gives it"
    MAY_GIVE = "keeps it, and may give it"
    KEEPS = "keeps it"
    MAY_LOSE = "may lose it"
    MAY_DO_ANYTHING = "may lose or give it"
    BREAKS = "breaks it"


_CHANGES: Final[Mapping[FormEffect, Mapping[FormState, FormState]]] = {
    FormEffect.GIVES: dict.fromkeys(FormState, FormState.HOLDS),
    FormEffect.MAY_GIVE: {FormState.BROKEN: FormState.UNKNOWN},
    FormEffect.KEEPS: {},
    FormEffect.MAY_LOSE: {FormState.HOLDS: FormState.LOST},
    FormEffect.MAY_DO_ANYTHING: {
        FormState.HOLDS: FormState.LOST,
        FormState.BROKEN: FormState.UNKNOWN,
    },
    FormEffect.BREAKS: dict.fromkeys(FormState, FormState.BROKEN),
}
"""The states that an effect changes, each with the state that follows."""


def next_state(state: FormState, effect: FormEffect) -> FormState:
    """Return the state of a form after a step with `effect`."""
    return _CHANGES[effect].get(state, state)


def joined_states(first: FormState, second: FormState) -> FormState:
    """Return what is known of a form that is in one of two states."""
    if first is second:
        return first
    may_hold = {first, second} & {FormState.HOLDS, FormState.LOST}
    return FormState.LOST if may_hold else FormState.UNKNOWN


class FormStep(Protocol):
    """A pass in its place in a pipeline, or a pipeline that others include."""

    @property
    def nest(self) -> Nest:
        """The operations that it is nested on."""

    @property
    def forms(self) -> FormRules:
        """The forms that it is about."""

    @property
    def is_open(self) -> bool:
        """Whether it may do to forms what it does not declare."""


def effect_on(form: Form, step: FormStep, nest: Nest) -> FormEffect:
    """Return what `step` does to `form`, of the operations of passes in `nest`."""
    if not may_change(step.nest, nest):
        return FormEffect.KEEPS
    promise = step.forms.promise(form)
    # A form with a check is broken through the nest as well: that of a module may look
    # at its functions. The check of a function says nothing of the module around it.
    if promise == "breaks" and (form.is_inherited or len(step.nest) >= len(nest)):
        return FormEffect.BREAKS
    is_linked = form.is_inherited or len(step.nest) == len(nest)
    is_around = form.is_inherited and len(step.nest) < len(nest)
    if promise == "gives" and (is_around or step.nest == nest):
        return FormEffect.GIVES
    may_give = promise == "gives" or step.is_open
    is_kept = promise in {"keeps", "creates"} or (promise == "gives" and is_linked)
    if may_give:
        return FormEffect.MAY_GIVE if is_kept else FormEffect.MAY_DO_ANYTHING
    return FormEffect.KEEPS if is_kept else FormEffect.MAY_LOSE


class GuardedFormStep(FormStep, Step, Protocol):
    """The same in a pipeline that is judged for all values of its options."""


_StepT = TypeVar("_StepT", bound=GuardedFormStep)


def find_breaker(
    form: Form, moment: Step, earlier: Sequence[_StepT], domains: Domains
) -> tuple[_StepT, Guard] | None:
    """Return the last step that leaves `form` broken at `moment`, and a case of that.

    Args:
        form: the form that must hold.
        moment: the step that needs it, or the end of the pipeline.
        earlier: the steps before that.
        domains: the values of the options that guards restrict.
    """
    mended: list[Guard] = []
    for step in reversed(earlier):
        effect = effect_on(form, step, moment.nest)
        if effect is FormEffect.BREAKS:
            case = find_case([moment.guard, step.guard], mended, domains)
            if case is not None:
                return step, case
        elif _may_mend(effect):
            if not step.guard:
                return None  # it is there in all cases
            mended.append(step.guard)
    return None


def find_case_without_giver(
    form: Form, moment: Step, steps: Iterable[GuardedFormStep], domains: Domains
) -> Guard | None:
    """Return a case in which none of `steps` may give `form` at `moment`, if any."""
    givers = [
        step.guard for step in steps if _may_mend(effect_on(form, step, moment.nest))
    ]
    return find_case([moment.guard], givers, domains)


def find_losers(
    form: Form, moment: Step, earlier: Sequence[_StepT], domains: Domains
) -> Iterator[tuple[_StepT, Guard, str]]:
    """Yield the steps that create what `form` excludes, if none gives it after them.

    The last one comes first; each has a case of the options, and what it creates.
    """
    given: list[Guard] = []
    for step in reversed(earlier):
        effect = effect_on(form, step, moment.nest)
        if _may_mend(effect):
            given.append(step.guard)
        if effect is not FormEffect.MAY_LOSE:
            continue
        created = next(filter(form.excludes, step.forms.creates or ()), None)
        case = find_case([moment.guard, step.guard], given, domains)
        if created is not None and case is not None:
            yield step, case, created


def _may_mend(effect: FormEffect) -> bool:
    """Return whether a form that is broken may hold after a step with `effect`."""
    return next_state(FormState.BROKEN, effect) is not FormState.BROKEN
