"""The first difference of two recorded runs: a pass with equal input, other output."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from passgen_tools.record import (
    VERSION_WITHOUT_RESOURCES,
    Execution,
    RecordedSteps,
    RecordError,
    RunRecord,
)
from passgen_tools.report import report_data


@dataclass(frozen=True, slots=True)
class Difference:
    """The first call of a pass in which two runs differ."""

    operation: str
    old: Execution | None
    """The call of the pass in the first run; `None` if only the second one has it."""

    new: Execution | None
    old_text: str
    new_text: str
    has_known_input: bool = True
    """Whether the records show that both runs gave the pass the same IR."""


def first_difference(old: str | Path, new: str | Path) -> Difference | None:
    """Return the first pass with equal input and different output, if there is one.

    If both calls of the result are `None`, the inputs of the runs differ.

    Args:
        old: the path of the first record.
        new: the path of the second record.

    Raises:
        RecordError: a file is not a record, or has no run.
    """
    _check_runs(old, new)
    if found := _external_difference(RunRecord(old), RunRecord(new)):
        return found
    comparison = report_data(old, new, with_times=False)["comparison"]
    first = comparison["firstDivergence"]
    first_record, second_record = RunRecord(old), RunRecord(new)
    # A report has the executions of both records in one list.
    executions = [*first_record.executions, *second_record.executions]
    if first is not None and first["executions"] is None:
        operation: str = first["operation"]
        differing = _different_input(first_record, second_record, operation)
        if differing is not None:
            return differing
        first = None  # equal inputs, which two logs show as a module and as functions
    has_known_input = first is not None
    if first is None:
        # A log without IR before passes: take the first pass with different output.
        pairs = [pair for row in comparison["passes"] for pair in row["executions"]]
        if not pairs:
            return None
        known = next(at for at in pairs[0] if at is not None)
        first = {"operation": executions[known].operation, "executions": pairs[0]}
    operation = first["operation"]
    places = first["executions"]
    old_call, new_call = (None if at is None else executions[at] for at in places)
    if not has_known_input and old_call is not None and new_call is not None:
        old_text = first_record.shown_ir(old_call.before_id)
        new_text = second_record.shown_ir(new_call.before_id)
        if old_text and new_text and old_text != new_text:
            return Difference(operation, None, None, old_text, new_text)
    # A run without the pass keeps the IR before it.
    old_text = new_text = ""
    if old_call is not None:
        old_text = first_record.shown_ir(old_call.after_id)
        new_text = first_record.shown_ir(old_call.before_id)
    if new_call is not None:
        new_text = second_record.shown_ir(new_call.after_id)
        old_text = old_text or second_record.shown_ir(new_call.before_id)
    calls = old_call, new_call
    return Difference(operation, *calls, old_text, new_text, has_known_input)


def _check_runs(*paths: str | Path) -> None:
    for path in paths:
        record = RunRecord(path)
        if not record.runs:
            RecordedSteps(record)  # raises the error that gives the reason


def _external_difference(old: RunRecord, new: RunRecord) -> Difference | None:
    """Return the difference of the resources that no dialect owns, if there is one."""
    if VERSION_WITHOUT_RESOURCES in {old.version, new.version}:
        return None
    for old_run, new_run in zip(old.runs, new.runs, strict=False):
        old_text, new_text = (
            record.shown_external_resources(run.id)
            for record, run in ((old, old_run), (new, new_run))
        )
        if old_text != new_text and old_run.process_id and new_run.process_id:
            root = RecordedSteps(new, new_run.id).root
            return Difference(root, None, None, old_text, new_text)
    return None


def _different_input(
    old: RunRecord, new: RunRecord, operation: str
) -> Difference | None:
    """Return the difference of an operation in the input of two runs, if it differs.

    A record has a run for each part of a split input.
    """
    has_parts = len(old.runs) > 1 or len(new.runs) > 1
    for number, runs in enumerate(zip_longest(old.runs, new.runs), start=1):
        old_text, new_text = (
            "" if run is None else _input(record, operation, run.id)
            for record, run in zip((old, new), runs, strict=True)
        )
        if old_text != new_text or not (old_text or has_parts):
            subject = f"{operation} of run {number}" if has_parts else operation
            return Difference(subject, None, None, old_text, new_text)
    return None


def _input(record: RunRecord, operation: str, run_id: int) -> str:
    """Return the text of an operation in the input of a run; empty if it has none."""
    steps = RecordedSteps(record, run_id)
    try:
        states = steps.states_after(0)
    except RecordError:  # a log that shows no module
        calls = (call for call in record.executions if call.operation == operation)
        return record.shown_ir(next((call.before_id for call in calls), None))
    parts = {**record.parts(steps.root, states[steps.root]), **states}
    return record.shown_ir(parts.get(operation))
