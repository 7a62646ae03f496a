"""The search for the pass, and the operation, that made good IR bad.

The step is searched first, by judging the modules between steps. Then the operation is
searched, by judging mixed modules: some of the operations that the step has changed are
taken from after the step, the others from before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from passgen_tools.bisect.search import BisectError, FlakyCheckError, Search, find_ends
from passgen_tools.check_command import Verdict
from passgen_tools.record import (
    Execution,
    IRStates,
    MissingResourceError,
    RecordedSteps,
    RecordError,
    Step,
    inner_path,
    replace_states,
)

_NUM_CONFIRMATIONS: Final = 3
"""A check that guesses passes all confirmations in about one of 1,000 bisections."""

_MAX_SKIPPED_MIXTURES: Final = 3


class State(NamedTuple):
    """A module that is judged."""

    label: str
    text: str
    is_mixed: bool = False
    """Whether the run never had this module; it is verified before it is judged."""


Judge: TypeAlias = Callable[[State], Verdict]

Verify: TypeAlias = Callable[[str], str]
"""Returns the reason why a module is not valid; an empty text if it is valid."""


class Part(NamedTuple):
    """An operation that a step has changed."""

    path: str
    before_id: int
    after_id: int
    execution: Execution


@dataclass(frozen=True, slots=True)
class Culprit:
    """The pass that made good IR bad."""

    step: Step
    part: Part | None
    """The operation that the pass made bad, if known."""

    note: str
    """A remark about the operation, e.g. why none is named."""

    before: str
    """A good module."""

    after: str
    """The module after the pass, which is bad."""


def find_culprit(steps: RecordedSteps, judge: Judge, verify: Verify) -> Culprit:
    """Return the pass, and if possible the operation, that made good IR bad.

    Args:
        steps: the steps of a run.
        judge: judges modules.
        verify: verifies mixed modules.

    Raises:
        BisectError: there is no culprit, or it cannot be found.
    """
    step = _StepSearch(steps, judge).run()
    before = steps.states_after(step.number - 1)
    after = steps.states_after(step.number)
    whole = Culprit(step, None, "", steps.text(before), steps.text(after))
    parts = _changed_parts(steps, step)
    culprit = whole
    if len(parts) == 1:
        culprit = replace(whole, part=parts[0])
    elif parts:
        culprit = _PartSearch(steps, judge, whole, before, parts).run(verify)
    name = _name(culprit)
    good = State(f"before {name}", culprit.before), "good"
    bad = State(f"after {name}", culprit.after), "bad"
    confirmations = [good, bad] * _NUM_CONFIRMATIONS + [good] * (len(parts) > 1)
    if any(judge(state) != verdict for state, verdict in confirmations):
        message = (
            f"the check is not deterministic: it judged the IR around {name}"
            " differently when it was asked again"
        )
        raise FlakyCheckError(f"{message}\nnote: no pass is accused")
    return culprit


class _StepSearch:
    """The search for the step that made good IR bad."""

    def __init__(self, steps: RecordedSteps, judge: Judge) -> None:
        self._steps = steps
        self._judge_state = judge
        completed = steps.steps[: steps.completed]
        self._numbers = [0, *(step.number for step in completed if step.changes)]
        for end in (0, -1):  # a log may not show the input
            while self._numbers and self._text(self._numbers[end]) is None:
                self._numbers.pop(end)
        if not any(step.changes for step in completed):
            raise BisectError(f"no pass has changed the IR in '{steps.record.path}'")
        if len(self._numbers) < 2:  # noqa: PLR2004 - before and after a step
            message = f"'{steps.record.path}' has no module before and after a pass"
            notes = (
                "of a log, record one with --mlir-print-ir-before-all and"
                " --mlir-print-ir-after-all"
            )
            raise BisectError(f"{message}\nnote: {notes}")

    def run(self) -> Step:
        last = len(self._numbers) - 1
        shown = "the culprit is not in this run"
        if self._numbers[0]:
            shown = "the record shows no IR from before that"
        verdicts = find_ends(self._judge, last)
        self._check_end(verdicts, 0, "good", shown)
        self._check_end(verdicts, last, "bad", "there is nothing to find")
        search = Search(self._judge, last, verdicts)
        if not search.run():
            steps = [
                self._steps.steps[self._numbers[index] - 1].name
                for index in range(search.good + 1, search.bad + 1)
            ]
            message = "the check cannot judge the IR between some passes"
            raise BisectError(f"{message}\nnote: it is one of {', '.join(steps)}")
        if search.contradiction() is not None:
            lines = [
                f"note: {verdict} {self._label(index)}"
                for index, verdict in sorted(search.verdicts.items())
                if verdict != "skip"
            ]
            message = "good and bad alternate more than once: no pass is accused"
            raise FlakyCheckError("\n".join((message, *lines)))
        return self._steps.steps[self._numbers[search.bad] - 1]

    def _check_end(
        self,
        verdicts: Mapping[int, Verdict],
        index: int,
        expected: Verdict,
        otherwise: str,
    ) -> None:
        """Check that an end is as expected, or a state near it if it is not judged.

        Raises:
            BisectError: the end is not as expected, or no state is.
        """
        verdict = verdicts[index]
        if verdict == "skip" and expected not in verdicts.values():
            num_others = sum(verdict != "skip" for verdict in verdicts.values())
            message = f"the check cannot judge the IR {self._label(index)}"
            others = "it can judge no other IR"
            if num_others:
                others = f"none of the other IR that it can judge is {expected}"
            note = "--lower=PIPELINE brings all IR into a form that it can judge"
            raise BisectError(f"{message}\nnote: {others}\nnote: {note}")
        if verdict not in {expected, "skip"}:
            raise BisectError(f"the IR {self._label(index)} is {verdict}: {otherwise}")

    def _judge(self, index: int) -> Verdict:
        text = self._text(self._numbers[index])
        if text is None:
            return "skip"
        return self._judge_state(State(self._label(index), text))

    def _text(self, number: int) -> str | None:
        try:
            return self._steps.text(self._steps.states_after(number))
        except MissingResourceError:  # of all other states too
            raise
        except RecordError:
            return None

    def _label(self, index: int) -> str:
        number = self._numbers[index]
        if number == 0:
            return "before the first pass"
        steps = self._steps.steps
        return f"after {steps[number - 1].name} (step {number} of {len(steps)})"


@dataclass(frozen=True, slots=True)
class _PartSearch:
    """The search for the operation among those that a step has changed."""

    _steps: RecordedSteps
    _judge_state: Judge
    _whole: Culprit
    _before: IRStates
    _parts: Sequence[Part]

    def run(self, verify: Verify) -> Culprit:
        whole, parts = self._whole, self._parts
        problem = verify(whole.after)
        if problem:
            note = f"no operation is named: the driver cannot verify the IR: {problem}"
            return replace(whole, note=note)
        search = Search(
            lambda number: self._judge(
                f"with the first {number} of {len(parts)} operations", parts[:number]
            ),
            len(parts),
        )
        if not search.run(max_skips=_MAX_SKIPPED_MIXTURES):
            note = (
                "no operation is named: a module with some operations from before the"
                " pass, and others from after it, cannot be judged"
            )
            return replace(whole, note=note)
        part = parts[search.bad - 1]
        found = replace(whole, part=part)
        if self._judge(f"with {part.path} alone", [part]) == "bad":
            return replace(found, after=self._text([part]))
        return replace(
            found,
            note="it is bad only together with other operations of the pass",
            before=self._text(parts[: search.good]),
            after=self._text(parts[: search.bad]),
        )

    def _judge(self, label: str, parts: Sequence[Part]) -> Verdict:
        name = self._whole.step.name
        try:
            text = self._text(parts)
        except MissingResourceError:
            raise
        except RecordError:  # two contents of one resource
            return "skip"
        state = State(f"after {name} {label}", text, is_mixed=True)
        return self._judge_state(state)

    def _text(self, parts: Sequence[Part]) -> str:
        changed = {part.path: part.after_id for part in parts}
        return self._steps.text(replace_states(self._before, changed))


def _changed_parts(steps: RecordedSteps, step: Step) -> list[Part]:
    """Return the innermost operations that `step` has changed, in order."""
    children = steps.record.children

    def parts_in(part: Part) -> Iterator[Part]:
        before = children.get(part.before_id, {})
        after = children.get(part.after_id, {})
        is_same_around = before.keys() == after.keys() and steps.record.has_same_shell(
            part.before_id, part.after_id
        )
        if not before or not is_same_around:
            yield part
            return
        for name, child in before.items():
            if child != after[name]:
                path = inner_path(part.path, name)
                yield from parts_in(Part(path, child, after[name], part.execution))

    return [
        part
        for call in step.changes
        if call.before_id is not None and call.after_id is not None
        for part in parts_in(Part(call.operation, call.before_id, call.after_id, call))
    ]


def _name(culprit: Culprit) -> str:
    where = "" if culprit.part is None else f" on {culprit.part.path}"
    return f"{culprit.step.name}{where}"
