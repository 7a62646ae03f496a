"""Runs of pytest inside of a test's process.

pytester has modules that such a run imports imported again by the next test that needs
them, and their new classes would not derive from those that other modules hold. So the
fixture `modules_stay`, which ends after pytester, gives them back.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

_PACKAGES = {"passgen", "passgen_rules", "passgen_runtime", "passgen_tools", "xdsl"}
_imported: dict[str, ModuleType] = {}


class _RememberModules:
    def pytest_unconfigure(self) -> None:
        _imported.update(sys.modules)


@pytest.fixture
def modules_stay() -> Iterator[None]:
    """Keep what runs inside of the test have imported of the packages."""
    yield
    for name, module in _imported.items():
        if name.partition(".")[0] in _PACKAGES:
            sys.modules.setdefault(name, module)
    _imported.clear()


def run_inside(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Return what pytest prints in a test that uses `modules_stay`."""
    return pytester.runpytest_inprocess(*arguments, plugins=[_RememberModules()])
