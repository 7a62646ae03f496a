"""A pass that is defined again, in a notebook's cell or by a reload, replaces itself."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from types import ModuleType

import pytest

from passgen_runtime import (
    OperationPass,
    OpPassManager,
    Pass,
    PassOptions,
    PassRegistry,
    PipelineError,
    RegistrationError,
    create_pass,
    parse_pass_pipeline,
)

DECLARED = """\
from abc import abstractmethod
from passgen_runtime import OperationPass, PassOptions, create_pass

class FusePassBase(OperationPass[PassOptions]):
    name = "Fuse"
    argument = "fuse"
    constructor = "{constructor}"

    @abstractmethod
    def run_on_operation(self) -> None: ...
"""

IMPLEMENTATION = """\
from declared_passes import FusePassBase

class Fuse(FusePassBase):
    version = {version}

    def run_on_operation(self) -> None: ...
"""


def defined(version: int, name: str = "Count") -> type[Pass]:
    """Return what a cell of a notebook defines when it is run."""

    class Count(OperationPass[PassOptions]):
        argument = "count"

        def run_on_operation(self) -> None: ...

    Count.summary = str(version)
    Count.__qualname__ = name
    return Count


class Modules:
    """Two modules in a folder: one declares a pass, the other implements it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, *, version: int, constructor: str = "") -> None:
        texts = {
            "declared_passes": DECLARED.format(constructor=constructor),
            "own_passes": IMPLEMENTATION.format(version=version),
        }
        for name, text in texts.items():
            path = self.folder / f"{name}.py"
            path.write_text(text, encoding="utf-8")
            # The cache of bytecode goes by the time of the file, in seconds.
            Path(cache_from_source(path)).unlink(missing_ok=True)
        importlib.invalidate_caches()

    @property
    def declared(self) -> ModuleType:
        return importlib.import_module("declared_passes")

    @property
    def own(self) -> ModuleType:
        return importlib.import_module("own_passes")


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Modules]:
    monkeypatch.syspath_prepend(tmp_path)
    yield Modules(tmp_path)
    for name in ("declared_passes", "own_passes"):
        sys.modules.pop(name, None)


def made(registry: PassRegistry, argument: str = "fuse") -> Pass:
    element = parse_pass_pipeline(f"any({argument})", registry).elements[0]
    assert isinstance(element, Pass)
    return element


def test_the_new_class_replaces_the_old_one() -> None:
    registry = PassRegistry()
    registry.register_pass(defined(1))

    registry.register_pass(defined(2))

    assert made(registry, "count").summary == "2"


def test_a_class_with_another_name_is_still_refused() -> None:
    registry = PassRegistry()
    registry.register_pass(defined(1))

    with pytest.raises(RegistrationError, match=r"(?s)twice.*note: replace=True"):
        registry.register_pass(defined(2, "Recount"))


def test_a_reloaded_module_is_registered_again(modules: Modules) -> None:
    registry = PassRegistry()
    modules.write(version=1)
    registry.register_pass(modules.own.Fuse)
    modules.write(version=2)

    registry.register_pass(importlib.reload(modules.own).Fuse)

    assert vars(type(made(registry)))["version"] == 2


def test_the_latest_definition_implements_a_declared_pass(modules: Modules) -> None:
    registry = PassRegistry()
    modules.write(version=1)
    registry.register_pass(modules.declared.FusePassBase)
    modules.own.Fuse()
    modules.write(version=2)

    importlib.reload(modules.own)

    assert vars(type(made(registry)))["version"] == 2
    assert vars(type(create_pass(modules.declared.FusePassBase)))["version"] == 2


def test_a_constructor_names_the_redefined_class(modules: Modules) -> None:
    registry = PassRegistry()
    modules.write(version=1, constructor="own_passes:Fuse")
    registry.register_pass(modules.declared.FusePassBase)
    assert vars(type(made(registry)))["version"] == 1
    modules.write(version=2, constructor="own_passes:Fuse")

    importlib.reload(modules.own)

    assert vars(type(made(registry)))["version"] == 2


def test_a_declaration_is_reloaded_with_its_implementation(modules: Modules) -> None:
    registry = PassRegistry()
    modules.write(version=1, constructor="own_passes:Fuse")
    registry.register_pass(modules.own.Fuse)
    modules.write(version=2, constructor="own_passes:Fuse")

    registry.register_pass(importlib.reload(modules.declared).FusePassBase)

    with pytest.raises(PipelineError, match="does not derive from FusePassBase"):
        made(registry)
    importlib.reload(modules.own)
    assert vars(type(made(registry)))["version"] == 2


CELL = """\
def make():
    return Count()

def build(manager):
    manager.add_pass(Count())
"""


def run_cell() -> dict[str, object]:
    names: dict[str, object] = {"Count": defined(1), "__name__": "__main__"}
    exec(CELL, names)  # noqa: S102 - as notebooks do
    return names


def test_factories_and_pipelines_are_replaced_too() -> None:
    registry = PassRegistry()
    cells = [run_cell(), run_cell()]

    for cell in cells:
        registry.register_pass(cell["make"])  # type: ignore[arg-type] # of a cell
        registry.register_pipeline("all", "", cell["build"])  # type: ignore[arg-type] # of a cell

    assert type(made(registry, "count")) is cells[1]["Count"]
    pipeline = registry.lookup_pipeline("all")
    assert pipeline is not None
    assert pipeline.builder is cells[1]["build"]


def test_closures_with_one_name_are_not_one_pipeline() -> None:
    def maker(count: int) -> object:
        def build(manager: OpPassManager) -> None:
            for _ in range(count):
                manager.add_pass(defined(1)())

        return build

    registry = PassRegistry()
    registry.register_pipeline("all", "", maker(1))  # type: ignore[arg-type] # an object

    with pytest.raises(RegistrationError, match="'all' is registered twice"):
        registry.register_pipeline("all", "", maker(2))  # type: ignore[arg-type] # an object
