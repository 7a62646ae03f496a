"""The first pass that brings the number of operations or a statistic above a limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from passgen_tools.bisect.search import BisectError
from passgen_tools.record import Execution, RecordedSteps, Step


@dataclass(frozen=True, slots=True)
class Growth:
    """The first step after which a number is above its limit."""

    step: Step
    before: int
    after: int
    execution: Execution
    """The execution on the operation that has grown most."""

    by: int
    """The number that this execution has added."""


def first_growth(
    steps: RecordedSteps, statistic: str | None = None, limit: int | None = None
) -> Growth | None:
    """Return the first step after which a number is above a limit, if there is one.

    Args:
        steps: the steps of a run.
        statistic: the name of a statistic, whose sum over the steps is the number. By
            default, it is the number of operations in the module.
        limit: by default, the number before the first pass, which is 0 for a statistic.

    Raises:
        BisectError: no pass has this statistic, or the number is above the limit
            before the first pass.
    """
    number, added = 0, _counts(steps, statistic) if statistic else {}
    if not statistic:
        number, added = _growth(steps)
    if limit is None:
        limit = number
    elif number > limit:
        message = f"the number is above {limit} from the beginning: it is {number}"
        raise BisectError(message)
    for step in steps.steps:
        by = {execution: added.get(execution.id, 0) for execution in step.executions}
        after = number + sum(by.values())
        if after > limit:
            execution = max(by, key=by.__getitem__)
            return Growth(step, number, after, execution, by[execution])
        number = after
    return None


def _counts(steps: RecordedSteps, statistic: str) -> Mapping[int, int]:
    """Return the counts of a statistic by outermost execution, inner ones added."""
    counts = steps.record.counts_of(statistic)
    if not counts:
        names = sorted({count.name for count in steps.record.counts})
        known = ", ".join(names) or "none"
        message = f"no pass counts '{statistic}'\nnote: the record has {known}"
        raise BisectError(message)
    return counts


def _growth(steps: RecordedSteps) -> tuple[int, Mapping[int, int]]:
    """Return the number of operations in the input, and what each execution adds."""
    sizes: dict[int | None, int] = dict(steps.record.num_operations.items())
    added = {
        execution.id: sizes[execution.after_id] - sizes[execution.before_id]
        for step in steps.steps
        for execution in step.changes
        if execution.before_id is not None and execution.after_id is not None
    }
    if steps.before_id is not None:
        return sizes[steps.before_id], added
    return sizes.get(steps.after_id, 0) - sum(added.values()), added
