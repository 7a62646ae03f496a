"""The forms of MLIR's passes in specs/mlir-forms.yaml: facts, and a lowering."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
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
from tests import llvm_tools

ROOT = Path(__file__).parents[2]
SPEC = (ROOT / "specs/mlir-forms.yaml").read_text("utf-8")
FACTS: dict[str, Any] = yaml.safe_load(SPEC)
IR = (ROOT / "tests/cases/mlir_forms.mlir").read_text("utf-8")
CREATES = [name for name, facts in FACTS["passes"].items() if "creates" in facts]
ELEMENTS: list[str] = FACTS["pipelines"]["LinalgToLlvm"]["elements"]
SPLIT = "// -----\n"
KERNEL = """
func.func @kernel(%image: memref<?xf32>, %filter: memref<?xf32>, %out: memref<?xf32>) {
  linalg.conv_1d ins(%image, %filter : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>)
  %zero = index.constant 0
  %value = memref.load %out[%zero] : memref<?xf32>
  %root = math.sqrt %value : f32
  memref.store %root, %out[%zero] : memref<?xf32>
  return
}
"""


def run(ir: str, *passes: str) -> str:
    """Return the IR, in MLIR's generic form, after `passes`."""
    tool = llvm_tools.find_tool("mlir-opt") or llvm_tools.missing("mlir-opt")
    flags = ["--split-input-file", "--mlir-print-op-generic"]
    flags += ["--allow-unregistered-dialect", *(f"--{each}" for each in passes)]
    command = [str(tool), *flags]
    ran = subprocess.run(command, input=ir, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@cache
def inputs() -> str:
    """Return the table's IR, as it is and as the first passes of a lowering leave it."""
    stages = ["convert-linalg-to-loops", "lower-affine", "convert-scf-to-cf"]
    texts = [run(IR, *stages[:count]) for count in range(len(stages) + 1)]
    return SPLIT.join(texts)


def kinds(ir: str) -> list[set[str]]:
    """Return the names of the operations in the modules of `ir`."""
    name = re.compile(r'(?:^|= )\s*"([\w.]+)"\(', re.MULTILINE)
    return [set(name.findall(module)) for module in ir.split(SPLIT)]


@pytest.mark.llvm
@pytest.mark.parametrize("name", CREATES)
def test_a_pass_creates_nothing_but_what_is_declared(name: str) -> None:
    argument = re.sub("(?<!^)([A-Z])", r"-\1", name).lower()
    ir = inputs()
    if "noLinalg" in FACTS["passes"][name].get("needs", ()):
        ir = SPLIT.join(each for each in ir.split(SPLIT) if '"linalg.' not in each)
    before, after = kinds(ir), kinds(run(ir, argument))
    assert len(before) == len(after)

    created = set[str]().union(
        *(new - old for old, new in zip(before, after, strict=True))
    )

    names = FACTS["passes"][name]["creates"]
    assert {
        each
        for each in created
        if each not in names and each.partition(".")[0] not in names
    } == set()


def mistakes(spec: str) -> list[str]:
    """Return the diagnostics of `spec`."""
    try:
        checks.check(read(SourceFile("mlir-forms.yaml", spec)))
    except SpecError as error:
        return [each.message for each in error.diagnostics]
    return []


def test_the_lowering_breaks_no_form() -> None:
    assert mistakes(SPEC) == []


@pytest.mark.parametrize("missing", ELEMENTS[:-1])
def test_a_missing_pass_is_found_before_running(missing: str) -> None:
    name = "".join(word.title() for word in missing.split("-"))
    [form] = FACTS["passes"][name]["gives"]

    found = mistakes(SPEC.replace(f"      - {missing}\n", ""))

    assert found
    assert all(f"'{form}'" in message for message in found)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[PassRegistry]:
    """Return a registry of the spec's passes, which MLIR has."""
    from passgen_runtime.ir.mlir import use_mlir_passes  # noqa: PLC0415 - if installed

    spec = tmp_path / "mlir-forms.yaml"
    spec.write_text(SPEC)
    [file] = generate([str(spec)], Options(targets=("python",))).files
    module = ModuleType("mlir_forms_passes")
    sys.modules[module.__name__] = module
    exec(file.text, vars(module))  # noqa: S102 - the text that passgen has written
    registry = PassRegistry()
    module.registerMlirFormsPasses(registry)
    use_mlir_passes(registry)
    yield registry
    del sys.modules[module.__name__]


@pytest.mark.bindings
@pytest.mark.parametrize("missing", ["", *ELEMENTS[:-1]])
def test_a_missing_pass_is_found_while_running(
    missing: str,
    registry: PassRegistry,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = tmp_path / "input.mlir"
    source.write_text(KERNEL)
    pipeline = ",".join(each for each in ELEMENTS if each != missing)
    arguments = [str(source), "--ir=mlir", "--verify-forms", "-o", str(tmp_path / "o")]

    code = main(
        [*arguments, f"--pass-pipeline=builtin.module({pipeline})"], registry=registry
    )

    said = capsys.readouterr().err
    if not missing:
        assert (code, said) == (0, "")
    else:
        name = "".join(word.title() for word in missing.split("-"))
        [form] = FACTS["passes"][name]["gives"]
        assert code == 1
        assert re.search(rf"error: pass '[\w-]+' needs '{form}' of", said)
