"""The steps of a recorded run, and the IR of the whole module after each of them.

A step is a pass at one place of the pipeline, with all operations that it ran on.
Nested pipelines run on one operation after the other, so the module after such a step
never existed: it is combined from the states of its operations.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from passgen_runtime.errors import nearest_note
from passgen_tools.record.executions import Execution
from passgen_tools.record.operation_paths import is_outermost
from passgen_tools.record.record_check import report_damage
from passgen_tools.record.record_file import RecordError
from passgen_tools.record.run_record import RunRecord

_MAX_LISTED: Final = 20

_NUMBER: Final = re.compile(r"\[(\d+)\](?=/|$)")

IRStates = Mapping[str, int]
"""The states that form a module, by the paths of operations, the outermost first."""


def replace_states(states: IRStates, others: IRStates) -> IRStates:
    """Return `states` with those in `others`, which replace all states inside them."""

    def is_inside(path: str) -> bool:
        around, _, _ = path.rpartition("/")
        return bool(around) and (around in others or is_inside(around))

    kept = {path: state for path, state in states.items() if not is_inside(path)}
    return {**kept, **others}


@dataclass(frozen=True, slots=True)
class Step:
    """A pass at one place of the pipeline."""

    number: int
    """The place in the order of the pipeline, from 1."""

    name: str
    """The argument of the pass, and its number among equal ones: `cse#2`."""

    executions: tuple[Execution, ...]

    @property
    def argument(self) -> str:
        """The argument of the pass."""
        return self.name.rpartition("#")[0]

    @property
    def path(self) -> str:
        """The place in the pipeline: `builtin.module/func.func[1]/cse[0]`."""
        return self.executions[0].path

    @property
    def text(self) -> str:
        """The pass with its options, as a pipeline shows it."""
        return self.executions[0].text

    @property
    def changes(self) -> tuple[Execution, ...]:
        """The executions that may have changed something."""
        return tuple(
            execution
            for execution in self.executions
            if execution.before_id is None or execution.before_id != execution.after_id
        )


def _executions_of(steps: Iterable[Step]) -> list[Execution]:
    """Return the executions of `steps` in order."""
    return [execution for step in steps for execution in step.executions]


def _no_such_run(run_id: int | None, known: Sequence[int]) -> str:
    """Return the end of an error message for a run that is not among `known`."""
    if not known:
        return "has no run: its process ended before the first one began"
    numbers = ", ".join(map(str, known))
    if run_id is None:
        return f"has {len(known)} runs, expected one, e.g. --run={known[0]}: {numbers}"
    if len(known) == 1:
        return f"has no run {run_id}, only run {numbers}"
    return f"has no run {run_id}, expected one of {numbers}"


class RecordedSteps:
    """The steps of one run of a record."""

    def __init__(self, record: RunRecord, run_id: int | None = None) -> None:
        """Read the steps of the run; `run_id` may be left out if there is only one.

        Raises:
            RecordError: the record has no such run, several, or one without passes.
        """
        self.record = record
        runs = {run.id: run for run in record.runs}
        if run_id is None and len(runs) == 1:
            (run_id,) = runs
        if run_id not in runs:
            raise RecordError(f"'{record.path}' {_no_such_run(run_id, list(runs))}")
        self.run_id = run_id
        self.run = run = runs[run_id]
        self.pipeline = run.pipeline
        self.before_id, self.after_id = run.before_id, run.after_id
        root = record.operations.get(run.operation_id or 0)
        self.root = root.path if root else "builtin.module"
        with report_damage(record.path):  # an index may have thousands of digits
            self.steps = tuple(self._read_steps())
        if not self.steps:
            raise RecordError(f"no pass has run in '{record.path}'")

    def _read_steps(self) -> Iterator[Step]:
        by_path: dict[str, list[Execution]] = {}
        for call in self.record.executions:
            if call.run_id == self.run_id and call.id not in self.record.parents:
                by_path.setdefault(call.path, []).append(call)

        seen: dict[str, int] = {}

        def place(path: str) -> list[tuple[int, int]]:
            """Return a key that sorts paths by the pipeline, then by the run."""
            return [
                (int(number[1]), seen.setdefault(path[: number.end()], len(seen)))
                for number in _NUMBER.finditer(path)
            ]

        counts: dict[str, int] = {}
        for number, path in enumerate(sorted(by_path, key=place), 1):
            argument = path.rpartition("/")[2].rpartition("[")[0]
            counts[argument] = counts.get(argument, 0) + 1
            yield Step(number, f"{argument}#{counts[argument]}", tuple(by_path[path]))

    def find(self, name: str) -> Step:
        """Return the step called `name`: `cse`, `cse#2`, or its number.

        Raises:
            RecordError: there is none.
        """
        for step in self.steps:
            if name in {str(step.number), step.name, step.name.removesuffix("#1")}:
                return step
        names = [step.name for step in self.steps]
        listed = ", ".join(names[:_MAX_LISTED]) + ", ..." * (len(names) > _MAX_LISTED)
        notes = nearest_note(name, names) or (f"its steps are {listed}",)
        message = f"'{self.record.path}' has no step '{name}'"
        raise RecordError("\nnote: ".join((message, *notes)))

    @cached_property
    def completed(self) -> int:
        """The number of steps before the first that has failed or not ended."""
        for step in self.steps:
            if not all(execution.is_done for execution in step.executions):
                return step.number - 1
        return len(self.steps)

    @property
    def succeeded(self) -> list[Execution]:
        """The executions that have succeeded, in the order of the steps."""
        return [each for each in _executions_of(self.steps) if each.is_done]

    def states_after(self, number: int) -> IRStates:
        """Return the states after step `number`; 0 is for the input.

        Raises:
            RecordError: the record does not have all of them.
        """
        past, future = map(_executions_of, (self.steps[:number], self.steps[number:]))
        return self._states(past, future)

    def latest_states(self) -> IRStates:
        """Return the states after all passes that have succeeded.

        Raises:
            RecordError: the record does not have all of them.
        """
        return self._states(self.succeeded, ())

    def _states(
        self, past: Collection[Execution], future: Collection[Execution]
    ) -> IRStates:
        states: dict[str, int | None] = {}
        if self.before_id is not None:
            states[self.root] = self.before_id
        for execution in past:
            path = self._path(execution)
            if path == self.root:
                states.clear()
            elif path in self._parents:
                for inner in [*states]:
                    if inner.startswith(f"{path}/"):
                        del states[inner]
            states[path] = execution.after_id
        if self.root not in states:
            self._add_later_states(states, future)
        unknown = [path for path, state in states.items() if state is None]
        if self.root not in states or unknown:
            what = unknown[0] if unknown else self.root
            message = f"'{self.record.path}' does not show the IR of {what} there"
            raise RecordError(message)
        known = {path: state for path, state in states.items() if state is not None}
        return {self.root: known.pop(self.root), **known}

    def _add_later_states(
        self, states: dict[str, int | None], future: Collection[Execution]
    ) -> None:
        """Add the inputs of later passes: a log shows only operations of passes.

        Operations that no earlier pass ran on are unchanged in those inputs.
        """
        for execution in future:
            path = self._path(execution)
            if path == self.root:
                states[path] = execution.before_id
                return
            states.setdefault(path, execution.before_id)
        if self.after_id is not None:
            states[self.root] = self.after_id

    @cached_property
    def _parents(self) -> set[str]:
        """The paths of all parents of operations that passes ran on."""
        parents: set[str] = set()
        for execution in _executions_of(self.steps):
            path = execution.operation.rpartition("/")[0]
            while path and path not in parents:
                parents.add(path)
                path = path.rpartition("/")[0]
        return parents

    def _path(self, execution: Execution) -> str:
        return self.root if is_outermost(execution.operation) else execution.operation

    def text(self, states: IRStates) -> str:
        """Return the text of the module that consists of `states`, with its resources.

        Raises:
            MissingResourceError: the record lacks a resource.
            RecordError: `states` has an operation that is not in the module.
        """
        missing = set(states)
        joined = self.record.joined(states[self.root], states, self.root, missing)
        if missing:
            message = f"{min(missing)} is not in the module around it: it was renamed"
            raise RecordError(message)
        return self.record.complete(joined, self.run_id)
