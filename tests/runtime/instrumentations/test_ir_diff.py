"""Diffs of IR: operations are compared, whatever numbers their values have."""

from __future__ import annotations

import pytest

from passgen_runtime import parse_pass_manager
from passgen_runtime.instrumentations.ir_diff import ir_diff
from passgen_runtime.instrumentations.ir_printing import (
    IRPrintingConfig,
    enable_ir_printing,
    every_pass,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.opt import shipped_registry

BEFORE = """\
builtin.module {
  func.func @f(%x : i32) -> i32 {
    %0 = arith.muli %x, %x : i32
    %1 = arith.muli %x, %x : i32
    %2 = arith.addi %0, %x : i32
    %3 = arith.addi %2, %1 : i32
    func.return %3 : i32
  }
}
"""
AFTER = """\
builtin.module {
  func.func @f(%x : i32) -> i32 {
    %0 = arith.muli %x, %x : i32
    %1 = arith.addi %0, %x : i32
    %2 = arith.addi %1, %0 : i32
    func.return %2 : i32
  }
}
"""


def test_equal_ir_has_no_diff() -> None:
    assert ir_diff(BEFORE, BEFORE) == ""


def test_values_that_are_only_numbered_anew_are_no_change() -> None:
    assert ir_diff("%0 = a.b\nc.d %0\n", "%7 = a.b\nc.d %7\n") == ""


def test_an_operand_that_has_changed_is_a_change() -> None:
    before = "%0, %1 = a.b\nc.d %0\n"

    assert ir_diff(before, before.replace("c.d %0", "c.d %1")).splitlines()[1:] == [
        " %0, %1 = a.b",
        "-c.d %0",
        "+c.d %1",
    ]


def test_a_value_that_is_gone_keeps_its_name_apart_from_new_ones() -> None:
    assert ir_diff(BEFORE, AFTER) == """\
@@ -1,9 +1,8 @@
 builtin.module {
   func.func @f(%x : i32) -> i32 {
     %0 = arith.muli %x, %x : i32
-    %old_1 = arith.muli %x, %x : i32
     %1 = arith.addi %0, %x : i32
-    %2 = arith.addi %1, %old_1 : i32
+    %2 = arith.addi %1, %0 : i32
     func.return %2 : i32
   }
 }
"""


def test_a_hunk_is_headed_by_the_operation_around_it() -> None:
    lines = [f"    a.b {{number = {number}}}\n" for number in range(10)]
    text = f"func.func @f() {{\n{''.join(lines)}}}\n"

    diff = ir_diff(text, text.replace(lines[8], ""))

    assert diff.splitlines()[0] == "@@ -7,6 +7,5 @@ func.func @f()"


def test_colors_are_those_of_git() -> None:
    lines = ir_diff("a.b\n", "c.d\n", color=True).splitlines()

    assert lines[1:] == ["\x1b[31m-a.b\x1b[0m", "\x1b[32m+c.d\x1b[0m"]


@pytest.mark.parametrize("module_scope", [False, True])
def test_a_pass_prints_what_it_has_changed_and_nothing_else(
    capsys: pytest.CaptureFixture[str], *, module_scope: bool
) -> None:
    context = XDSLContext()
    pipeline = "builtin.module(func.func(cse,cse))"
    manager = parse_pass_manager(pipeline, context, shipped_registry())
    config = IRPrintingConfig(after=every_pass, diff=True, module_scope=module_scope)
    enable_ir_printing(manager, config)

    manager.run(context.parse(BEFORE, "in.mlir"))

    said = capsys.readouterr().err
    scope = " ('func.func' operation: @f)" * module_scope
    assert (
        said.splitlines()[0] == f"// -----// IR Diff After CSE (cse){scope} //----- //"
    )
    assert said.count("//----- //") == 1
    assert said.count("builtin.module") == module_scope
    assert [line for line in said.splitlines() if line.startswith("-")] != []
