"""Declared pipelines as steps for `passgen_rules.form_judgement`, with places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from passgen.checks.pipelines.conditions import (
    ConditionPlace,
    FlatInclusion,
    FlatPass,
    flatten,
    nest_of,
)
from passgen.checks.pipelines.references import KnownPasses
from passgen.model import Name, PassGroup, Pipeline
from passgen.passgen_rules.forms import Form, FormRules
from passgen.passgen_rules.sequence import ALWAYS, Domains, Guard, Nest
from passgen.source import Location


@dataclass(frozen=True)
class FormStep:
    """A pass, or an included pipeline at its end."""

    source: FlatPass | FlatInclusion
    forms: FormRules
    index: int
    """The index of the pass, or of the last one that the pipeline has."""

    @property
    def is_pass(self) -> bool:
        """Whether it is a pass."""
        return isinstance(self.source, FlatPass)

    @property
    def guard(self) -> Guard:
        """The case in which it is present."""
        return self.source.guard

    @property
    def nest(self) -> Nest:
        """The operations that it is nested on."""
        return self.source.nest

    @property
    def is_open(self) -> bool:
        """Whether it may do to forms what it does not declare."""
        return self.source.is_open


@dataclass(frozen=True)
class Moment:
    """A place in a pipeline at which a form has to hold."""

    what: str
    """The pass or pipeline that says so."""

    place: ConditionPlace
    guard: Guard
    nest: Nest
    num_earlier: int
    """The number of passes before it."""


class FormSequence:
    """The passes and included pipelines of one pipeline, in order."""

    def __init__(
        self,
        pipeline: Pipeline,
        group: PassGroup,
        others: Sequence[PassGroup],
        known: KnownPasses,
    ) -> None:
        """Collect the steps of `pipeline`.

        Args:
            pipeline: the pipeline.
            group: the group that declares it.
            others: the groups whose passes it names, maybe with the same forms.
            known: the passes that it may name.
        """
        self.pipeline = pipeline
        self.what = f"pipeline '{pipeline.argument}'"
        self.flat = flatten(pipeline, group, known)
        self.known_forms = known_forms(group, others)
        self.steps: list[FormStep] = []
        self._num_steps = [0]
        for index, pass_ in enumerate(self.flat.passes):
            ended: list[FlatPass | FlatInclusion] = [pass_, *self._ended_by(index)]
            for source in ended:
                rules = source.forms.meaning(self.known_forms)
                self.steps.append(FormStep(source, rules, index))
            self._num_steps.append(len(self.steps))

    def _ended_by(self, index: int) -> Iterator[FlatInclusion]:
        """Yield the pipelines whose last pass has this index, the innermost first."""
        for included in reversed(self.flat.inclusions):
            if included.num_earlier <= index == included.end - 1:
                yield included

    @property
    def domains(self) -> Domains:
        """The values that each option of the pipeline can have."""
        return self.flat.domains

    def form(self, name: Name) -> Form:
        """Return the form called `name`; of an external one only the name is known."""
        return self.known_forms.get(name.name, Form(name.name))

    def before(self, moment: Moment) -> list[FormStep]:
        """Return the steps that end before `moment`."""
        return self.steps[: self._num_steps[moment.num_earlier]]

    def after(self, moment: Moment) -> list[FormStep]:
        """Return the other steps."""
        return self.steps[self._num_steps[moment.num_earlier] :]

    def needs(self) -> Iterator[tuple[Moment, Name]]:
        """Yield the forms that passes and included pipelines need, and where."""
        for moment, included in self.starts():
            yield from ((moment, name) for name in included.forms.needs)
        for moment, pass_ in self.moments():
            yield from ((moment, name) for name in pass_.forms.needs)

    def starts(self) -> Iterator[tuple[Moment, FlatInclusion]]:
        """Yield the moments at which included pipelines begin."""
        for included in self.flat.inclusions:
            what = f"pipeline '{included.argument}'"
            place, guard, nest = included.place, included.guard, included.nest
            yield Moment(what, place, guard, nest, included.num_earlier), included

    def moments(self) -> Iterator[tuple[Moment, FlatPass]]:
        """Yield the moments before passes."""
        for index, pass_ in enumerate(self.flat.passes):
            what = f"pass '{pass_.argument}'"
            yield Moment(what, pass_.place, pass_.guard, pass_.nest, index), pass_

    @property
    def end(self) -> Moment:
        """The moment after all passes."""
        place = ConditionPlace(self.pipeline.location, self.pipeline.location)
        num_passes = len(self.flat.passes)
        return Moment(self.what, place, ALWAYS, nest_of(self.pipeline), num_passes)


def known_forms(group: PassGroup, others: Sequence[PassGroup]) -> Mapping[str, Form]:
    """Return the forms that `group` and `others` declare, by name."""
    return {
        form.name: form.meaning
        for spec in (*others, group)
        for form in spec.forms
        if not form.python
    }


def place_in(names: Sequence[Name], name: str) -> Location:
    """Return the place of the one of `names` that is `name`."""
    return next(each.location for each in names if each.name == name)
