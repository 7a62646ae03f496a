"""xDSL's IR as bytes, and back."""

from __future__ import annotations

import pytest

from passgen_runtime import IRError
from passgen_runtime.context import PrintingFlags
from passgen_runtime.ir.xdsl import XDSLContext

WITH_LOCATIONS = PrintingFlags(debug_info=True)

IR = """
func.func @f(%x: i32, %y: i32) -> i32 {
  %sum = arith.addi %x, %y : i32 loc("a.mlir":7:9)
  %c = arith.cmpi slt, %sum, %x : i32
  cf.cond_br %c, ^bb1(%sum : i32), ^bb2
^bb1(%z: i32 loc("argument")):
  %r = "other.op"(%z) <{p = [1 : i8, #other.a<"b">]}> ({
    %s = "test.op"(%t) : (i32) -> i32
    %t = "test.op"(%s) : (i32) -> i32
  }) {d = {f = -0.0 : f32, n = 0x7FC00001 : f32}} : (i32) -> !other.type
  cf.br ^bb2
^bb2:
  func.return %x : i32
}
"""


def test_ir_is_equal_after_a_round_trip() -> None:
    context = XDSLContext(allow_unregistered=True)
    module = context.parse(IR, "f.mlir")

    decoded = context.decode(context.encode(module))

    expected = context.print(module, flags=WITH_LOCATIONS)
    assert context.print(decoded, flags=WITH_LOCATIONS) == expected
    assert context.parent(decoded) is None


def test_an_operation_that_uses_values_from_outside_is_refused() -> None:
    context = XDSLContext(allow_unregistered=True)
    (function,) = context.children(context.parse(IR, "f.mlir"))
    _, compare, *_ = context.children(function)

    with pytest.raises(IRError) as raised:
        context.encode(compare)

    assert str(raised.value) == (
        "f.mlir:4:8: error: 'arith.cmpi' op cannot be encoded: operand #0 is defined "
        "outside of the encoded 'arith.cmpi'"
    )
