"""`--pass-mutants`: the tests that reach a pass, run on its mutants."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import pytest

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.coverage import CoverageData, declaring_classes
from passgen_tools.mutants import (
    Mutant,
    MutantName,
    MutantResult,
    is_equivalent,
    mutants_of,
    result_lines,
    share_noticed,
    unread_patterns,
)
from passgen_tools.testing.mutant_session import (
    MutantRun,
    RunOutcome,
    SessionError,
    run_session,
)
from passgen_tools.testing.pass_coverage import PassCoveragePlugin

_TITLE: Final = "mutants of passes"
_NO_FORK: Final = (
    "--pass-mutants forks a process for each mutant, which Python on this system "
    "cannot: run it on Linux, on macOS, or in WSL"
)


class PassMutantsPlugin:
    """The plugin of a session that runs its tests again on mutants."""

    def __init__(self, config: pytest.Config, coverage: PassCoveragePlugin) -> None:
        """Run the tests that `coverage` knows to reach a mutant.

        Raises:
            UsageError: the system cannot fork.
        """
        if not hasattr(os, "fork"):
            raise pytest.UsageError(_NO_FORK)
        self._config = config
        self._coverage = coverage
        self._results: list[MutantResult] = []
        self._unread: list[str] = []
        self._errors: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Run the mutants, if the session has not failed; it fails if too many live."""
        option = self._config.getoption
        if hasattr(self._config, "workerinput") or option("--collect-only"):
            return
        if session.exitstatus != pytest.ExitCode.OK:
            self._errors.append("no mutants ran: the session has failed without them")
            return
        try:
            self._results = list(self._run_all())
        except SessionError as error:
            self._errors.append(str(error))
        else:
            self._errors += self._too_many_survivors()
        if self._errors:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _too_many_survivors(self) -> Iterator[str]:
        if not self._results:
            yield "no mutants: the passes declare nothing that is changed"
            return
        least = self._config.getoption("--pass-mutants-fail-under")
        num_noticed, num_all = share_noticed(self._results)
        percentage = 100 * num_noticed / num_all if num_all else 100.0
        if least is not None and percentage < least:
            found = f"tests notice {num_noticed} of {num_all} mutants"
            yield f"{found}, {percentage:.1f} %, expected at least {least:g} %"

    def pytest_terminal_summary(
        self,
        terminalreporter: Any,  # noqa: ANN401 - not public
    ) -> None:
        """Show the mutants that no test has noticed."""
        if self._config.getoption("--collect-only"):
            return
        terminalreporter.section(_TITLE)
        for line in result_lines(self._results) if self._results else ():
            terminalreporter.write_line(line)
        for line in self._unread:
            terminalreporter.write_line(line)
        for error in self._errors:
            terminalreporter.write_line(f"error: {error}", red=True)

    def _run_all(self) -> Iterator[MutantResult]:
        """Yield what tests have made of each mutant.

        Raises:
            SessionError: the tests do not run again as they have run.
        """
        classes, context = declaring_classes(), XDSLContext()
        folder = self._config.rootpath
        judged: list[tuple[Mutant, bool | None]] = []
        runs: list[MutantRun] = []
        for declared in self._coverage.selected:
            cls = classes.get(declared.key)
            of_pass = [] if cls is None else mutants_of(cls, context, folder)
            self._unread += [] if cls is None else unread_patterns(cls, context)
            for index, mutant in enumerate(of_pass):
                is_same = is_equivalent(mutant, classes[mutant.key], context)
                judged.append((mutant, is_same))
                _, tests = reaching_tests(self._coverage.data, mutant)
                name = MutantName(*declared.key, index)
                runs.append(MutantRun(name, () if is_same else tuple(tests)))
        outcomes = self._outcomes(runs)
        for (mutant, is_same), outcome in zip(judged, outcomes, strict=True):
            yield self._result(mutant, outcome, is_same=is_same)

    def _outcomes(self, runs: list[MutantRun]) -> list[RunOutcome | None]:
        """Return the outcome of each run on a mutant.

        Raises:
            SessionError: the tests do not run again as they have run.
        """
        tests = dict.fromkeys(test for run in runs for test in run.tests)
        if not tests:
            return [None for _ in runs]
        first, *outcomes = run_session(
            self._config, [MutantRun(None, tuple(tests)), *runs]
        )
        if first is not None and (failed := first.noticed_by or first.ended):
            what = "a test fails" if first.noticed_by else "the tests fail"
            message = f"run again without a mutant, {what}: {failed}"
            raise SessionError(f"{message}\nnote: no mutant ran")
        return outcomes

    def _result(
        self, mutant: Mutant, outcome: RunOutcome | None, *, is_same: bool | None
    ) -> MutantResult:
        hits, tests = reaching_tests(self._coverage.data, mutant)
        nearest = next(iter([*hits, *tests]), "")
        if is_same:
            return MutantResult(mutant, "equivalent", nearest)
        if tests and outcome is not None:
            if outcome.noticed_by or outcome.ended:
                test = outcome.noticed_by or nearest
                return MutantResult(mutant, "killed", test, outcome.ended)
            if outcome.num_tests != len(tests):
                reason = f"{outcome.num_tests} of its {len(tests)} tests ran again"
                return MutantResult(mutant, "not run", nearest, reason)
        is_unknown = is_same is None and mutant.may_be_equivalent
        return MutantResult(mutant, "unknown" if is_unknown else "survived", nearest)


def reaching_tests(data: CoverageData, mutant: Mutant) -> tuple[list[str], list[str]]:
    """Return the tests that reach what a mutant changes, and all that may do so."""
    hits: dict[str, None] = {}
    tries: dict[str, None] = {}
    for library in data.libraries(mutant.key):
        found = data.tests(mutant.key, library, mutant.item)
        hits |= dict.fromkeys(found.hits)
        tries |= dict.fromkeys(found.tries)
    return list(hits), list(hits | tries)
