"""Settings of a project for its tests: programs, features and substitutions.

Each is a list of lines, as in `pytest.ini`:

    mlir_tools =
        my-opt = my_dialect.driver:main
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from passgen_runtime.testing.execution import OWN_PROGRAMS, ProgramName
from passgen_runtime.testing.features import Condition, system_feature
from passgen_runtime.testing.lit_test import LitTest


class SettingsError(Exception):
    """A setting is malformed."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings for all tests of a project."""

    programs: Mapping[str, ProgramName]
    features: frozenset[str]
    substitutions: Mapping[str, str]

    @classmethod
    def read(
        cls,
        tools: Iterable[str] = (),
        features: Iterable[str] = (),
        substitutions: Iterable[str] = (),
    ) -> Settings:
        """Return the settings that these lines spell.

        Args:
            tools: `name = module:function`.
            features: `name`, or `name = module` for one that is there if `module` is.
            substitutions: `%name = text`.

        Raises:
            SettingsError: a line is malformed, or the module of a tool is missing.
        """
        programs = dict(OWN_PROGRAMS)
        for line in tools:
            name, program = _program(line)
            programs[name] = program
        there = {system_feature()}
        for line in features:
            name, _, module = map(str.strip, line.partition("="))
            if not module or _is_installed(module):
                there.add(name)
        values = {}
        for line in substitutions:
            name, separator, value = map(str.strip, line.partition("="))
            if not separator or not name.startswith("%"):
                raise SettingsError(
                    f"mlir_substitutions: found '{line}', expected '%name = text'"
                )
            values[name] = value
        return cls(programs, frozenset(there), values)

    def reason_to_skip(self, test: LitTest) -> str | None:
        """Return why `test` cannot run here, if it cannot."""
        for condition in test.requires:
            if not condition.holds(self.features):
                return f"requires {condition.text}"
        return _first(test.unsupported, self.features, "unsupported")

    def reason_to_fail(self, test: LitTest) -> str | None:
        """Return why `test` is expected to fail here, if it is."""
        return _first(test.expected_failures, self.features, "XFAIL")


def _first(
    conditions: Iterable[Condition], features: frozenset[str], verb: str
) -> str | None:
    for condition in conditions:
        if condition.holds(features):
            return f"{verb}: {condition.text}"
    return None


_EXPECTED_TOOL: Final = (
    "'name = module:function', a function such as `main` of a driver"
)


def _program(line: str) -> tuple[str, ProgramName]:
    name, _, target = map(str.strip, line.partition("="))
    module, separator, function = target.partition(":")
    if not (name and module and separator and function.isidentifier()):
        raise SettingsError(f"mlir_tools: found '{line}', expected {_EXPECTED_TOOL}")
    if not _is_installed(module):
        raise SettingsError(
            f"mlir_tools: '{name}': there is no module '{module}'\n"
            "note: `pythonpath = .` in pytest.ini finds modules beside it"
        )
    return name, ProgramName(module, function)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:
        return False
