from __future__ import annotations

import gc
import sys
from functools import cache
from pathlib import Path

import pytest
import xdsl.interpreter  # noqa: F401 - its import, and no test, starts a program
from hypothesis import settings

from tests.browser import browser, page
from tests.golden_files import golden, pytest_addoption
from tests.inner_pytest import modules_stay
from tests.python_sessions import pytest_collect_file

gc.set_threshold(100_000, 50, 100)  # with Python's own, it takes a fifth of the time
# Pyodide starts no programs: see tests/pyodide.
pytest_plugins = (
    ["tests.pyodide.pytest_plugin"]
    if sys.platform == "emscripten"
    else ["tests.fork_server.pytest_plugin"]
)
__all__ = [
    "browser",
    "golden",
    "modules_stay",
    "page",
    "pytest_addoption",
    "pytest_collect_file",
]

# No deadline: a slow machine is no mistake.
settings.register_profile("explore", deadline=None, max_examples=500)
# The same examples in each run: a test fails because of a change, not of the draw.
# `make explore` draws others, and more: it finds the rare mistakes, which CI does not.
settings.register_profile("test", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("test")

MARKS_OF_FOLDER = {
    "differential": ["llvm"],
    "integrations": ["builds"],
    "runtime/filecheck/process": ["process", "slow"],
    "runtime/ir/mlir": ["bindings"],
}
MARK_OF_FIXTURE = {
    "browser": "browser",
    "llvm_tblgen": "llvm",
    "mlir_include": "llvm",
    "mlir_opt": "llvm",
    "mlir_tblgen": "llvm",
}
TOOLS = {"llvm", "bindings", "browser", "builds", "executors"}
"""Marks of tests that may start programs without the mark `process`."""

_started: list[str] = []
"""The audit events of processes that the current test has started."""


def _note_start(event: str, _: object) -> None:
    if event in {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.system"}:
        _started.append(event)


sys.addaudithook(_note_start)


@cache
def marks_of_folder(folder: Path) -> list[str]:
    name = folder.relative_to(Path(__file__).parent).as_posix()
    return MARKS_OF_FOLDER.get(name, [])


def pytest_itemcollected(item: pytest.Item) -> None:
    fixtures = getattr(item, "fixturenames", ())
    of_fixtures = filter(None, map(MARK_OF_FIXTURE.get, fixtures))
    for mark in (*marks_of_folder(item.path.parent), *of_fixtures):
        item.add_marker(mark)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long tests, so that no worker ends with one alone."""
    marks_of_long = {"slow", "process", *TOOLS}
    items.sort(
        key=lambda item: not marks_of_long & {m.name for m in item.iter_markers()}
    )


def pytest_collection_finish() -> None:
    gc.freeze()  # modules and tests stay: to look for garbage in them takes time


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    _started.clear()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Fail a test that started a process and is not marked: `make fast` relies on it."""
    marks = {mark.name for mark in item.iter_markers()}
    if _started and not marks & {"process", *TOOLS}:
        pytest.fail(f"mark it `process`: it starts one ({_started[0]})", pytrace=False)
