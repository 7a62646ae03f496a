"""The pass since which a module has more operations, or a statistic counts more."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from passgen_runtime.extensions.bisect.search import BisectError
from passgen_runtime.extensions.record import (
    Execution,
    RecordedSteps,
    RecordError,
    Step,
)


@dataclass(frozen=True, slots=True)
class Growth:
    """The first step after which a number is above its limit."""

    step: Step
    before: int
    after: int
    execution: Execution
    """That on the operation that has grown most."""

    by: int
    """What this execution has added."""


def first_growth(
    steps: RecordedSteps, statistic: str | None = None, limit: int | None = None
) -> Growth | None:
    """Return the first step after which a number is above a limit, if there is one.

    Args:
        steps: of a run.
        statistic: the name of the statistic, which is summed over the steps. By
            default, the number is that of the operations in the module.
        limit: by default the number before the first pass, which is 0 for a statistic.

    Raises:
        BisectError: no pass has this statistic, or the number was above the limit
            from the beginning.
    """
    counts = _statistic(steps, statistic) if statistic else None
    before = _num_operations(steps, 0) if counts is None else 0
    for step in steps.steps:
        by, after = _growth_in(steps, step, counts, before)
        limit = before if limit is None else limit
        if after is not None and limit is not None and after > limit:
            if before is None or before > limit:
                message = f"the number is above {limit} from the beginning"
                raise BisectError(message)
            execution = max(by, key=by.__getitem__)
            return Growth(step, before, after, execution, by[execution])
        before = before if after is None else after
    return None


def _growth_in(
    steps: RecordedSteps, step: Step, counts: Counter[int] | None, before: int | None
) -> tuple[dict[Execution, int], int | None]:
    """Return what each call of a pass adds to the number, and the number after all."""
    if counts is not None:
        added = {execution: counts[execution.id] for execution in step.executions}
        return added, (before or 0) + sum(added.values())
    return (
        {execution: _growth(steps, execution) for execution in step.changes},
        _num_operations(steps, step.number),
    )


def _statistic(steps: RecordedSteps, name: str) -> Counter[int]:
    """Return the counts of a statistic by execution, those of inner passes included."""
    rows = steps.record.rows(
        "WITH RECURSIVE outer (id, inner_id) AS (SELECT id, id FROM execution"
        " WHERE parent_id IS NULL UNION SELECT outer.id, execution.id FROM execution"
        " JOIN outer ON parent_id = inner_id)"
        " SELECT outer.id, sum(value) FROM statistic"
        " JOIN outer ON inner_id = execution_id WHERE name = ? GROUP BY outer.id",
        name,
    )
    if not rows:
        names = steps.record.rows("SELECT DISTINCT name FROM statistic ORDER BY name")
        known = ", ".join(row["name"] for row in names) or "none"
        message = f"no pass counts '{name}'"
        raise BisectError(f"{message}\nnote: the record has {known}")
    return Counter(dict(map(tuple, rows)))


def _num_operations(steps: RecordedSteps, number: int) -> int | None:
    """Return the number in the module after a step, if the record shows that."""
    try:
        return steps.num_operations(steps.states_after(number))
    except RecordError:
        return None


def _growth(steps: RecordedSteps, execution: Execution) -> int:
    if execution.before_id is None or execution.after_id is None:
        return 0
    return steps.sizes[execution.after_id] - steps.sizes[execution.before_id]
