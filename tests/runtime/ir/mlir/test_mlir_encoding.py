"""MLIR's IR as bytes, and back."""

from __future__ import annotations

import re

import pytest

from passgen_runtime import IRError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.adaptors.encoded_ir import frame
from passgen_tools.ir_libraries import transport_of

WITH_LOCATIONS = PrintingFlags(debug_info=True)
IR = """
func.func private @g(i32) -> (i32, i32)
func.func private @h()
func.func @f(%a: i32 loc("argument")) -> i32 {
  func.call @h() {key = "value"} : () -> ()
  %1 = scf.execute_region -> i32 {
    %2:2 = func.call @g(%a) : (i32) -> (i32, i32) loc("call")
    scf.yield %2#1 : i32
  }
  return %1 : i32
}
"""
RESOURCE = """
func.func private @h()
func.func @f() {
  func.call @h() : () -> ()
  %0 = arith.constant dense_resource<r> : tensor<2xi32>
  return
}
{-# dialect_resources: {builtin: {r: "0x400000000100000002000000"}} #-}
"""


def alone(context: MLIRContext, operation: object) -> str:
    """Return all text of `operation`, as if it had no parent."""
    return context.print(context.clone(operation), flags=WITH_LOCATIONS)


@pytest.mark.parametrize("text", [IR, RESOURCE])
def test_modules_and_operations_are_equal_after_a_round_trip(
    package: str, text: str
) -> None:
    context = MLIRContext(package)
    module = context.parse(text, "f.mlir")

    for operation in (module, *context.children(module)):
        data = transport_of(context).encode(operation)
        for _ in range(10):  # at other addresses
            # Elsewhere: in one context, each resource has a name of its own.
            reader = MLIRContext(package)
            decoded = transport_of(reader).decode(data)
            assert alone(reader, decoded) == alone(context, operation)
            assert reader.parent(decoded) is None
        again = MLIRContext(package)
        decoded = transport_of(again).decode(
            transport_of(reader).encode(transport_of(reader).decode(data))
        )
        texts = (alone(again, decoded), alone(context, operation))
        assert len({re.sub(r"\br(_\d+)+\b", "r", each) for each in texts}) == 1


def test_encoding_leaves_the_operation_as_it_is(any_context: MLIRContext) -> None:
    context = any_context
    module = context.parse(IR, "f.mlir")
    before = context.print(module, flags=WITH_LOCATIONS)

    for operation in context.children(module):
        transport_of(context).encode(operation)

    assert context.print(module, flags=WITH_LOCATIONS) == before


def test_an_operation_that_uses_values_from_outside_is_refused(
    any_context: MLIRContext,
) -> None:
    context = any_context
    module = context.parse(IR, "f.mlir")
    region = context.children(context.children(module)[2])[1]

    with pytest.raises(IRError) as raised:
        transport_of(context).encode(region)

    assert str(raised.value) == (
        "<unknown>:0: error: loc(\"call\"): 'func.call' op cannot be encoded: operand "
        "#0 is defined outside of the encoded 'scf.execute_region'"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "<encoded IR>:"),
        (b"mMLxR", "<encoded IR>:"),
        (b"o", "<encoded IR>: error: damaged: 0 operations, expected one"),
        (b"t\xff", "<encoded IR>: error: damaged: 'utf-8' codec can't decode"),
    ],
)
def test_what_is_no_bytecode_is_refused(
    any_context: MLIRContext, content: bytes, message: str
) -> None:
    with pytest.raises(IRError) as raised:
        transport_of(any_context).decode(frame(content, b"MLIR", 1))

    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("place", [0, 5, 12, 20, 40, -1])
def test_damaged_data_is_refused(any_context: MLIRContext, place: int) -> None:
    data = bytearray(transport_of(any_context).encode(any_context.parse(IR, "f.mlir")))
    data[place] ^= 1

    with pytest.raises(IRError, match="<encoded IR>: error: "):
        transport_of(any_context).decode(bytes(data))
