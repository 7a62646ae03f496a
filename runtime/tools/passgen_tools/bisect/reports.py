"""The reports that `passgen-bisect` prints at its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from passgen_tools.bisect.culprit import Culprit
from passgen_tools.bisect.difference import Difference
from passgen_tools.bisect.driver_command import DriverCommand
from passgen_tools.bisect.reproduction import Reproduction, reduce_command
from passgen_tools.check_command import CheckCommand
from passgen_tools.ir_diff import ir_diff
from passgen_tools.record import RecordedSteps

_MAX_LINES: Final = 60

Commands: TypeAlias = tuple[DriverCommand, CheckCommand, str, str]
"""The driver, the check, the pipeline that lowers its input, and the reproducer."""


def culprit_object(
    steps: RecordedSteps,
    culprit: Culprit,
    reproduction: Reproduction,
    num_checks: int,
    commands: Commands,
) -> dict[str, object]:
    """Return what `culprit_report` says, for programs; what is unknown is `None`."""
    step, part = culprit.step, culprit.part
    before, after = culprit.before, culprit.after
    if part is not None:
        before, after = map(steps.record.shown_ir, (part.before_id, part.after_id))
    driver, check, lower, path = commands
    small = None if reproduction.problem else reduce_command(path, check, driver, lower)
    return {
        "argument": step.argument,
        "pass": step.text,
        "path": step.path,
        "step": step.number,
        "numSteps": len(steps.steps),
        "numChecks": num_checks,
        "operation": None if part is None else part.path,
        "location": None if part is None else _location(steps, part.path) or None,
        "rewrite": reproduction.rewrite or None,
        "note": culprit.note or None,
        "scope": reproduction.scope or None,
        "diff": ir_diff(before, after),
        "reproducer": path,
        "command": driver.command_for(path, "--run-reproducer"),
        "unconfirmed": reproduction.problem or None,
        "reduceCommand": small,
    }


def difference_object(difference: Difference | None, command: str) -> dict[str, object]:
    """Return what `difference_report` says, for programs; what is unknown is `None`."""
    if difference is None:
        return {"areEqual": True}
    old, new = difference.old, difference.new
    known = new or old
    return {
        "areEqual": False,
        "operation": difference.operation,
        "pass": None if known is None else known.text,
        "path": None if known is None else known.path,
        "isInFirst": old is not None,
        "isInSecond": new is not None,
        "hasKnownInput": difference.has_known_input,
        "diff": ir_diff(difference.old_text, difference.new_text),
        "command": command or None,
    }


def culprit_report(
    steps: RecordedSteps,
    culprit: Culprit,
    reproduction: Reproduction,
    num_checks: int,
    commands: Commands,
) -> str:
    """Return the facts about a culprit, and commands that repeat and reduce it."""
    step, part = culprit.step, culprit.part
    checks = "1 check" if num_checks == 1 else f"{num_checks} checks"
    place = f"step {step.number} of {len(steps.steps)}, after {checks}"
    lines = [f"{step.argument} made good IR bad ({place})"]
    lines += _facts([("pass", step.text), ("path", step.path)])
    if part is None:
        diff = ir_diff(culprit.before, culprit.after)
    else:
        location = _location(steps, part.path)
        lines += _facts([("operation", part.path), ("location", location)])
        diff = ir_diff(*map(steps.record.shown_ir, (part.before_id, part.after_id)))
    lines += _facts([("rewrite", reproduction.rewrite), ("note", culprit.note)])
    lines += _facts([("reproducer", reproduction.scope)])
    lines += ["", *_clip(diff), ""]
    driver, check, lower, path = commands
    lines += [
        f"reproducer: {path}",
        f"  {driver.command_for(path, '--run-reproducer')}",
    ]
    if reproduction.problem:
        lines += [f"it is not confirmed: {reproduction.problem}"]
    else:
        small = reduce_command(path, check, driver, lower)
        lines += ["to make it small:", f"  {small}"]
    return "\n".join((*lines, ""))


def difference_report(difference: Difference, command: str) -> str:
    """Return the first difference of two runs, and a command that repeats its pass."""
    old, new = difference.old, difference.new
    known = new or old
    lines = [f"the inputs differ in {difference.operation}"]
    if known is not None:
        why = "both runs gave it the same IR, and the results differ"
        if not difference.has_known_input:
            why = "the results differ, and no dump shows its input"
        elif old is None or new is None:
            why = f"only the {'first' if new is None else 'second'} run has it there"
        lines = [f"first difference: {known.text} on {difference.operation}: {why}"]
        lines += _facts([("path", known.path)])
        if old is not None and new is not None and old.text != new.text:
            lines += _facts([("before", old.text)])
    lines += ["", *_clip(ir_diff(difference.old_text, difference.new_text)), ""]
    if command:
        lines += ["to repeat the pass:", f"  {command}"]
    return "\n".join((*lines, ""))


def _facts(facts: Sequence[tuple[str, str]]) -> Iterator[str]:
    return (f"  {name:<10} {text}" for name, text in facts if text)


def _clip(diff: str) -> list[str]:
    lines = diff.splitlines()
    more = len(lines) - _MAX_LINES
    omitted = "1 more line" if more == 1 else f"{more} more lines"
    return lines if more <= 0 else [*lines[:_MAX_LINES], f"({omitted})"]


def _location(steps: RecordedSteps, path: str) -> str:
    """Return the location of an operation; empty if no pass ran on it."""
    for operation in steps.record.operations.values():
        if (operation.run_id, operation.path) == (steps.run_id, path):
            return operation.location
    return ""
