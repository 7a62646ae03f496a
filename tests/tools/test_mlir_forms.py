"""What specs/mlir-forms.yaml says of the operations that passes of MLIR create."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import llvm_tools
from tests.cases.reader import read_yaml

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "specs/mlir-forms.yaml"
FACTS: dict[str, Any] = read_yaml(SPEC)
IR = (ROOT / "tests/cases/mlir_forms.mlir").read_text("utf-8")
CREATES = [name for name, facts in FACTS["passes"].items() if "creates" in facts]
SPLIT = "// -----\n"


def run(ir: str, *passes: str) -> str:
    """Return the IR, in MLIR's generic form, after `passes`."""
    tool = llvm_tools.find_tool("mlir-opt") or llvm_tools.missing("mlir-opt")
    flags = ["--split-input-file", "--mlir-print-op-generic"]
    flags += ["--allow-unregistered-dialect", *(f"--{name}" for name in passes)]
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
def test_views_are_lowered_by_a_pass_of_their_own() -> None:
    views = {*FACTS["forms"]["noViews"]["absent"]}
    without = kinds(run(inputs(), "finalize-memref-to-llvm"))
    expanded = kinds(run(inputs(), "expand-strided-metadata"))

    assert set[str]().union(*without) & views == views
    assert set[str]().union(*expanded) & views == set()


@pytest.mark.llvm
@pytest.mark.parametrize("name", CREATES)
def test_a_pass_creates_nothing_but_what_is_declared(name: str) -> None:
    argument = re.sub("(?<!^)([A-Z])", r"-\1", name).lower()
    ir = inputs()
    if "noLinalg" in FACTS["passes"][name].get("needs", ()):
        ir = SPLIT.join(
            module for module in ir.split(SPLIT) if '"linalg.' not in module
        )
    before, after = kinds(ir), kinds(run(ir, argument))
    assert len(before) == len(after)

    created = set[str]().union(
        *(new - old for old, new in zip(before, after, strict=True))
    )

    names = FACTS["passes"][name]["creates"]
    assert {
        operation
        for operation in created
        if operation not in names and operation.partition(".")[0] not in names
    } == set()
