"""A session of pytest that runs tests on mutants, each in a process of its own.

`run_session` starts it, and `MutantRunsPlugin` is its plugin. They exchange files in a
folder: the runs, and an outcome of each.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Final

import pytest

from passgen_tools.mutants import MutantName
from passgen_tools.python_programs import PASS_MUTANT, PASS_MUTANTS_FOLDER

_TIMEOUT_S: Final = 300.0
_PAUSE_S: Final = 0.01
_RUNS: Final = "runs.json"
_NUM_LINES_SHOWN: Final = 10


class SessionError(Exception):
    """The tests do not run again as they have run."""


@dataclass(frozen=True)
class MutantRun:
    """Tests to run on a mutant."""

    name: MutantName | None
    """The mutant; `None` to run the tests on the passes as they are."""

    tests: tuple[str, ...]


@dataclass(frozen=True)
class RunOutcome:
    """What has become of the tests of a run."""

    noticed_by: str = ""
    """The test that fails."""

    num_tests: int = 0
    ended: str = ""
    """Why the process of the tests has ended before them."""


def run_session(
    config: pytest.Config, runs: Sequence[MutantRun]
) -> list[RunOutcome | None]:
    """Return the outcome of each run; `None` for one that has not begun.

    Args:
        config: of the session that has run the tests.
        runs: the first one is without a mutant; if it fails, no other follows.

    Raises:
        SessionError: the session cannot run.
    """
    with TemporaryDirectory(prefix="pass-mutants-") as name:
        folder = Path(name)
        plain = [
            [None if run.name is None else asdict(run.name), run.tests] for run in runs
        ]
        (folder / _RUNS).write_text(json.dumps(plain), encoding="utf-8")
        tests = dict.fromkeys(test for run in runs for test in run.tests)
        done = subprocess.run(  # noqa: S603 - the session's own program
            (*_command(config), *tests),
            cwd=config.rootpath,
            env={**os.environ, PASS_MUTANTS_FOLDER: str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        outcomes = [_read_outcome(folder / str(number)) for number in range(len(runs))]
    if outcomes[0] is None:
        *_, last = ["", *done.stdout.rstrip().splitlines()[-_NUM_LINES_SHOWN:]]
        raise SessionError(f"the tests do not run again: {last.strip('= ')}")
    return outcomes


def _command(config: pytest.Config) -> tuple[str, ...]:
    """Return the command of a session that collects tests as `config` does."""
    option = config.getoption
    plugins = [f"-p{plugin}" for plugin in option("plugins")]
    settings = [f"-o{setting}" for setting in option("override_ini") or ()]
    flags = ["--mlir-tests"] if option("--mlir-tests") else []
    if config.pluginmanager.hasplugin("xdist"):
        flags.append("-n0")  # the settings of the project may name another number
    return (
        *(sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider"),
        f"--rootdir={config.rootpath}",
        f"--import-mode={option('--import-mode')}",
        *(("-c", str(config.inipath)) if config.inipath else ()),
        *(*plugins, *settings, *flags),
    )


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
            mutant = None if name is None else MutantName(**name)
            outcome = self._run_in_process(mutant, items, self._folder / str(number))
            if mutant is None and (outcome.noticed_by or outcome.ended):
                break  # each mutant would seem to be noticed
        return True

    def _run_in_process(
        self, name: MutantName | None, items: list[pytest.Item], path: Path
    ) -> RunOutcome:
        """Run tests in a process that writes its outcome to `path`."""
        process = os.fork()
        if process:
            ended = _wait_for(process)
            if not path.exists():
                _write_outcome(path, RunOutcome(ended=ended))
            return _read_outcome(path) or RunOutcome()
        try:
            self._run(name, items)
            _write_outcome(path, RunOutcome(self._noticed_by, len(items)))
        finally:
            os._exit(0)

    def _run(self, name: MutantName | None, items: list[pytest.Item]) -> None:
        """Run tests until one fails."""
        if name is None:
            self._run_tests(items)
            return
        os.environ[PASS_MUTANT] = name.encode()
        with name.replacing():
            self._run_tests(items)

    def _run_tests(self, items: list[pytest.Item]) -> None:
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._noticed_by:
                return

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the test that notices the mutant."""
        if report.failed:
            self._noticed_by = self._noticed_by or report.nodeid


def _wait_for(process: int) -> str:
    """Wait for a process, or end it; return why it has written no outcome."""
    end_s = monotonic() + _TIMEOUT_S
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if monotonic() > end_s:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return f"its tests did not end in {_TIMEOUT_S:g} s"
        sleep(_PAUSE_S)
    return "it has ended the process of its tests"


def _write_outcome(path: Path, outcome: RunOutcome) -> None:
    path.write_text(json.dumps(asdict(outcome)), encoding="utf-8")


def _read_outcome(path: Path) -> RunOutcome | None:
    if not path.exists():
        return None
    return RunOutcome(**json.loads(path.read_text(encoding="utf-8")))
