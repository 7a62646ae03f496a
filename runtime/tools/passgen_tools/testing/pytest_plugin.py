"""The pytest plugin that runs `.mlir` tests; it is off unless a project asks for it.

In `pytest.ini`:

    [pytest]
    mlir_tests = tests/**/*.mlir
    mlir_tools = my-opt = my_dialect.driver:main

or by `pytest --mlir-tests`. Each file is one test. What runs them is imported where
tests are collected: pytest loads this plugin in every project.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest

from passgen_runtime.output_files import replace_file
from passgen_tools.python_programs import PASS_MUTANTS_FOLDER
from passgen_tools.testing.audited_patterns import AUDITS_PATTERNS
from passgen_tools.testing.settings import (
    ALL_FILES,
    COMPARED,
    RESULTS,
    UNJUDGED,
    UPDATED,
    driver_of_spec,
    is_spec,
    is_test,
    outer_specs,
    patterns_of_specs,
    patterns_of_tests,
    read_settings,
    require_files,
)

_FLAGS: Final = {
    "--mlir-tests": f"collect {ALL_FILES} where pytest.ini says no other pattern",
    "--update-checks": (
        "rewrite the CHECK lines that fail, and golden files; shows the changes"
    ),
    "--update-all-checks": "as --update-checks, also where the CHECK lines succeed",
    "--differential": "check that passes keep the results of functions in .mlir tests",
    "--force-update": "also update files whose text git cannot restore",
}
_MUTANTS_FLAGS: Final = ("--pass-mutants", "--pass-mutants-fail-under")
_COVERAGE_FLAGS: Final = (
    "--pass-coverage",
    "--pass-coverage-html",
    "--pass-coverage-fail-under",
    *_MUTANTS_FLAGS,
)
_NOTHING_COMPARED: Final = "error: --differential has compared no results"
_HOW_TO_ALLOW: Final = "note: --unevaluated=allow accepts this"
_LISTS: Final = {
    "mlir_tools": "programs of RUN lines, run in this process: name = module:function",
    "mlir_features": (
        "features for REQUIRES, UNSUPPORTED and XFAIL: name, or name = module"
    ),
    "mlir_substitutions": "further substitutions: %name = text, or name = text",
    "mlir_requires": "conditions as of REQUIRES: PATTERN: condition, or condition",
    "mlir_unevaluated": "as --unevaluated: PATTERN: allow, or allow",
    "mlir_specs": (
        "specs whose examples are tests: PATTERN, or PATTERN: driver with its flags"
    ),
    "pass_coverage_source": (
        "specs, or modules to import, whose passes --pass-coverage shows: specs/*.yaml"
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flags and the settings."""
    group = parser.getgroup("mlir", "tests in .mlir files")
    for flag, text in _FLAGS.items():
        group.addoption(flag, action="store_true", help=text)
    group.addoption(
        "--unevaluated",
        choices=("fail", "allow"),
        default="fail",
        help="what --differential does of a changed function without a call to compare",
    )
    group.addoption(
        "--pass-coverage",
        action="store_const",
        const=True,
        help="show which patterns, values of options, remarks and forms tests reach",
    )
    group.addoption(
        "--pass-coverage-html", metavar="FILE", help="write the same as a page"
    )
    group.addoption(
        "--pass-coverage-fail-under",
        metavar="PERCENT",
        type=float,
        help="fail if tests reach a smaller share",
    )
    group.addoption(
        "--pass-mutants",
        action="store_const",
        const=True,
        help=(
            "run the tests again on passes of which one thing is declared otherwise, "
            "and list those that no test notices; needs os.fork"
        ),
    )
    group.addoption(
        "--pass-mutants-fail-under",
        metavar="PERCENT",
        type=float,
        help="fail if tests notice a smaller share of these, without equivalent ones",
    )
    text = "patterns of files that are tests, from the root: tests/**/*.mlir"
    parser.addini("mlir_tests", text, "args", [])
    text = "whether checks that no RUN line reads are errors, not warnings"
    parser.addini("mlir_strict", text, "bool", default=True)
    text = "check the patterns of passes in .mlir tests and in assertions of PassTester"
    parser.addini("mlir_audit_patterns", text, "bool", default=False)
    for setting, text in _LISTS.items():
        parser.addini(setting, text, "linelist", [])


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, if there are tests to run.

    Raises:
        UsageError: a setting is malformed, a pattern matches no file, a module does not
            import, or the package `filecheck` is missing.
    """
    if folder := os.environ.get(PASS_MUTANTS_FOLDER):
        from passgen_tools.testing.mutant_session import MutantRunsPlugin

        config.pluginmanager.register(MutantRunsPlugin(Path(folder)))
    elif any(config.getoption(flag) is not None for flag in _COVERAGE_FLAGS):
        from passgen_tools.testing.pass_coverage import PassCoveragePlugin

        coverage = PassCoveragePlugin(config)
        config.pluginmanager.register(coverage)
        if any(config.getoption(flag) is not None for flag in _MUTANTS_FLAGS):
            from passgen_tools.testing.pass_mutants import PassMutantsPlugin

            plugin = PassMutantsPlugin(config, coverage)
            config.pluginmanager.register(plugin)
    before = AUDITS_PATTERNS.get()  # of the session around one of pytester's
    AUDITS_PATTERNS.set(config.getini("mlir_audit_patterns"))

    def restore() -> None:
        AUDITS_PATTERNS.set(before)

    config.add_cleanup(restore)
    for pattern in config.getini("mlir_tests"):
        require_files(config, "mlir_tests", pattern)
    for pattern in patterns_of_specs(config):
        require_files(config, "mlir_specs", pattern)
    if not (patterns_of_tests(config) or patterns_of_specs(config)):
        return
    if find_spec("filecheck") is None:
        raise pytest.UsageError(
            "the package 'filecheck' checks .mlir tests, and is not installed: install "
            "'mlir-passgen-tools[test]'"
        )
    read_settings(config)
    driver_of_spec(config, None)
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        # The setting says that they are tests, wherever they are.
        config.args += outer_specs(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Name IR libraries whose version is newer than those tried, if there are tests."""
    if not patterns_of_tests(config):
        return []
    from passgen_tools.ir_libraries import ir_libraries

    notes = (library.note_of_untried_version() for library in ir_libraries())
    return [note for note in notes if note is not None]


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect a file that is a test, or a spec with examples."""
    if is_spec(parent.config, file_path):
        from passgen_tools.testing.spec_file import SpecFile

        spec: pytest.Collector = SpecFile.from_parent(parent, path=file_path)
        return spec
    if not is_test(parent.config, file_path):
        return None
    from passgen_tools.testing.mlir_file import MLIRFile

    collector: pytest.Collector = MLIRFile.from_parent(parent, path=file_path)
    return collector


@pytest.fixture
def golden_text(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a file, or with `--update-checks` write it there."""
    option, node = request.config.getoption, request.node

    def compare(path: Path, text: str) -> None:
        before = path.read_bytes().decode() if path.exists() else None
        if text == before:
            return
        from passgen_tools.testing.update import difference, require_restorable

        change = (
            difference(path, before or "", text)
            or f"{path}: the files differ in their line ends only"
        )
        if not (option("--update-checks") or option("--update-all-checks")):
            renew = f"pytest --update-checks '{node.nodeid}'"
            pytest.fail(f"{change}\n\nTo renew: {renew}", pytrace=False)
        if before is not None and not option("--force-update"):
            require_restorable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text)
        node.user_properties.append((UPDATED, change))

    return compare


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a session of `--differential` that has compared nothing."""
    if session.exitstatus == pytest.ExitCode.OK and _has_compared_nothing(
        session.config
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _has_compared_nothing(config: pytest.Config) -> bool:
    """Return whether a session should have compared results, and has not."""
    option = config.getoption
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    is_worker = hasattr(config, "workerinput")  # of xdist, whose controller decides
    if is_worker or reporter is None or not option("--differential"):
        return False
    allows = "allow" in {option("--unevaluated"), *config.getini("mlir_unevaluated")}
    return not (allows or option("--collect-only") or _counts(reporter)[COMPARED])


def _properties(reporter: Any) -> list[tuple[str, Any]]:  # noqa: ANN401 - not public
    """Return the notes of tests for the end of the session."""
    return [
        value
        for outcome in ("passed", "failed", "xfailed")
        for report in reporter.getreports(outcome)
        for value in report.user_properties
    ]


def _counts(reporter: Any) -> Counter[str]:  # noqa: ANN401 - not public
    """Return the counts of `--differential`."""
    noted = [value for name, value in _properties(reporter) if name == RESULTS]
    return sum(map(Counter, noted), Counter[str]())


def pytest_terminal_summary(terminalreporter: Any) -> None:  # noqa: ANN401 - not public
    """Show what flags of this plugin have changed, and counted."""
    counts = _counts(terminalreporter)
    has_compared_nothing = _has_compared_nothing(terminalreporter.config)
    if counts or has_compared_nothing:
        terminalreporter.section("results of functions before and after passes")
        from passgen_tools.testing.differential_summary import summary

        for line in summary(counts):
            terminalreporter.write_line(line)
    if has_compared_nothing:
        terminalreporter.write_line(f"{_NOTHING_COMPARED}\n{_HOW_TO_ALLOW}", red=True)
    properties = _properties(terminalreporter)
    unjudged = [value for name, value in properties if name == UNJUDGED]
    if unjudged:
        terminalreporter.section("tests whose checkers are unknown")
        for reason in unjudged:
            terminalreporter.write_line(reason)
        count = f"{len(unjudged)} test{'s' if unjudged[1:] else ''} not judged"
        terminalreporter.write_line(f"{count}: it is unknown what RUN lines run")
    changes = [value for name, value in properties if name == UPDATED]
    if changes:
        terminalreporter.section("updated checks")
        for change in changes:
            terminalreporter.write_line(change)
