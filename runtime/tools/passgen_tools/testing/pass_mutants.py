"""`--pass-mutants`: the tests that reach a pass, run on its mutants."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any, Final

import pytest

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass import Pass
from passgen_tools.coverage import CoverageData, declaring_classes
from passgen_tools.mutants import (
    Mutant,
    MutantName,
    MutantResult,
    MutantVerdict,
    is_equivalent,
    mutants_of,
    result_lines,
)
from passgen_tools.python_programs import PASS_MUTANT, PASS_MUTANTS_FOLDER
from passgen_tools.testing.pass_coverage import PassCoveragePlugin

_TIMEOUT_S: Final = 300.0
_PAUSE_S: Final = 0.01
_RUNS: Final = "runs.json"
_TITLE: Final = "mutants of passes"


class MutantRunsPlugin:
    """The plugin of a session that runs tests on mutants.

    Each mutant has a process of its own, which is forked once the tests are collected:
    nothing has run then, and there are no threads.
    """

    def __init__(self, folder: Path) -> None:
        """Run the mutants that a file in `folder` lists."""
        self._folder = folder
        self._noticed_by = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all mutants in place of the tests."""
        runs = json.loads((self._folder / _RUNS).read_text(encoding="utf-8"))
        for number, (name, tests) in enumerate(runs):
            chosen = set(tests)
            items = [item for item in session.items if item.nodeid in chosen]
            result = self._folder / str(number)
            process = os.fork()
            if process:
                self._await(process, result)
                continue
            try:
                self._run(MutantName(**name), items)
                result.write_text(json.dumps([self._noticed_by, len(items)]))
            finally:
                os._exit(0)
        return True

    def _await(self, process: int, result: Path) -> None:
        """Wait for a process; end it if its tests do not end."""
        end_s = monotonic() + _TIMEOUT_S
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if monotonic() > end_s:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                result.write_text(json.dumps(None))
                return
            sleep(_PAUSE_S)

    def _run(self, name: MutantName, items: list[pytest.Item]) -> None:
        """Run tests on a mutant until one fails."""
        os.environ[PASS_MUTANT] = name.encode()
        with name.replacing():
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                if self._noticed_by:
                    return

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the test that notices the mutant."""
        if report.failed:
            self._noticed_by = self._noticed_by or report.nodeid


class PassMutantsPlugin:
    """The plugin of a session that runs its tests again on mutants."""

    def __init__(self, config: pytest.Config, coverage: PassCoveragePlugin) -> None:
        """Run the tests that `coverage` knows to reach a mutant."""
        self._config = config
        self._coverage = coverage
        self._results: list[MutantResult] = []

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Run the mutants, if all tests have passed."""
        is_worker = hasattr(self._config, "workerinput")
        if not is_worker and session.exitstatus == pytest.ExitCode.OK:
            self._results = list(self._run_all())

    def pytest_terminal_summary(
        self,
        terminalreporter: Any,  # noqa: ANN401 - not public
    ) -> None:
        """Show the mutants that no test has noticed."""
        terminalreporter.section(_TITLE)
        if not self._results:
            terminalreporter.write_line("no mutants ran: tests have failed, or no pass")
        for line in result_lines(self._results) if self._results else ():
            terminalreporter.write_line(line)

    def _run_all(self) -> Iterator[MutantResult]:
        classes, context = declaring_classes(), XDSLContext()
        mutants: list[Mutant] = []
        runs = []
        for declared in self._coverage.selected:
            cls = classes.get(declared.key)
            of_pass = [] if cls is None else mutants_of(cls, context)
            for index, mutant in enumerate(of_pass):
                mutants.append(mutant)
                _, tests = reaching_tests(self._coverage.data, mutant)
                runs.append([asdict(MutantName(*declared.key, index)), tests])
        with TemporaryDirectory(prefix="pass-mutants-") as name:
            folder = Path(name)
            (folder / _RUNS).write_text(json.dumps(runs), encoding="utf-8")
            all_tests = dict.fromkeys(test for _, tests in runs for test in tests)
            if all_tests:
                self._run_tests(folder, [*all_tests])
            for number, mutant in enumerate(mutants):
                outcome = _outcome(folder / str(number))
                yield self._result(mutant, classes[mutant.key], outcome)

    def _result(
        self, mutant: Mutant, cls: type[Pass], outcome: tuple[str, int] | str | None
    ) -> MutantResult:
        hits, tests = reaching_tests(self._coverage.data, mutant)
        nearest = next(iter([*hits, *tests]), "")
        if outcome is None:
            return MutantResult(mutant, "killed", nearest, "its tests did not end")
        if isinstance(outcome, str):
            if tests:
                return MutantResult(mutant, "killed", nearest, outcome)
        elif tests:
            noticed_by, num_tests = outcome
            if noticed_by:
                return MutantResult(mutant, "killed", str(noticed_by))
            if num_tests != len(tests):
                reason = f"{num_tests} of its {len(tests)} tests were found again"
                return MutantResult(mutant, "not run", nearest, reason)
        is_same = is_equivalent(mutant, cls, XDSLContext())
        is_unknown = is_same is None and mutant.pattern is not None
        reason = "whether it is equivalent is unknown" if is_unknown else ""
        verdict: MutantVerdict = "equivalent" if is_same else "survived"
        return MutantResult(mutant, verdict, nearest, reason)

    def _run_tests(self, folder: Path, tests: list[str]) -> None:
        """Let a session of pytest run tests on the mutants that `folder` lists."""
        option = self._config.getoption
        plugins = [f"-p{plugin}" for plugin in option("plugins")]
        settings = [f"-o{setting}" for setting in option("override_ini") or ()]
        flags = ["--mlir-tests"] if option("--mlir-tests") else []
        ini = ["-c", str(self._config.inipath)] if self._config.inipath else []
        root = f"--rootdir={self._config.rootpath}"
        command = (
            *(sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider"),
            *(root, *ini, *plugins, *settings, *flags, *tests),
        )
        subprocess.run(  # noqa: S603 - the session's own program
            command,
            cwd=self._config.rootpath,
            env={**os.environ, PASS_MUTANTS_FOLDER: str(folder)},
            capture_output=True,
            check=False,
        )


def _outcome(path: Path) -> tuple[str, int] | str | None:
    """Return the test that has noticed a mutant, and the number of tests.

    It is `None` if they did not end, and a text if their process was ended.
    """
    if not path.exists():
        return "it has ended the process of its tests"
    found = json.loads(path.read_text(encoding="utf-8"))
    return None if found is None else (found[0], found[1])


def reaching_tests(data: CoverageData, mutant: Mutant) -> tuple[list[str], list[str]]:
    """Return the tests that reach what a mutant changes, and all that may do so."""
    hits: dict[str, None] = {}
    tries: dict[str, None] = {}
    for library in data.libraries(mutant.key):
        found = data.tests(mutant.key, library, mutant.item)
        hits |= dict.fromkeys(found.hits)
        tries |= dict.fromkeys(found.tries)
    return list(hits), list(hits | tries)
