"""Bisection with a Python function, or with a check program and a driver."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from passgen_runtime.diagnostics import print_message
from passgen_tools.bisect.culprit import Culprit, State, find_culprit
from passgen_tools.bisect.driver_command import DriverCommand, check_library
from passgen_tools.check_command import CheckCommand, CheckError, Verdict
from passgen_tools.record import RecordedSteps, RunRecord


def bisect(
    record: RunRecord | str | Path,
    is_bad: Callable[[str], bool | None],
    *,
    is_valid: Callable[[str], bool] | None = None,
) -> Culprit:
    """Return the pass, and if possible the operation, that made good IR bad.

    Args:
        record: the record of one run.
        is_bad: judges the text of a module; returns `None` if it cannot.
        is_valid: verifies the text of a mixed module, with some operations from before
            a pass and others from after it. By default, the driver of the run verifies.

    Raises:
        BisectError: there is no culprit, or it cannot be found.
        RecordError: the record cannot be read, has several runs, or lacks IR.
    """
    if not isinstance(record, RunRecord):
        record = RunRecord(record)
    steps = RecordedSteps(record)
    check_library(steps)
    driver = DriverCommand.of_run(steps)

    def verify(text: str) -> str:
        if is_valid is None:
            return driver.run(text).problem
        return "" if is_valid(text) else "it is not valid"

    def judge(state: State) -> Verdict:
        text = state.text
        if state.is_mixed and verify(text):
            return "skip"
        found = is_bad(text)
        return "skip" if found is None else "bad" if found else "good"

    return find_culprit(steps, judge, verify)


class CheckJudge:
    """Lowers modules if asked to, judges them by a check, and prints the verdicts."""

    def __init__(self, check: CheckCommand, driver: DriverCommand, lower: str) -> None:
        """Judge by `check`; let `driver` run the pipeline `lower` before, if any."""
        self._check = check
        self._driver = driver
        self._lower = (f"--pass-pipeline={lower}",) if lower else ()
        self.num_checks = 0
        self.last_output = ""
        """The output of the last check, or the error of the driver."""

    def __call__(self, state: State) -> Verdict:
        """Return the verdict about a module.

        Raises:
            CheckError: the check cannot be run.
        """
        verdict = self._judge(state)
        self.num_checks += 1
        print_message(f"{self.num_checks:4} {verdict:4} {state.label}\n")
        return verdict

    def _judge(self, state: State) -> Verdict:
        text = state.text
        if self._lower or state.is_mixed:
            output = self._driver.run(text, *self._lower)
            if output.problem:
                self.last_output = output.problem
                return "skip"
            text = output.text
        result = self._check.run(text)
        self.last_output = result.output
        if result.found_no_program:
            message = f"the check has judged nothing: {result}"
            last_lines = result.output.splitlines()[-1:]
            raise CheckError("\nnote: ".join((message, *last_lines)))
        return result.verdict
