"""Settings of a project for its tests: programs, features and substitutions.

Each is a list of lines, as in `pytest.ini`:

    mlir_tools =
        my-opt = my_dialect.driver:main
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Final

import pytest

OWN_PROGRAMS: Final = {"passgen-opt": "passgen_tools.opt:main"}
"""The programs that every test can name."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings for all tests of a project."""

    programs: Mapping[str, str]
    """The function of each program, by name: `module:function`.

    It takes the arguments, and returns the exit code.
    """

    features: frozenset[str] = frozenset()
    substitutions: Mapping[str, str] = field(default_factory=dict)


SETTINGS: Final = pytest.StashKey[Settings]()
"""The key of the settings in pytest's configuration."""

UPDATED: Final = "passgen_updated"
"""The property of a test that says what `--update-checks` has changed in a file."""


def read_settings(config: pytest.Config) -> Settings:
    """Return the settings of a project.

    Raises:
        UsageError: a line is malformed, or the module of a tool is missing.
    """
    programs = dict(OWN_PROGRAMS)
    for line, name, place in _entries(config, "mlir_tools"):
        module, _, function = place.partition(":")
        if not (name and module and function.isidentifier()):
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
    for _, name, module in _entries(config, "mlir_features"):
        if not module or _is_installed(module):
            features.add(name)
    substitutions = {}
    for line, name, text in _entries(config, "mlir_substitutions"):
        if "=" not in line or not name.startswith("%"):
            raise pytest.UsageError(
                f"mlir_substitutions: found '{line}', expected '%name = text'"
            )
        substitutions[name] = text
    return Settings(programs, frozenset(features), substitutions)


def _entries(config: pytest.Config, setting: str) -> Iterator[tuple[str, str, str]]:
    """Yield the lines of a setting, and what is before and after `=` in each."""
    for line in config.getini(setting):
        name, _, value = line.partition("=")
        yield line, name.strip(), value.strip()


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:
        return False
