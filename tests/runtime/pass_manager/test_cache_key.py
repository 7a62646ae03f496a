"""Keys of results: equal for as long as nothing changes that decides about results."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from passgen_runtime import OperationPass, PassError, PassManager, PassOptions
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry import parse_pass_manager
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_tools.opt import shipped_registry

SOURCE = """
from passgen_runtime import OperationPass, PassOptions
from kit.inside import VALUE

class Mine(OperationPass[PassOptions]):
    argument = "mine"

    def run_on_operation(self) -> None:
        self.mark_unchanged()
"""


def key(text: str, *packages: str) -> str:
    manager = parse_pass_manager(text, XDSLContext(), shipped_registry())
    return manager.cache_key(*packages)


PIPELINE = "builtin.module(func.func(canonicalize,cse))"


def test_equal_pipelines_have_equal_keys() -> None:
    assert key(PIPELINE) == key(PIPELINE)
    assert len(key(PIPELINE)) == 64


@pytest.mark.parametrize(
    "other",
    [
        "builtin.module(canonicalize,cse)",
        "builtin.module(func.func(canonicalize))",
        "builtin.module(func.func(cse,canonicalize))",
        "builtin.module(func.func(canonicalize{max-iterations=3},cse))",
    ],
)
def test_other_pipelines_and_options_have_other_keys(other: str) -> None:
    assert key(other) != key(PIPELINE)


@pytest.mark.process
def test_a_key_is_the_same_in_each_process() -> None:
    program = """
from tests.runtime.pass_manager.test_cache_key import PIPELINE, key
print(key(PIPELINE), end="")
"""
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout == key(PIPELINE)


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a package with a pass."""
    folder = tmp_path / "kit"
    folder.mkdir()
    Path(folder, "__init__.py").write_text("")
    Path(folder, "inside.py").write_text("VALUE = 1\n")
    Path(folder, "passes.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("kit.passes", "kit.inside", "kit"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return folder


def key_with_kit() -> str:
    manager = PassManager(XDSLContext())
    manager.add_pass(importlib.import_module("kit.passes").Mine())
    return manager.cache_key()


def test_the_sources_of_the_whole_package_of_a_pass_count(kit: Path) -> None:
    before = key_with_kit()
    assert key_with_kit() == before
    Path(kit, "inside.py").write_text("VALUE = 2\n")
    changed = key_with_kit()
    assert changed != before
    Path(kit, "more.py").write_text("")
    assert key_with_kit() not in {before, changed}


def test_packages_that_a_caller_names_count(kit: Path) -> None:
    before = key(PIPELINE, "kit")
    assert before != key(PIPELINE)
    Path(kit, "inside.py").write_text("VALUE = 2\n")
    assert key(PIPELINE, "kit") != before


def test_passes_of_dynamic_pipelines_count() -> None:
    outer = "builtin.module(composite-fixed-point-pass{{pipeline={}}})"
    assert key(outer.format("cse")) != key(outer.format("canonicalize"))


def test_versions_of_distributions_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "kit.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Name: kit\nVersion: 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = key(PIPELINE)
    metadata.write_text("Name: kit\nVersion: 2\n")
    assert key(PIPELINE) != before


class Compiles(OperationPass[PassOptions]):
    argument = "compiles"
    outside_access = "it starts the program 'ptxas'"

    def run_on_operation(self) -> None:
        """Do nothing."""


def test_a_pass_that_reaches_beyond_the_ir_has_no_key() -> None:
    manager = PassManager(XDSLContext())
    manager.nest("func.func").add_pass(Compiles())
    with pytest.raises(PassError) as raised:
        manager.cache_key()
    assert str(raised.value) == (
        "results of pass 'compiles' cannot be cached: it starts the program 'ptxas'"
    )


def test_a_pass_that_is_in_no_file_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    made = type("Made", (Canonicalizer,), {"__module__": "__main__"})
    manager = PassManager(XDSLContext())
    manager.add_pass(made())
    with pytest.raises(PassError) as raised:
        manager.cache_key()
    assert str(raised.value) == "results cannot be cached: '__main__' is in no file"
