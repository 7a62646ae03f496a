"""The executions of passes in a record, and the changes that they make."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from math import inf

from passgen_tools.record.record_reader import RecordReader
from passgen_tools.record.tables import (
    RecordedExecution,
    RecordedOperation,
    RecordedPass,
)


@dataclass(frozen=True, slots=True)
class Execution:
    """One call of a pass on an operation."""

    id: int
    run_id: int
    path: str
    """E.g. `builtin.module/func.func[1]/cse[0]`."""

    text: str
    """The pass with its options, as a pipeline shows it."""

    operation: str
    """The path of the operation, e.g. `@outer/@f`."""

    status: str
    """`succeeded`, `skipped`, `failed`, or `running` if the pass has not ended."""

    wall_time_s: float | None
    before_id: int | None
    """`None` if a log of IR dumps does not show it."""

    after_id: int | None

    @property
    def is_done(self) -> bool:
        """Whether the pass has succeeded, or was skipped because it would."""
        return self.status in {"succeeded", "skipped"}

    @property
    def has_changed(self) -> bool:
        """Whether the record shows that the pass has changed the IR."""
        states = {self.before_id, self.after_id}
        return len(states) == 2 and None not in states  # noqa: PLR2004 - two states


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one operation by a pass."""

    operation: str
    execution: Execution
    is_certain: bool = True
    """False if a log does not show the IR before the pass: an earlier pass may be the
    cause.
    """


def executions_of(record: RecordReader) -> tuple[Execution, ...]:
    """Return all executions in `record`, in the order of one thread."""
    rows = [*record.begun_executions()]
    # Read after the executions, which refer to them: a run may add rows meanwhile.
    passes, operations = record.passes, record.operations
    executions = {
        row.id: _execution(row, passes[row.pass_id], operations[row.operation_id])
        for row in sorted(rows, key=_order)
    }
    # Logs of dumps have process 0; all of their passes ran in one thread.
    logs = {run.id for run in record.runs if run.process_id == 0}
    for number, after_id in _unwritten_ends(rows, logs).items():
        ended = replace(executions[number], status="succeeded", after_id=after_id)
        executions[number] = ended
    return tuple(executions.values())


def _order(row: RecordedExecution) -> tuple[int, float, int]:
    position = inf if row.position is None else row.position
    return row.run_id, position, row.id


def _execution(
    row: RecordedExecution, pass_: RecordedPass, operation: RecordedOperation
) -> Execution:
    return Execution(
        row.id,
        row.run_id,
        pass_.path,
        pass_.text,
        operation.path,
        row.status,
        None if row.end_s is None else row.end_s - row.begin_s,
        row.before_id,
        row.after_id,
    )


def _unwritten_ends(
    rows: Sequence[RecordedExecution], logs: Container[int]
) -> dict[int, int | None]:
    """Return the executions whose end was not written, and the IR after each.

    Ends are written in the order of one thread, so a killed process may lose those
    of other threads. An execution had ended if its thread began a later one. The IR
    after it is the input of the next pass on its operation, or unknown.

    Args:
        rows: the executions, in the order in which they began.
        logs: the runs whose executions are left out.
    """
    if all(row.status != "running" for row in rows):
        return {}
    active: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    last: dict[tuple[int, int, int | None], int] = {}
    ends: dict[int, int | None] = {}
    for row in rows:
        if row.run_id in logs:
            continue
        stack = active[row.run_id, row.thread]
        while stack and stack[-1] != row.parent_id:
            stack.pop()
        stack.append(row.id)
        place = row.run_id, row.operation_id, row.parent_id
        if (previous := last.get(place)) in ends:
            ends[previous] = row.before_id
        last[place] = row.id
        if row.status == "running":
            ends[row.id] = None
    for id_ in itertools.chain(*active.values()):
        ends.pop(id_, None)
    return ends
