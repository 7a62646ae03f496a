"""The forms of IR that hold between the boxes of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from passgen.checks import KnownPass
from passgen.model import (
    GIVES_NO_FORM,
    NO_FORMS,
    Bundle,
    Form,
    FormRules,
    Pipeline,
)
from passgen.passgen_rules.sequence import ANY_OPERATION
from passgen.site.pipeline_boxes import Box, FormState, HeldForm


@dataclass(frozen=True)
class _FormEffect:
    """The effect of a pass, or of an included pipeline, on forms."""

    rules: FormRules
    nest: tuple[str, ...]
    """The operations that it is nested on."""

    is_conditional: bool
    is_open: bool
    """Whether it may give a form that it does not name."""

    def state(
        self, form: Form, before: FormState | None, nest: tuple[str, ...]
    ) -> FormState | None:
        """Return the state of `form` for what runs in `nest`, `None` if unknown."""
        for own, other in zip(self.nest, nest, strict=False):
            if own != other and ANY_OPERATION not in {own, other}:
                return before
        is_around = self.nest == nest or (
            form.is_inherited and len(self.nest) < len(nest)
        )
        if form.name in map(str, self.rules.gives):
            if is_around and not self.is_conditional:
                return "holds"
            return "may be lost" if is_around or before == "holds" else None
        is_near = form.is_inherited or len(self.nest) == len(nest)
        is_broken = form.name in map(str, self.rules.breaks) and is_near
        if is_broken and not self.is_conditional:
            return "broken"
        if before == "holds" and not self._keeps(form):
            return "may be lost"
        return None if before == "broken" and self.is_open else before

    def _keeps(self, form: Form) -> bool:
        if form.name in map(str, (*self.rules.keeps, *self.rules.breaks)):
            return form.name in map(str, self.rules.keeps)
        created = self.rules.creates
        return (
            bool(form.absent)
            and created is not None
            and not any(
                f"{own}.".startswith(f"{name}.") or f"{name}.".startswith(f"{own}.")
                for own in created
                for name in form.absent
            )
        )


def with_forms(
    boxes: Sequence[Box],
    owner: Bundle | Pipeline,
    forms: Sequence[Form],
    known: Mapping[str, KnownPass],
) -> tuple[tuple[Box, ...], tuple[HeldForm, ...]]:
    """Return the boxes of `owner` with the forms before them, and the forms after all.

    `known` has the passes that the owner may name, by argument.
    """
    root: tuple[str, ...] = ()
    effects = []
    if isinstance(owner, Pipeline):
        root = (owner.operation,) if owner.operation else ()
        before = FormRules(gives=owner.forms.needs)
        effects.append(_FormEffect(before, root, is_conditional=False, is_open=False))
    drawn: list[Box] = []
    around: list[Box] = []
    for box in boxes:
        del around[box.line.depth :]
        nest = tuple(outer.line.nest for outer in around if outer.line.nest)
        called, added = box.line.pipeline, box.line.added_pass
        own, is_open = NO_FORMS, added not in GIVES_NO_FORM
        if called:
            own, is_open = called.forms, True  # its passes are drawn elsewhere
        elif added in known:
            own, is_open = known[added].constraints.forms, known[added].is_open
        held: tuple[HeldForm, ...] = ()
        if box.number:
            held = _known_forms(effects, forms, nest)
            is_conditional = any(outer.line.test for outer in around)
            effects.append(_FormEffect(own, nest, is_conditional, is_open))
        drawn.append(replace(box, forms=held))
        around.append(box)
    return tuple(drawn), _known_forms(effects, forms, root)


def _known_forms(
    effects: Sequence[_FormEffect], forms: Sequence[Form], nest: tuple[str, ...]
) -> tuple[HeldForm, ...]:
    """Return the forms with a known state after `effects`, for passes in `nest`."""
    found = []
    for form in forms:
        state: FormState | None = None
        for effect in effects:
            state = effect.state(form, state, nest)
        if state:
            found.append(HeldForm(form.name, state))
    return tuple(found)
