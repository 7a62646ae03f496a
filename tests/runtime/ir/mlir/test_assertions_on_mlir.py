"""Assertions about passes on MLIR's own IR."""

from __future__ import annotations

import pytest

from passgen_runtime.ir.mlir import MLIRContext, mlir_registry
from passgen_tools.testing import PassTester

BEFORE = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
"""
AFTER = BEFORE.replace("  %1 = arith.addi %x, %x : i32\n", "").replace("%1", "%0")


def test_passes_of_mlir_are_compared_by_their_ir() -> None:
    tester = PassTester(MLIRContext(), mlir_registry())

    run = tester.assert_rewrites("builtin.module(func.func(cse))", BEFORE, AFTER)

    assert run.text.startswith("module {\n  func.func @f(%arg0: i32) -> i32 {")
    tester.assert_unchanged("builtin.module(func.func(cse))", AFTER)
    with pytest.raises(AssertionError, match="the IR differs"):
        tester.assert_unchanged("builtin.module(func.func(cse))", BEFORE)
