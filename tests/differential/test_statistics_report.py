"""The statistics report against that of an `mlir-opt` that was built with statistics."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.llvm_tools import missing

PASSGEN_OPT = Path(sysconfig.get_path("scripts")) / "passgen-opt"

MODULE = """\
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
"""


@pytest.mark.parametrize("display", ["pipeline", "list"])
@pytest.mark.parametrize(
    "pipeline",
    [
        "builtin.module(cse)",
        "builtin.module(func.func(cse,cse),cse)",
        "builtin.module(any(cse),symbol-dce,func.func(canonicalize,cse))",
    ],
)
def test_same_report(
    mlir_opt: Path, tmp_path: Path, pipeline: str, display: str
) -> None:
    source = tmp_path / "input.mlir"
    source.write_text(MODULE)
    flags = [
        f"--pass-pipeline={pipeline}",
        "--mlir-pass-statistics",
        f"--mlir-pass-statistics-display={display}",
    ]

    theirs, ours = (
        subprocess.run(
            [program, source, *flags], capture_output=True, text=True, check=True
        ).stderr
        for program in (mlir_opt, PASSGEN_OPT)
    )

    if "(S)" not in theirs:
        missing("an mlir-opt with statistics")
    # Descriptions are sentences of their own.
    assert re.sub(r"( - ).*", r"\1", ours) == re.sub(r"( - ).*", r"\1", theirs)
