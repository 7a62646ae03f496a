"""xDSL's IR as bytes, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xdsl.context import Context as XDSLIRContext
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region

from passgen_runtime import IRError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.adaptors.encoded_ir import (
    frame,
    pack_parts,
    packed_numbers,
    unpack_parts,
)
from passgen_tools.adaptors.xdsl.decoding import VERSION
from passgen_tools.ir_libraries import inspector_of, transport_of
from tests.runtime.ir.xdsl.ir_parts import parts_of

WITH_LOCATIONS = PrintingFlags(debug_info=True)
DEPTH = 10_000

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
HEADER_SIZE = 14


def operation(attributes: dict[str, Attribute]) -> Operation:
    return test.TestOp.create(attributes=attributes)


@pytest.fixture
def context() -> XDSLContext:
    return XDSLContext(allow_unregistered=True)


def test_ir_is_equal_after_a_round_trip(context: XDSLContext) -> None:
    module = context.parse(IR, "f.mlir")

    decoded = transport_of(context).decode(transport_of(context).encode(module))

    assert context.print(decoded, flags=WITH_LOCATIONS) == context.print(
        module, flags=WITH_LOCATIONS
    )
    assert parts_of(decoded) == parts_of(module)
    assert context.parent(decoded) is None


def test_an_operation_inside_another_one_is_encoded_alone(
    context: XDSLContext,
) -> None:
    module = context.parse("func.func @f() { func.return }\nfunc.func @g()", "f.mlir")
    function, _ = context.children(module)

    decoded = transport_of(context).decode(transport_of(context).encode(function))

    assert context.symbol_name(decoded) == "f"
    assert parts_of(decoded) == parts_of(function)


@pytest.mark.slow
def test_very_deep_ir_is_encoded_and_decoded(context: XDSLContext) -> None:
    outer = operation({"innermost": UnitAttr()})
    for _ in range(DEPTH):
        outer = test.TestOp.create(regions=[Region(Block([outer]))])

    decoded = transport_of(context).decode(transport_of(context).encode(outer))

    for _ in range(DEPTH):
        (decoded,) = context.children(decoded)
    assert decoded.attributes == {"innermost": UnitAttr()}


def test_deep_attributes_are_encoded_and_decoded(context: XDSLContext) -> None:
    attribute: Attribute = IntAttr(7)
    for _ in range(1000):
        attribute = ArrayAttr([attribute])
    decoded = transport_of(context).decode(
        transport_of(context).encode(operation({"a": attribute}))
    )

    found: Any = decoded.attributes["a"]
    for _ in range(1000):
        (found,) = found
    assert found == IntAttr(7)


def test_equal_parts_are_stored_once(context: XDSLContext) -> None:
    def size_of(count: int) -> int:
        operations = [operation({"name": UnitAttr()}) for _ in range(count)]
        return len(transport_of(context).encode(ModuleOp(operations)))

    # Two numbers of a byte: what the operation is, and its location.
    assert size_of(200) - size_of(100) == 200


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (1, "operand #0 is defined outside of the encoded 'arith.cmpi'"),
        (4, "it branches to a block outside its region"),
    ],
)
def test_an_operation_that_uses_what_is_outside_is_refused(
    context: XDSLContext, number: int, reason: str
) -> None:
    (function,) = context.children(context.parse(IR, "f.mlir"))
    user = context.children(function)[number]

    with pytest.raises(IRError) as raised:
        transport_of(context).encode(user)

    name, place = context.name(user), context.location(user)
    assert str(raised.value) == (
        f"{place}: error: '{name}' op cannot be encoded: {reason}"
    )


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda _: b"", "not encoded IR: it does not begin with a header of"),
        (lambda _: b"builtin.module {}", "not encoded IR"),
        (lambda data: data[:-1], "damaged: the checksum"),
        (lambda data: data[:-1] + b"\0", "damaged: the checksum"),
        (lambda data: frame(data[HEADER_SIZE:], b"MLIR", 1), "encoded as 'MLIR', exp"),
        (lambda data: frame(data[HEADER_SIZE:], b"xDSL", 9), "encoded in version 9, "),
        (
            lambda data: frame(data[HEADER_SIZE:-1], b"xDSL", VERSION),
            "damaged: the size",
        ),
        (lambda _: frame(b"", b"xDSL", VERSION), "damaged: "),
    ],
)
def test_damaged_data_is_refused(
    context: XDSLContext, damage: Callable[[bytes], bytes], message: str
) -> None:
    data = transport_of(context).encode(context.parse(IR, "f.mlir"))

    with pytest.raises(IRError) as raised:
        transport_of(context).decode(damage(data))

    assert str(raised.value).startswith(f"<encoded IR>: error: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"test.op"() {a = #test.none} : () -> ()', "attribute 'test.none' is not reg"),
        ('"test.op"() : () -> !test.none', "type 'test.none' is not registered"),
        ('"other.op"() : () -> ()', "operation 'other.op' is not registered"),
        ("func.func @f()", "operation 'func.func' is not registered"),
    ],
)
def test_only_what_is_registered_is_made(
    context: XDSLContext, text: str, message: str
) -> None:
    data = transport_of(context).encode(
        context.parse(text, "f.mlir", implicit_module=False)
    )
    narrow = XDSLIRContext()
    narrow.load_dialect(test.Test)

    with pytest.raises(IRError, match=message):
        transport_of(XDSLContext(narrow)).decode(data)


def test_attributes_that_are_exponential_when_written_out_are_refused(
    context: XDSLContext,
) -> None:
    attribute: Attribute = UnitAttr()
    for _ in range(40):
        attribute = ArrayAttr([attribute, attribute])

    with pytest.raises(IRError, match="attributes are too large when they are written"):
        transport_of(context).encode(operation({"a": attribute}))


def test_contents_of_resources_go_along(context: XDSLContext) -> None:
    text = (
        '"test.op"() {a = dense_resource<of_this_test> : tensor<1xi8>} : () -> ()\n'
        '{-# dialect_resources: {builtin: {of_this_test: "0x0100000007"}} #-}'
    )
    module = context.parse(text, "f.mlir")
    data = transport_of(context).encode(module)

    assert "0x0100000007" in context.print(transport_of(context).decode(data))
    assert b"0x0100000007" in data


def test_a_key_of_a_resource_that_has_other_contents_is_renamed(
    context: XDSLContext,
) -> None:
    text = (
        '"test.op"() {a = dense_resource<taken> : tensor<1xi8>} : () -> ()\n'
        '{-# dialect_resources: {builtin: {taken: "0x0100000001"}} #-}'
    )
    data = transport_of(context).encode(context.parse(text, "f.mlir"))
    builtin = context.xdsl.get_dialect("builtin")
    resources = builtin.get_interface(OpAsmDialectInterface)
    assert resources is not None
    resources.parse_resource("taken", "0x0100000002")

    printed = context.print(transport_of(context).decode(data))

    assert 'taken_0: "0x0100000001"' in printed
    assert "dense_resource<taken_0>" in printed


def changes_of(module: Operation) -> list[Callable[[], object]]:
    """Return changes that each leave all operations of `IR` there."""
    function = module.regions[0].block.first_op
    assert function is not None
    block, other, _ = function.regions[0].blocks
    first, last = block.first_op, other.last_op
    assert first is not None
    assert last is not None
    argument, result = block.args[0], first.results[0]
    new = FileLineColLoc(StringAttr("new.mlir"), IntAttr(1), IntAttr(2))
    properties, attributes = last.properties, last.attributes

    def move() -> None:
        other.detach_op(last)
        block.insert_op_before(last, first)

    return [
        lambda: setattr(first, "location", new),
        lambda: setattr(argument, "location", new),
        lambda: setattr(argument, "name_hint", "other"),
        lambda: setattr(result, "name_hint", "other"),
        lambda: setattr(block, "name_hint", "other"),
        lambda: attributes.update(other=UnitAttr()),
        lambda: properties.update(other=attributes.pop("other")),
        lambda: first.add_region(Region()),
        move,
    ]


def test_snapshots_tell_of_all_that_is_encoded(context: XDSLContext) -> None:
    text = IR.replace("cf.br ^bb2", '"test.op"() : () -> ()')
    module = context.parse(text, "f.mlir")

    for change in changes_of(module):
        snapshot, encoded = inspector_of(context).snapshot(module), transport_of(
            context
        ).encode(module)
        assert inspector_of(context).snapshot(module) == snapshot

        change()

        assert transport_of(context).encode(module) != encoded
        assert inspector_of(context).snapshot(module) != snapshot


def test_snapshots_tell_what_is_inside_of_what(context: XDSLContext) -> None:
    module = context.parse("module { module { func.func @f() { return } } }", "f.mlir")
    inner = module.regions[0].block.first_op
    assert inner is not None
    function = inner.regions[0].block.first_op
    assert function is not None
    snapshot = inspector_of(context).snapshot(module)

    inner.regions[0].block.detach_op(function)
    module.regions[0].block.add_op(function)

    assert inspector_of(context).snapshot(module) != snapshot


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"abc",
        pack_parts([]),
        pack_parts([b""]),
        pack_parts([b"abc", frame(b"", b"xDSL", VERSION)]),
        pack_parts([packed_numbers([1]), b"", b""]),
        pack_parts(
            [packed_numbers([0]), transport_of(XDSLContext()).encode(ModuleOp([]))]
        ),
        pack_parts(
            [packed_numbers([2]), transport_of(XDSLContext()).encode(ModuleOp([]))]
        ),
        pack_parts(
            [packed_numbers([1]), transport_of(XDSLContext()).encode(ModuleOp([]))]
        )[:-1],
    ],
)
def test_damaged_operations_are_refused(context: XDSLContext, data: bytes) -> None:
    with pytest.raises(IRError, match="<encoded IR>: error: "):
        list(transport_of(context).decode_isolated(data))


def test_integer_types_whose_numbers_take_gigabytes_are_refused(
    context: XDSLContext,
) -> None:
    number = operation({"n": IntegerAttr(1, IntegerType(1 << 24))})

    with pytest.raises(IRError, match="an integer type has 16777216 bits"):
        transport_of(context).decode(transport_of(context).encode(number))


def test_operations_that_are_encoded_apart_share_nothing_but_tables(
    context: XDSLContext,
) -> None:
    operations = [context.parse(IR, "f.mlir") for _ in range(3)]
    alone = len(transport_of(context).encode(operations[0]))

    data = transport_of(context).encode_isolated((each, ()) for each in operations)
    decoded = list(transport_of(context).decode_isolated(data))

    assert [*map(parts_of, decoded)] == [*map(parts_of, operations)]
    assert len(data) < 2 * alone
    with pytest.raises(IRError, match="expected one encoded operation, found 3"):
        transport_of(context).decode(unpack_parts(data)[1])


def test_values_of_another_operation_are_refused(context: XDSLContext) -> None:
    made = test.TestOp.create(result_types=[IntegerType(32)])
    user = test.TestOp.create(operands=made.results)

    with pytest.raises(IRError, match="operand #0 is defined outside of the encoded"):
        transport_of(context).encode_isolated([(made, ()), (user, ())])
