"""Settings of a project for its tests: programs, features and substitutions.

Each is a list of lines, as in `pytest.ini`; one that begins with a pattern holds for
the files that match:

    mlir_tools =
        my-opt = my_dialect.driver:main
    mlir_requires =
        tests/gpu/**: cuda && !system-windows
"""

from __future__ import annotations

import os
import platform
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from posixpath import normpath
from typing import Final

import pytest

from passgen_rules.suggestions import nearest_name
from passgen_tools.testing.features import holds
from passgen_tools.testing.lit_test import read_unevaluated

OWN_PROGRAMS: Final = {
    "count": "passgen_tools.testing.count:main",
    "passgen-opt": "passgen_tools.opt:main",
    "split-file": "passgen_tools.testing.split_file:main",
}
"""The programs that every test can name."""

ALL_FILES: Final = "**/*.mlir"
"""The pattern of tests where `pytest.ini` says no other."""

_OF_FILES: Final = re.compile(r"([^\s=%]+):\s+(.+)")
_PROGRAM: Final = re.compile(r"[\w./+@%:,-]+")  # a word that a shell takes as it is


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings for a test of a project."""

    programs: Mapping[str, str]
    """The function of each program, by name: `module:function`.

    It takes the arguments, and returns the exit code.
    """

    features: frozenset[str] = frozenset()
    substitutions: Mapping[str, str] = field(default_factory=dict)
    requires: tuple[str, ...] = ()
    """The conditions of the project, beside those of the test."""

    allows_unevaluated: bool = False
    """Whether `--differential` accepts functions of which it can compare no call."""


RESULTS, UPDATED = "passgen_results", "passgen_updated"
"""Properties of tests: counts of `--differential`, changes of `--update-checks`."""

UNJUDGED: Final = "passgen_unjudged"
"""Property of a test: why its unread checks cannot be told from those that are read."""

COMPARED: Final = "compared calls"
"""What `--differential` counts calls as whose two results it has compared."""

UNWATCHED: Final = "tests whose drivers were not watched"
"""What it counts tests as that have run no driver in this process."""


def read_settings(config: pytest.Config, path: Path | None = None) -> Settings:
    """Return the settings for the test at `path`, or those for all tests together.

    Raises:
        UsageError: a line is malformed, its pattern matches no file, or the module of a
            tool is missing.
    """
    programs = dict(OWN_PROGRAMS)
    for line, name, place in _entries(config, "mlir_tools", path):
        module, _, function = place.partition(":")
        if not (_PROGRAM.fullmatch(name) and module and function.isidentifier()):
            raise pytest.UsageError(
                f"mlir_tools: found '{line}', expected 'name = module:function', a "
                "function such as `main` of a driver"
            )
        if not _is_installed(module):
            raise pytest.UsageError(
                f"mlir_tools: '{name}': there is no module '{module}'\n"
                "note: `pythonpath = .` in pytest.ini finds modules beside it"
            )
        programs[name] = place
    features = {f"system-{platform.system().lower()}"}  # as LLVM's tests name it
    for _, name, module in _entries(config, "mlir_features", path):
        if not module or _is_installed(module):
            features.add(name)
    substitutions = {}
    for line, name, text in _entries(config, "mlir_substitutions", path):
        if "=" not in line or len(name.split()) != 1:
            raise pytest.UsageError(
                f"mlir_substitutions: found '{line}', expected 'name = text'"
            )
        substitutions[name] = text
    requires = tuple(line for line, *_ in _entries(config, "mlir_requires", path))
    try:
        for condition in requires:
            holds(condition, ())
    except ValueError as error:
        raise pytest.UsageError(f"mlir_requires: {error}") from error
    allows = _allows_unevaluated(config, path)
    return Settings(programs, frozenset(features), substitutions, requires, allows)


def _allows_unevaluated(config: pytest.Config, path: Path | None) -> bool:
    """Return whether the test at `path` may have functions that cannot be compared.

    Raises:
        UsageError: a line is malformed.
    """
    allows = False
    try:
        for value, *_ in _entries(config, "mlir_unevaluated", path):
            allows = read_unevaluated(value)
    except ValueError as error:
        raise pytest.UsageError(f"mlir_unevaluated: {error}") from error
    return allows or config.getoption("--unevaluated") == "allow"


def _entries(
    config: pytest.Config, setting: str, path: Path | None
) -> Iterator[tuple[str, str, str]]:
    """Yield the lines of a setting, and what is before and after `=` in each."""
    for line in config.getini(setting):
        text = line
        if match := _OF_FILES.fullmatch(line):
            pattern, text = match.groups()
            if path is None:
                require_files(config, setting, pattern)
            elif not is_matched(config, path, (pattern,)):
                continue
        name, _, value = text.partition("=")
        yield text, name.strip(), value.strip()


def patterns_of_tests(config: pytest.Config) -> list[str]:
    """Return the patterns of files that are tests; none if the plugin is off."""
    patterns: list[str] = config.getini("mlir_tests")
    return patterns or ([ALL_FILES] if config.getoption("--mlir-tests") else [])


def patterns_of_specs(config: pytest.Config) -> dict[str, str]:
    """Return the patterns of specs with examples, each with the command of a driver."""
    lines: list[str] = config.getini("mlir_specs")
    found = (line.partition(": ") for line in lines)
    return {pattern: command.strip() or "passgen-opt" for pattern, _, command in found}


def is_spec(config: pytest.Config, path: Path) -> bool:
    """Return whether a file is a spec whose examples are tests."""
    return is_matched(config, path, tuple(patterns_of_specs(config)))


def outer_specs(config: pytest.Config) -> list[str]:
    """Return the specs with examples that are in no folder of `testpaths`."""
    root = config.rootpath
    folders = [root / folder for folder in config.args]
    paths = {
        path for pattern in patterns_of_specs(config) for path in root.glob(pattern)
    }
    return [
        str(path)
        for path in sorted(paths)
        if not any(path.is_relative_to(folder) for folder in folders)
    ]


def driver_of_spec(config: pytest.Config, path: Path | None) -> tuple[list[str], str]:
    """Return name and flags of the driver for a spec, and the driver's function.

    Raises:
        UsageError: the setting names an unknown program.
    """
    programs = read_settings(config, path).programs
    words, place = [], ""
    for pattern, command in patterns_of_specs(config).items():
        if path is not None and not is_matched(config, path, (pattern,)):
            continue
        words = shlex.split(command)
        if words[0] not in programs:
            nearest = nearest_name(words[0], programs)
            advice = f"\nDid you mean '{nearest}'?" if nearest else ""
            message = f"mlir_specs: '{words[0]}' is no program of `mlir_tools`"
            raise pytest.UsageError(f"{message}{advice}")
        place = programs[words[0]]
    return words, place


def is_test(config: pytest.Config, path: Path) -> bool:
    """Return whether a file is a test."""
    return is_matched(config, path, patterns_of_tests(config)) and not is_matched(
        config, path, ("**/Inputs/**",)
    )


def paths_of_tests(config: pytest.Config) -> Iterator[Path]:
    """Yield the tests of a project, without the folders that pytest leaves out."""
    ignored: list[str] = config.getini("norecursedirs")
    roots = {_fixed_folder(config.rootpath, each) for each in patterns_of_tests(config)}
    seen: set[Path] = set()
    for root in sorted(roots):
        for folder, folders, files in os.walk(root):
            folders[:] = [
                name
                for name in folders
                if not any(fnmatchcase(name, pattern) for pattern in ignored)
                and not Path(folder, name, "pyvenv.cfg").exists()
            ]
            paths = {Path(folder, name) for name in files} - seen
            seen |= paths
            yield from (path for path in sorted(paths) if is_test(config, path))


def _fixed_folder(root: Path, pattern: str) -> Path:
    """Return the folder that all files are in which a pattern matches."""
    parts = pattern.split("/")[:-1]
    fixed = root
    for part in parts:
        if re.search(r"[*?\[]", part):
            break
        fixed /= part
    return fixed


def require_files(config: pytest.Config, setting: str, pattern: str) -> None:
    """Check that a pattern of a setting matches a file.

    Raises:
        UsageError: it matches none, or is no pattern.
    """
    root = config.rootpath
    message = f"{setting}: '{pattern}' is no pattern of relative paths"
    parts = pattern.split("/")
    if {"", ".", ".."}.intersection(parts):  # paths from the root have no such parts
        raise pytest.UsageError(message + _advice(root, pattern))
    of_files = f"{pattern}/*" if parts[-1] == "**" else pattern
    try:
        is_met = any(path.is_file() for path in root.glob(of_files))
    except (NotImplementedError, ValueError) as error:
        raise pytest.UsageError(message) from error
    if not is_met:
        message = f"{setting}: '{pattern}' matches no file below the root, '{root}'"
        raise pytest.UsageError(message + _advice(root, pattern))


def _advice(root: Path, pattern: str) -> str:
    """Return a line with the pattern that was meant, if there is one."""
    meant = normpath(pattern)
    if meant.startswith(("/", "..")):
        return ""
    if (root / meant).is_dir():
        meant = f"{meant}/{ALL_FILES}".removeprefix("./")
    return f"\nnote: did you mean '{meant}'?" if meant != pattern else ""


def is_matched(config: pytest.Config, path: Path, patterns: Sequence[str]) -> bool:
    """Return whether one of the patterns, from the root, matches a path."""
    root = config.rootpath
    parts = (path.relative_to(root) if path.is_relative_to(root) else path).parts
    return any(_matches(parts, pattern.split("/")) for pattern in patterns)


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a path matches a pattern, as `full_match` of Python 3.13."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(parts[i:], pattern[1:]) for i in range(len(parts) + 1))
    is_first = bool(parts) and fnmatchcase(parts[0], pattern[0])
    return is_first and _matches(parts[1:], pattern[1:])


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:
        return False
