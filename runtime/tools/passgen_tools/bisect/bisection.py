"""Bisection with a Python function, or with a check program and a driver."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from passgen_runtime.diagnostics import print_message
from passgen_runtime.output_files import replace_file
from passgen_tools.bisect.culprit import (
    Culprit,
    State,
    find_culprit,
)
from passgen_tools.bisect.driver_command import (
    DriverCommand,
    check_library,
)
from passgen_tools.check_command import (
    CheckCommand,
    CheckError,
    Verdict,
)
from passgen_tools.record import RecordedSteps, RunRecord

_MAX_JOURNAL_BYTES: Final = 16 * 1024 * 1024


def bisect(
    record: RunRecord | str | Path,
    is_bad: Callable[[str], bool | None],
    *,
    is_valid: Callable[[str], bool] | None = None,
    run_id: int | None = None,
) -> Culprit:
    """Return the pass, and if possible the operation, that made good IR bad.

    Args:
        record: the record of a run.
        is_bad: judges the text of a module; returns `None` if it cannot.
        is_valid: verifies the text of a mixed module, with some operations from before
            a pass and others from after it. By default, the driver of the run verifies.
        run_id: the id of the run, if the record has several.

    Raises:
        BisectError: there is no culprit, or it cannot be found.
        RecordError: the record cannot be read, or lacks IR.
    """
    if not isinstance(record, RunRecord):
        record = RunRecord(record)
    steps = RecordedSteps(record, run_id)
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


class Journal:
    """The verdicts of a bisection, in a file that is read after an interruption.

    A repeated bisection judges in the same order, so the verdicts are a list. If the
    file is not a journal, it is not changed, and no verdicts are kept.
    """

    def __init__(self, path: Path, key: str) -> None:
        """Read the verdicts at `path`, if they are those of the bisection `key`."""
        self._path = path
        self._key = key
        self._verdicts: list[tuple[str, Verdict]] = []
        self._next = 0
        self.is_kept = not os.path.lexists(path)
        with suppress(OSError, ValueError, LookupError, TypeError):
            if path.is_file() and path.stat().st_size <= _MAX_JOURNAL_BYTES:
                known = json.loads(path.read_text(encoding="utf-8"))
                verdicts = [_read_verdict(entry) for entry in known["verdicts"]]
                self.is_kept = known["journal_of"] == "passgen-bisect"
                if self.is_kept and known["key"] == key:
                    self._verdicts = verdicts
        if not self.is_kept:
            print_message(
                f"passgen-bisect: warning: '{path}' is no journal of a bisection: it"
                " stays, and no verdicts are kept\n"
            )

    def verdict(self, label: str, judge: Callable[[], Verdict]) -> tuple[Verdict, bool]:
        """Return the next verdict, and whether the journal had it."""
        number, self._next = self._next, self._next + 1
        if number < len(self._verdicts) and self._verdicts[number][0] == label:
            return self._verdicts[number][1], True
        del self._verdicts[number:]
        self._verdicts.append((label, judge()))
        if self.is_kept:
            content = {
                "journal_of": "passgen-bisect",
                "key": self._key,
                "verdicts": self._verdicts,
            }
            try:
                replace_file(self._path, json.dumps(content, indent=1))
            except OSError:
                self.is_kept = False
        return self._verdicts[number][1], False

    def remove(self) -> None:
        """Remove the file: the bisection has ended."""
        if self.is_kept:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def _read_verdict(entry: object) -> tuple[str, Verdict]:
    """Return `entry` as a label and a verdict.

    Raises:
        ValueError: `entry` is not an entry of a journal.
    """
    match entry:
        case [str() as label, ("good" | "bad" | "skip") as verdict]:
            return label, verdict
    raise ValueError(entry)


class CheckJudge:
    """Lowers modules if asked to, judges them by a check, and prints the verdicts."""

    def __init__(
        self, check: CheckCommand, driver: DriverCommand, lower: str, journal: Journal
    ) -> None:
        """Judge by `check`; let `driver` run the pipeline `lower` before, if any."""
        self._check = check
        self._driver = driver
        self._lower = (f"--pass-pipeline={lower}",) if lower else ()
        self._journal = journal
        self.num_checks = 0
        self.last_output = ""
        """The output of the last check, or the error of the driver."""

    def __call__(self, state: State) -> Verdict:
        """Return the verdict about a module.

        Raises:
            CheckError: the check cannot be run.
        """
        verdict, was_known = self._journal.verdict(
            state.label, lambda: self._judge(state)
        )
        self.num_checks += 1
        known = " (known)" if was_known else ""
        print_message(f"{self.num_checks:4} {verdict:4} {state.label}{known}\n")
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
            raise CheckError(
                "\nnote: ".join((message, *result.output.splitlines()[-1:]))
            )
        return result.verdict
