"""The plugin of pytest that runs `.mlir` tests; it is off unless a project asks for it.

In `pytest.ini`:

    [pytest]
    mlir_tests = tests/*.mlir
    mlir_tools = my-opt = my_dialect.driver:main

or by `pytest --mlir-tests`. Each file is one test.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    # Imported where tests are collected: pytest loads this plugin in every project.
    from passgen_runtime.testing.lit_test import LitTest
    from passgen_runtime.testing.settings import Settings

_ALL: Final = "*.mlir"
_UPDATED: Final = "passgen_updated"
_settings: Final = pytest.StashKey["Settings"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flags and the settings."""
    group = parser.getgroup("mlir", "tests in .mlir files")
    group.addoption(
        "--mlir-tests",
        action="store_true",
        help=f"collect {_ALL} where pytest.ini says no other pattern",
    )
    group.addoption(
        "--update-checks",
        action="store_true",
        help="rewrite the CHECK lines that fail, and golden files; shows the changes",
    )
    group.addoption(
        "--update-all-checks",
        action="store_true",
        help="as --update-checks, also where the CHECK lines succeed",
    )
    group.addoption(
        "--force-update",
        action="store_true",
        help="update files too whose text git cannot restore",
    )
    parser.addini(
        "mlir_tests", "patterns of files that are tests: tests/*.mlir", "args", []
    )
    parser.addini(
        "mlir_tools",
        "programs of RUN lines, run in this process: name = module:function",
        "linelist",
        [],
    )
    parser.addini(
        "mlir_features",
        "features for REQUIRES, UNSUPPORTED and XFAIL: name, or name = module",
        "linelist",
        [],
    )
    parser.addini(
        "mlir_substitutions", "further substitutions: %name = text", "linelist", []
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, if there are tests to run.

    Raises:
        UsageError: a setting is malformed, or the package `filecheck` is missing.
    """
    if not _patterns(config):
        return
    from passgen_runtime.testing.settings import Settings, SettingsError

    if find_spec("filecheck") is None:
        raise pytest.UsageError(
            "the package 'filecheck' checks .mlir tests, and is not installed: install "
            "'mlir-passgen-runtime[test]'"
        )
    try:
        config.stash[_settings] = Settings.read(
            config.getini("mlir_tools"),
            config.getini("mlir_features"),
            config.getini("mlir_substitutions"),
        )
    except SettingsError as error:
        raise pytest.UsageError(str(error)) from error


def _patterns(config: pytest.Config) -> list[str]:
    """Return the patterns of files that are tests; none if the plugin is off."""
    patterns: list[str] = config.getini("mlir_tests")
    return patterns or ([_ALL] if config.getoption("--mlir-tests") else [])


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect a file that is a test."""
    patterns = _patterns(parent.config)
    root = parent.config.rootpath
    inside = (
        file_path.relative_to(root) if file_path.is_relative_to(root) else file_path
    )
    if "Inputs" in inside.parts or not any(map(file_path.match, patterns)):
        return None
    collector: pytest.Collector = MLIRFile.from_parent(parent, path=file_path)
    return collector


@pytest.fixture
def golden_text(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a file, or with `--update-checks` write it there."""

    def compare(path: Path, text: str) -> None:
        from passgen_runtime.testing.update import GoldenFile

        golden = GoldenFile(path)
        option = request.config.getoption
        if text == golden.text:
            return
        difference = golden.difference(text)
        if not (option("--update-checks") or option("--update-all-checks")):
            renew = f"pytest --update-checks '{request.node.nodeid}'"
            pytest.fail(f"{difference}\n\nTo renew: {renew}", pytrace=False)
        golden.write(text, is_forced=option("--force-update"))
        request.node.user_properties.append((_UPDATED, difference))

    return compare


def pytest_terminal_summary(terminalreporter: Any) -> None:  # noqa: ANN401 - not public
    """Show what `--update-checks` has changed."""
    changes = [
        value
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        for name, value in report.user_properties
        if name == _UPDATED
    ]
    if changes:
        terminalreporter.section("updated checks")
        for change in changes:
            terminalreporter.write_line(change)


class MLIRFile(pytest.File):
    """A file that is a test."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the test."""
        from passgen_runtime.testing.lit_test import (
            TestFormatError,
            read_test,
        )

        settings = self.config.stash[_settings]
        try:
            test = read_test(self.path)
        except TestFormatError as error:
            # An error of the collection would keep all other tests from running.
            yield UnreadableItem.from_parent(self, name="RUN", error=str(error))
            return
        item = MLIRItem.from_parent(self, name="RUN", test=test)
        if reason := settings.reason_to_skip(test):
            item.add_marker(pytest.mark.skip(reason=reason))
        if reason := settings.reason_to_fail(test):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
        yield item


class UnreadableItem(pytest.Item):
    """A file that is no test, which fails in its place."""

    def __init__(self, *, error: str, **rest: Any) -> None:  # noqa: ANN401
        """Fail with `error`."""
        super().__init__(**rest)
        self._error = error

    def runtest(self) -> None:
        """Fail."""
        pytest.fail(self._error, pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file."""
        return self.path, 0, self.nodeid.removesuffix(f"::{self.name}")


class MLIRItem(pytest.Item):
    """A test: the RUN lines of a file."""

    def __init__(self, *, test: LitTest, **rest: Any) -> None:  # noqa: ANN401
        """Make the item of `test`."""
        super().__init__(**rest)
        self._test = test

    def runtest(self) -> None:
        """Run the commands.

        Raises:
            RunFailure: one of them failed.
            UpdateError: CHECK lines are to be updated, and cannot.
        """
        settings = self.config.stash[_settings]
        option = self.config.getoption
        with tempfile.TemporaryDirectory(prefix="mlir-test-") as name:
            folder = Path(name)
            updates = option("--update-checks") or option("--update-all-checks")
            if updates and not settings.reason_to_fail(self._test):
                self._update(settings, folder)
            else:
                from passgen_runtime.testing.execution import LitExecution

                given = settings.programs, folder, settings.substitutions
                LitExecution(self._test, *given).run()

    def _update(self, settings: Settings, folder: Path) -> None:
        from passgen_runtime.testing.update import update_checks

        change = update_checks(
            self._test,
            settings,
            folder,
            updates_all=self.config.getoption("--update-all-checks"),
            is_forced=self.config.getoption("--force-update"),
        )
        if change:
            self.user_properties.append((_UPDATED, change))

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - as in pytest
        """Return the text of an error that is about the test, not about this code."""
        from passgen_runtime.testing.execution import RunFailure
        from passgen_runtime.testing.update import UpdateError

        if isinstance(excinfo.value, RunFailure | UpdateError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the test, and its name in headings."""
        line = self._test.runs[0].line - 1
        return self.path, line, self.nodeid.removesuffix(f"::{self.name}")
