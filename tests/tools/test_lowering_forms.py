"""Lowerings of MLIR from which a pass is missing: their forms find it.

One is that of the how-to, the others are those of specs/mlir-forms.yaml.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from passgen import Options, checks, generate
from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.spec import read
from passgen_runtime import PassRegistry
from passgen_tools.opt import main

ROOT = Path(__file__).parents[2]
KERNEL = """
func.func @kernel(%image: memref<?xf32>, %filter: memref<?xf32>, %out: memref<?xf32>) {
  linalg.conv_1d ins(%image, %filter : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>)
  %zero = index.constant 0
  %value = memref.load %out[%zero] : memref<?xf32>
  %root = math.sqrt %value : f32
  memref.store %root, %out[%zero] : memref<?xf32>
  return
}
func.func @corner(%m: memref<8x8xf32>, %i: index) -> f32 {
  %v = memref.subview %m[%i, %i] [4, 4] [1, 1]
    : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
  %x = memref.load %v[%i, %i] : memref<4x4xf32, strided<[8, 1], offset: ?>>
  return %x : f32
}
"""
LOOP = """
func.func @sum(%start: index, %end: index, %step: index) -> index {
  %sum = scf.for %i = %start to %end step %step iter_args(%part = %start) -> index {
    %next = arith.addi %part, %i : index
    scf.yield %next : index
  }
  return %sum : index
}
"""


@dataclass(frozen=True)
class Lowering:
    """A pipeline of a spec, and IR in which each of its passes lowers something."""

    spec: str
    pipeline: str
    ir: str

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The spec, decoded."""
        facts: dict[str, Any] = yaml.safe_load(self.spec)
        return facts

    @property
    def passes(self) -> list[str]:
        """The passes of the pipeline."""
        return list(self.facts["pipelines"][self.pipeline]["elements"])

    @cached_property
    def needed(self) -> list[str]:
        """The passes that give a form which a later one needs."""
        rules = [self._rules(argument) for argument in self.passes]
        return [
            argument
            for index, argument in enumerate(self.passes)
            if any(
                self.form(argument) in later.get("needs", ()) for later in rules[index:]
            )
        ]

    def form(self, argument: str) -> str:
        """Return the form that a pass gives; empty if none."""
        return "".join(self._rules(argument).get("gives", ()))

    def _rules(self, argument: str) -> dict[str, list[str]]:
        name = "".join(word.title() for word in argument.split("-"))
        rules: dict[str, list[str]] = self.facts["passes"][name]
        return rules

    def mistakes(self, missing: str) -> list[str]:
        """Return the errors in the spec if the pipeline lacks a pass."""
        facts = deepcopy(self.facts)
        pipeline = facts["pipelines"][self.pipeline]
        pipeline["elements"] = [name for name in self.passes if name != missing]
        text = yaml.safe_dump(facts)
        try:
            checks.check(read(SourceFile("lowering.yaml", text)))
        except SpecError as error:
            return [diagnostic.message for diagnostic in error.diagnostics]
        return []


def of_page() -> Lowering:
    page = (ROOT / "docs/how-to/forms.md").read_text("utf-8")
    spec, ir = (
        re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)[0]
        for kind in ("yaml", "mlir")
    )
    return Lowering(spec, "LowerToLlvm", ir)


SHIPPED = (ROOT / "specs/mlir-forms.yaml").read_text("utf-8")
LOWERINGS = {
    "page": of_page(),
    "linalg": Lowering(SHIPPED, "LinalgToLlvm", KERNEL),
    "scf": Lowering(SHIPPED, "ScfToLlvm", LOOP),
}
GIVERS = [
    pytest.param(lowering, argument, id=f"{name}-{argument}")
    for name, lowering in LOWERINGS.items()
    for argument in lowering.passes
    if lowering.form(argument)
]


def test_the_lowerings_have_passes_to_leave_out() -> None:
    numbers = {
        name: (len(lowering.passes), len(lowering.needed))
        for name, lowering in LOWERINGS.items()
    }

    assert numbers == {"page": (7, 6), "linalg": (12, 11), "scf": (6, 5)}


@pytest.mark.parametrize("lowering", LOWERINGS.values(), ids=LOWERINGS)
def test_a_whole_lowering_breaks_no_form(lowering: Lowering) -> None:
    assert lowering.mistakes("nothing") == []


@pytest.mark.parametrize(("lowering", "missing"), GIVERS)
def test_a_missing_pass_is_found_before_running(
    lowering: Lowering, missing: str
) -> None:
    found = lowering.mistakes(missing)

    assert found
    assert all(f"'{lowering.form(missing)}'" in message for message in found)


@pytest.fixture
def registry(lowering: Lowering, tmp_path: Path) -> Iterator[PassRegistry]:
    """Return a registry of the passes of a lowering, which MLIR has."""
    from passgen_runtime.ir.mlir import use_mlir_passes  # noqa: PLC0415 - if installed

    spec = tmp_path / "lowering.yaml"
    spec.write_text(lowering.spec, "utf-8")
    [file] = generate([str(spec)], Options(targets=("python",))).files
    module = ModuleType("lowering_passes")
    sys.modules[module.__name__] = module
    exec(file.text, vars(module))  # noqa: S102 - the text that passgen has written
    registry = PassRegistry()
    vars(module)[f"register{lowering.facts['name']}Passes"](registry)
    use_mlir_passes(registry)
    yield registry
    del sys.modules[module.__name__]


def run(lowering: Lowering, missing: str, registry: PassRegistry, folder: Path) -> int:
    """Return the exit code of the driver for a lowering that lacks a pass."""
    source = folder / "input.mlir"
    source.write_text(lowering.ir, "utf-8")
    pipeline = ",".join(name for name in lowering.passes if name != missing)
    arguments = [str(source), "--ir=mlir", "--verify-forms", "-o", str(folder / "o")]
    arguments.append(f"--pass-pipeline=builtin.module({pipeline})")
    return main(arguments, registry=registry)


@pytest.mark.bindings
@pytest.mark.parametrize("lowering", LOWERINGS.values(), ids=LOWERINGS)
def test_a_whole_lowering_verifies(
    lowering: Lowering,
    registry: PassRegistry,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = run(lowering, "nothing", registry, tmp_path)

    assert (code, capsys.readouterr().err) == (0, "")


@pytest.mark.bindings
@pytest.mark.parametrize(("lowering", "missing"), GIVERS)
def test_a_missing_pass_is_found_while_running(
    lowering: Lowering,
    missing: str,
    registry: PassRegistry,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = run(lowering, missing, registry, tmp_path)

    error = capsys.readouterr().err
    if missing in lowering.needed:
        assert code == 1
        need = rf"error: pass '[\w-]+' needs '{lowering.form(missing)}' of"
        assert re.search(need, error)
    else:  # the caller alone needs what the last pass gives
        assert (code, error) == (0, "")
