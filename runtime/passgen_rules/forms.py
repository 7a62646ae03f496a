"""Forms of IR: what passes need, give, keep and break, and what is left of a form.

A form is in one of four states, for what runs in a nest. A step of a pipeline has an
effect on the form there, and `next_state` says which state follows. A form that a pass
breaks is broken until a pass may give it; what no pass breaks is unknown, no mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from .declared_tuples import refuse_text
from .sequence import Domains, Guard, Nest, Step, find_case, may_change


@dataclass(frozen=True)
class Form:
    """A property of an operation and all that is nested in it, of one of three kinds.

    With a `check`, it says nothing of nested operations themselves.
    """

    name: str
    summary: str = field(default="", compare=False)
    absent: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """The operations and dialects that may not be there, or that alone may be."""

    check: str = ""
    """`module:function`, which yields or returns what is wrong with an operation."""

    def __post_init__(self) -> None:
        """Refuse a text as names, which would be its letters.

        Raises:
            TypeError: there is one.
        """
        refuse_text(self, "absent", "only")

    @property
    def is_inherited(self) -> bool:
        """Whether it holds of what is nested in an operation of which it holds."""
        return bool(self.absent or self.only)

    def allows(self, operation: str) -> bool:
        """Return whether an operation called `operation` may be where it holds."""
        if self.absent:
            return not any(_is_part(operation, name) for name in self.absent)
        return not self.only or any(_is_part(operation, name) for name in self.only)

    def excludes(self, created: str) -> bool:
        """Return whether nothing that `created` names may be where it holds.

        Args:
            created: an operation, or a dialect, of which any operation may be meant.
        """
        if self.absent:
            return any(_is_part(created, name) for name in self.absent)
        return bool(self.only) and not any(
            _overlap(created, each) for each in self.only
        )

    def is_kept_by(self, created: Iterable[str]) -> bool:
        """Return whether it is kept if no more is created than `created` names."""
        return bool(self.absent) and not any(
            _overlap(each, name) for each in created for name in self.absent
        )


def _is_part(name: str, whole: str) -> bool:
    """Return whether `name` is the operation or dialect `whole`, or of that dialect."""
    return whole in {name, name.partition(".")[0]}


def _overlap(first: str, second: str) -> bool:
    return _is_part(first, second) or _is_part(second, first)


Promise: TypeAlias = Literal["gives", "keeps", "breaks", "creates"]
"""The key by which a pass says what becomes of a form."""


@dataclass(frozen=True)
class FormRules:
    """The forms that must hold before a pass, and those that hold after it.

    What it neither gives nor keeps is unknown; what it breaks is not guaranteed.
    """

    needs: tuple[Form, ...] = ()
    gives: tuple[Form, ...] = ()
    keeps: tuple[Form, ...] = ()
    breaks: tuple[Form, ...] = ()
    creates: tuple[str, ...] | None = None
    """All operations and dialects that it may create; `None`: unknown."""

    def __post_init__(self) -> None:
        """Refuse a text as names, which would be its letters.

        Raises:
            TypeError: there is one.
        """
        refuse_text(self, "needs", "gives", "keeps", "breaks", "creates")

    def promise(self, form: Form) -> Promise | None:
        """Return by which key it says what becomes of `form`; `None`: by no key.

        By `creates` it says that the form is kept.
        """
        if form in self.breaks:
            return "breaks"
        if form in self.gives:
            return "gives"
        if form in self.keeps:
            return "keeps"
        is_kept = self.creates is not None and form.is_kept_by(self.creates)
        return "creates" if is_kept else None

    def makes(self, form: Form) -> bool:
        """Return whether it gives `form` to IR that does not have it."""
        return form in self.gives and form not in self.needs


NO_FORMS: Final = FormRules()

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
    # Without this, the operation of the step says nothing of those in `nest`.
    is_linked = form.is_inherited or len(step.nest) == len(nest)
    if promise == "breaks" and is_linked:
        return FormEffect.BREAKS
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
