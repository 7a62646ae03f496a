"""Files with RUN lines as tests of pytest."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import Any

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
    UNWATCHED,
    UPDATED,
    Settings,
    read_settings,
)
from passgen_tools.testing.update import update_checks


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
            if holds(condition, features):
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
            # Tests of threads and workers are not audited: an audited run has neither.
            is_alone = run.options.disable_threading is not False and run.runner is None
            audits = self.config.getini("mlir_audit_patterns") and is_alone
            audit = audit_patterns(run.manager) if audits else None
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

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the test, and its name in headings."""
        line = 1 if isinstance(self._test, str) else self._test.runs[0].line
        return self.path, line - 1, self.nodeid.removesuffix(f"::{self.name}")
