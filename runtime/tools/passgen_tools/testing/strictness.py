"""Judges the tests of a suite: checks that no checker reads are their faults.

A check may be read by the RUN line of another test, and prefixes of other tests tell
dead checks from prose: they are read once a session, and only if a test needs them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from filecheck.options import Options

from passgen_tools.testing.checkers import find_checkers
from passgen_tools.testing.lit_test import (
    LitTest,
    expand_under_all_features,
    path_substitutions,
)
from passgen_tools.testing.settings import Settings
from passgen_tools.testing.unread_checks import Finding, Reader, find_unread

# Paths of `%t` below it; no judgement writes there.
_FOLDER: Final = Path(tempfile.gettempdir(), "mlir-test-of-strictness")


class _Check(NamedTuple):
    """A checker that a test runs."""

    test: Path
    line: int
    target: Path
    """The file whose checks it reads."""

    options: Options


@dataclass(slots=True)
class Judgement:
    """The faults of a test."""

    findings: list[Finding] = field(default_factory=list)
    unjudged: str = ""
    """Why some checks are neither read nor unread; empty if all are judged."""


class Suite:
    """The tests of a session, of which each is judged with the others in mind."""

    def __init__(self, tests: Callable[[], Iterable[tuple[LitTest, Settings]]]) -> None:
        """Make the suite of `tests`, which are read when a judgement needs them."""
        self._tests = tests

    def judge(self, test: LitTest, settings: Settings) -> Judgement:
        """Return the faults of a test."""
        checks, unknown = _checks(test, settings)
        readers = [
            Reader(each.line, each.options)
            for each in checks
            if each.target == test.path
        ]

        def elsewhere() -> set[str]:
            return {
                prefix
                for check in self._checks
                if check.test != test.path
                for prefix in check.options.check_prefixes
            }

        findings = find_unread(test.text, readers, elsewhere)
        if findings:
            readers += [
                Reader(0, check.options)
                for check in self._checks
                if check.target == test.path != check.test
            ]
            findings = find_unread(test.text, readers, elsewhere)
        judged = [each for each in findings if not (unknown and each.kind == "unread")]
        unjudged = unknown if len(judged) < len(findings) else ""
        return Judgement(judged, unjudged)

    @cached_property
    def _checks(self) -> list[_Check]:
        """The checkers of all tests."""
        return [check for test in self._tests() for check in _checks(*test)[0]]


def _checks(test: LitTest, settings: Settings) -> tuple[list[_Check], str]:
    """Return the checkers of a test, and why there may be others."""
    values = {**path_substitutions(test.path, _FOLDER), **settings.substitutions}
    checks: list[_Check] = []
    unknown = ""
    for run in test.runs:
        try:
            commands = {*expand_under_all_features(run, values, settings.features)}
        except ValueError:  # it fails the test
            unknown = unknown or f"{test.path}:{run.line}: a substitution is unknown"
            continue
        for command in sorted(commands):
            checkers = find_checkers(command, settings.programs)
            if checkers.unknown:
                word = checkers.unknown
                unknown = unknown or f"{test.path}:{run.line}: '{word}' is unknown"
            for options in checkers.found:
                target = _target(test.path, options.match_filename)
                checks.append(_Check(test.path, run.line, target, options))
    return checks, unknown


def _target(test: Path, name: str) -> Path:
    """Return the file whose checks a checker reads.

    Files that a test makes of itself, as `split-file` does, count as the test.
    """
    path = Path(os.path.normpath(_FOLDER / name))
    if path.is_relative_to(_FOLDER) or path.resolve() == test.resolve():
        return test
    return path
