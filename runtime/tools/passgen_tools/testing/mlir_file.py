"""Files with RUN lines as tests of pytest."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from passgen_tools.audit import audit_patterns
from passgen_tools.opt import DriverRun
from passgen_tools.testing.execution import run_test
from passgen_tools.testing.features import holds
from passgen_tools.testing.function_results import Unevaluated, same_results
from passgen_tools.testing.lit_test import LitTest, read_test
from passgen_tools.testing.pass_checks import CheckAfterPasses
from passgen_tools.testing.settings import (
    RESULTS,
    UNJUDGED,
    UNWATCHED,
    UPDATED,
    Settings,
    paths_of_tests,
    read_settings,
)
from passgen_tools.testing.strictness import Judgement, Suite
from passgen_tools.testing.unread_checks import Finding
from passgen_tools.testing.update import update_checks

_SUITE: Final = pytest.StashKey[Suite]()

_REPRODUCERS: Final = frozenset(
    {"mlir-generate-reproducer", "mlir-pass-pipeline-crash-reproducer"}
)
"""The flags that write reproducers."""


class UnreadCheckWarning(pytest.PytestWarning):
    """A line that looks like a check, and that no checker reads."""


class MLIRFile(pytest.File):
    """A file that is a test."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the test."""
        try:
            test = read_test(self.path)
        except ValueError as error:
            # An error of the collection would keep all other tests from running.
            yield MLIRItem.from_parent(self, name="RUN", test=str(error))
            return
        settings = read_settings(self.config, self.path)
        item = MLIRItem.from_parent(self, name="RUN", test=test)
        features = settings.features
        for condition in (*settings.requires, *test.requires):
            if not holds(condition, features):
                item.add_marker(pytest.mark.skip(f"requires {condition}"))
        for condition in test.unsupported:
            if holds(condition, features):
                item.add_marker(pytest.mark.skip(f"unsupported: {condition}"))
        for condition in test.expected_failures:
            # Commands are expected to fail, but unread checks are never expected.
            if holds(condition, features) and not any(
                map(item.is_error, item.judge(test, settings).findings)
            ):
                reason = f"XFAIL: {condition}"
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
        yield item


class MLIRItem(pytest.Item):
    """A test: the RUN lines of a file."""

    def __init__(self, *, test: LitTest | str, **rest: Any) -> None:  # noqa: ANN401
        """Make the item of `test`, or of the reason why a file is not a test."""
        super().__init__(**rest)
        self._test = test
        self._unevaluated: Unevaluated = "fail"
        self._num_watched = 0

    def runtest(self) -> None:
        """Run the commands.

        Raises:
            Failed: one of them failed, or CHECK lines are to be updated, and cannot.
        """
        copy_context().run(self._run)

    @contextmanager
    def _compare_results(self, run: DriverRun) -> Iterator[None]:
        """Check that the passes of a driver keep the results of functions."""
        check = same_results(unevaluated=self._unevaluated)
        checks = CheckAfterPasses(run.context, run.operation, check, {})
        is_alone = run.options.disable_threading is not False
        if is_alone:  # else other threads change the IR meanwhile
            run.manager.add_instrumentation(checks)
        self._num_watched += 1
        try:
            yield
            if not is_alone:
                checks.check_at_end()
        finally:
            self.user_properties.append((RESULTS, dict(check.counts)))
            checks.require_expected()

    @contextmanager
    def _watch(self, run: DriverRun) -> Iterator[None]:
        """Check what the settings and flags ask of the passes of a driver.

        Raises:
            AssertionError: patterns broke rules.
        """
        option = self.config.getoption
        with ExitStack() as blocks:
            if option("--differential"):
                blocks.enter_context(self._compare_results(run))
            is_audited = self.config.getini("mlir_audit_patterns") and _may_audit(run)
            audit = audit_patterns(run.manager) if is_audited else None
            yield
            if audit is not None and audit.violations:
                raise AssertionError("\n".join(map(str, audit.violations)))

    def _run(self) -> None:
        if isinstance(self._test, str):
            pytest.fail(self._test, pytrace=False)
        settings, option = read_settings(self.config, self.path), self.config.getoption
        is_differential = option("--differential")
        if is_differential:
            allows = settings.allows_unevaluated or self._test.allows_unevaluated
            self._unevaluated = "allow" if allows else "fail"
        DriverRun.watch.set(self._watch)
        try:
            self._run_commands(self._test, settings)
        finally:
            if is_differential and not self._num_watched:
                counts = {UNWATCHED: 1}
                self.user_properties.append((RESULTS, counts))

    def _run_commands(self, test: LitTest, settings: Settings) -> None:
        option = self.config.getoption
        updates_all = option("--update-all-checks")
        updates = updates_all or option("--update-checks")
        if not updates:
            self._require_read_checks(test, settings)
        with tempfile.TemporaryDirectory(prefix="mlir-test-") as name:
            given = test, settings, Path(name)
            if not updates or self.get_closest_marker("xfail"):
                if updates:
                    text = f"{self.path}: not renewed: the test is expected to fail"
                    self.user_properties.append((UPDATED, text))
                run_test(*given)
                return
            forced = option("--force-update")
            change = update_checks(*given, updates_all=updates_all, is_forced=forced)
        if change:
            self.user_properties.append((UPDATED, change))
        self._require_read_checks(read_test(self.path), settings)

    def is_error(self, finding: Finding) -> bool:
        """Return whether a finding fails the test."""
        return not finding.is_guess and bool(self.config.getini("mlir_strict"))

    def judge(self, test: LitTest, settings: Settings) -> Judgement:
        """Return the faults of a test: checks that no checker reads."""
        read_tests = partial(_tests_of_project, self.config)
        suite = self.config.stash.setdefault(_SUITE, Suite(read_tests))
        return suite.judge(test, settings)

    def _require_read_checks(self, test: LitTest, settings: Settings) -> None:
        """Warn of checks that no checker reads, or fail.

        Raises:
            Failed: there are some, and the project is strict.
        """
        judgement = self.judge(test, settings)
        if judgement.unjudged:
            self.user_properties.append((UNJUDGED, judgement.unjudged))
        errors: list[str] = []
        for finding in judgement.findings:
            if self.is_error(finding):
                errors.append(finding.at(self.path, "error"))
                continue
            try:
                self.warn(UnreadCheckWarning(finding.at(self.path, "warning")))
            except UnreadCheckWarning as error:  # as a filter of the project wants
                errors.append(str(error))
        if errors:
            pytest.fail("\n".join(errors), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the test, and its name in headings."""
        line = 1 if isinstance(self._test, str) else self._test.runs[0].line
        return self.path, line - 1, self.nodeid.removesuffix(f"::{self.name}")


def _tests_of_project(config: pytest.Config) -> Iterator[tuple[LitTest, Settings]]:
    """Yield the tests of a project, of which a session may run some only."""
    for path in paths_of_tests(config):
        with suppress(OSError, ValueError):  # such a test fails where it runs
            yield read_test(path), read_settings(config, path)


def _may_audit(run: DriverRun) -> bool:
    """Return whether a run shows the same if it is audited, in one thread.

    Tests of threads and of workers need them; a reproducer says whether threads may be
    used.
    """
    options = run.options
    uses_one_thread = options.disable_threading is not False and run.runner is None
    return uses_one_thread and _REPRODUCERS.isdisjoint(options.line.given)
