"""`--pass-coverage`: counts of a session of pytest, of all its processes."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from passgen_runtime.output_files import replace_file
from passgen_tools.coverage import (
    CoverageData,
    CoverageSummary,
    DeclaredPass,
    coverage_lines,
    coverage_page,
    declared_passes,
    is_of_project,
    is_of_source,
    read_counts,
    summarize,
    total_line,
    watching_passes,
)
from passgen_tools.python_programs import PASS_COVERAGE_FOLDER

_OUTPUT: Final = "passgen_pass_coverage"
_SPECS: Final = (".yaml", ".yml")
_TITLE: Final = "coverage of passes"


class PassCoveragePlugin:
    """The plugin of a session that counts; it is registered if a flag asks for it."""

    def __init__(self, config: pytest.Config) -> None:
        """Import the modules of the setting, and prepare for programs of tests.

        Raises:
            UsageError: a module does not import.
        """
        self._config = config
        self._sources: list[str] = config.getini("pass_coverage_source")
        for source in filter(_is_module, self._sources):
            _import(source)
        self.data = CoverageData()
        self.selected: Sequence[DeclaredPass] = ()
        """The passes that are shown, at the end of the session."""

        self._test = ""
        self._errors: list[str] = []
        self._summary = CoverageSummary(())
        self._folder = tempfile.TemporaryDirectory(prefix="pass-coverage-")
        self._environment = pytest.MonkeyPatch()
        self._environment.setenv(PASS_COVERAGE_FOLDER, self._folder.name)

    def pytest_unconfigure(self) -> None:
        """Leave the environment as it was."""
        self._environment.undo()
        self._folder.cleanup()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item
    ) -> Generator[None, object, object]:
        """Count what passes do in a test and in its fixtures."""
        self._test = item.nodeid
        with watching_passes(self.data, lambda: self._test):
            return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(
        self,
        node: Any,  # noqa: ANN401 - of xdist
        error: object,
    ) -> None:
        """Add the counts of a worker of xdist."""
        output = getattr(node, "workeroutput", {})
        if _OUTPUT in output:
            self.data.merge(CoverageData.decode(output[_OUTPUT]))
        else:
            name = node.gateway.id
            why = f": {error}" if error else ""
            self._errors.append(f"the counts of worker '{name}' are lost{why}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Sum the counts; fail a session that reaches too little."""
        self.data.declared |= declared_passes()
        self.data.merge(read_counts(Path(self._folder.name)))
        if hasattr(self._config, "workerinput"):
            output: dict[str, Any] = vars(self._config)["workeroutput"]  # of xdist
            output[_OUTPUT] = self.data.encode()
            return
        option = self._config.getoption
        if option("--collect-only"):
            return
        self.selected = self._selected()
        self._summary = summarize(self.data, self.selected)
        if path := option("--pass-coverage-html"):
            replace_file(Path(path), coverage_page(self._summary))
        percentage, least = self._summary.percentage, option(
            "--pass-coverage-fail-under"
        )
        if least is not None and percentage < least:
            total = total_line(self._summary)
            self._errors.append(f"{total}, expected at least {least:g} %")
        if self._errors and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _selected(self) -> Sequence[DeclaredPass]:
        """Return the passes of the setting, or else those of the project."""
        known = self.data.declared.values()
        if not self._sources:
            root = self._config.rootpath
            selected = [each for each in known if is_of_project(each, root)]
            if not selected:
                message = f"no spec declares a pass of a module below '{root}'"
                note = "note: 'pass_coverage_source' in pytest.ini names others"
                self._errors.append(f"{message}\n{note}")
            return selected
        for source in self._sources:
            if not any(is_of_source(each, source) for each in known):
                message = f"pass_coverage_source: found no pass of '{source}'"
                names = sorted({each.key.source for each in known if each.has_spec})
                notes = [f"imported modules declare those of {', '.join(names)}"]
                notes = notes if names else []
                notes.append("the name of a module, such as my.passes, imports it")
                shown = (f"\nnote: {note}" for note in notes)
                self._errors.append("".join((message, *shown)))
        return [
            each
            for each in known
            if any(is_of_source(each, source) for source in self._sources)
        ]

    def pytest_terminal_summary(
        self,
        terminalreporter: Any,  # noqa: ANN401 - not public
    ) -> None:
        """Show the counts."""
        option = self._config.getoption
        if option("--collect-only"):
            return
        terminalreporter.section(_TITLE)
        lines = (
            coverage_lines(self._summary)
            if option("--pass-coverage")
            else (total_line(self._summary),)
        )
        for line in lines:
            terminalreporter.write_line(line)
        if path := option("--pass-coverage-html"):
            terminalreporter.write_line(f"written to {path}")
        for error in self._errors:
            terminalreporter.write_line(f"error: {error}", red=True)


def _is_module(source: str) -> bool:
    """Return whether a source names a module, and is no pattern of specs."""
    is_name = all(part.isidentifier() for part in source.split("."))
    return is_name and not source.endswith(_SPECS)


def _import(module: str) -> None:
    """Import a module that declares passes.

    Raises:
        UsageError: it does not import.
    """
    try:
        importlib.import_module(module)
    except ImportError as error:
        message = f"pass_coverage_source: the module '{module}' does not import"
        raise pytest.UsageError(f"{message}: {error}") from error
