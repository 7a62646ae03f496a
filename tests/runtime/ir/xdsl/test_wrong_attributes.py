"""What is no attribute is found after the pass that has put it there."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import isabstract
from typing import Any, ClassVar

import pytest
from xdsl.dialects import builtin, test
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    BytesAttr,
    DictionaryAttr,
    FileLineColLoc,
    FloatData,
    IntAttr,
    IntegerAttr,
    NameLoc,
    SignednessAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnknownLoc,
    VectorType,
    i8,
    i32,
)
from xdsl.ir import Attribute, Block, Data, Region

from passgen_runtime import OperationPass, PassFailure, PassManager, PassOptions
from passgen_runtime.errors import IRError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.attribute_check import DATA_KINDS

WRONG: dict[str, Any] = {
    "attribute 'x' is 'text', which is no attribute": ("x", "text"),
    "attribute 'x' is [1], which": ("x", [1]),
    "attribute 'x' is None, which": ("x", None),
    "attribute 'x' is <class 'xdsl.dialects.builtin.StringAttr'>": ("x", StringAttr),
    "attribute 'x' has in it 'a', which": ("x", ArrayAttr[Any](["a"])),
    "attribute 'x' has in it 'b', which": (
        "x",
        ArrayAttr[Any]([DictionaryAttr({"a": "b"})]),  # type: ignore[dict-item]
    ),
    "attribute name 3 is no text": (3, StringAttr("text")),
    "attribute 'x' is StringAttr(7): expected data of type str": (
        "x",
        StringAttr.new(7),
    ),
    "attribute 'x' is IntAttr('x'): expected data of type int": ("x", IntAttr.new("x")),
    "attribute 'x' is IntAttr(True): expected data of type int": (
        "x",
        IntAttr.new(bool(1)),
    ),
    "attribute 'x' is BytesAttr('x'): expected data of type bytes": (
        "x",
        BytesAttr.new("x"),
    ),
    "attribute 'x' is FloatData('1.0'): expected data of type float": (
        "x",
        FloatData.new("1.0"),
    ),
    "attribute 'x' is SignednessAttr('signed'): expected data of type Signedness": (
        "x",
        SignednessAttr.new("signed"),
    ),
    "attribute 'x' is AffineMapAttr(3): expected data of type AffineMap": (
        "x",
        AffineMapAttr.new(3),
    ),
    "attribute 'x' is AffineSetAttr(None): expected data of type AffineSet": (
        "x",
        AffineSetAttr.new(None),
    ),
    "attribute 'x' is a DictionaryAttr with the name 3, which is no text": (
        "x",
        DictionaryAttr.new({3: StringAttr("a")}),
    ),
    "attribute 'x' has in it StringAttr(7): expected data of type str": (
        "x",
        ArrayAttr([DictionaryAttr({"a": SymbolRefAttr(StringAttr.new(7))})]),
    ),
    "attribute 'sym_name' is StringAttr(7): expected": ("sym_name", StringAttr.new(7)),
}


class Spoil(OperationPass[PassOptions]):
    anchor = "func.func"
    entry: Any = ("x", "text")

    def run_on_operation(self) -> None:
        name, value = self.entry
        for operation in self.operation.walk():
            if operation.name == "func.return":
                operation.attributes[name] = value


@pytest.mark.parametrize("message", WRONG)
def test_the_pass_and_the_operation_are_named(message: str) -> None:
    context = XDSLContext()
    module = context.parse("func.func @f() {\n  return\n}", "f.mlir")
    diagnostics: list[object] = []
    context.diagnostic_handler = diagnostics.append
    manager = PassManager(context)
    spoil = Spoil()
    spoil.entry = WRONG[message]
    manager.nest("func.func").add_pass(spoil)

    with pytest.raises(PassFailure, match="Spoil"):
        manager.run(module)

    assert f"f.mlir:2:3: error: 'func.return' op {message}" in str(diagnostics[0])


@pytest.mark.parametrize(
    "attribute", [IntegerAttr.from_bool(value=True), VectorType(i8, [2])], ids=str
)
def test_an_integer_that_xdsl_makes_of_a_bool_is_valid(attribute: Attribute) -> None:
    context = XDSLContext()
    module = context.parse("func.func @f() {\n  return\n}", "f.mlir")
    manager = PassManager(context)
    spoil = Spoil()
    spoil.entry = ("x", attribute)
    manager.nest("func.func").add_pass(spoil)

    manager.run(module)

    printed = context.print(module)
    assert context.print(context.parse(printed, "f.mlir")) == printed


class SpoilItself(OperationPass[PassOptions]):
    argument = "spoil-itself"
    anchor = "func.func"
    spoil: ClassVar[Callable[[Any], None]]

    def run_on_operation(self) -> None:
        type(self).spoil(self.operation)


def spoil_symbol(function: Any) -> None:  # noqa: ANN401 - a function of xDSL
    function.properties["sym_name"] = StringAttr.new(7)


def spoil_location(function: Any) -> None:  # noqa: ANN401 - a function of xDSL
    function.location = NameLoc.new([StringAttr.new(1), UnknownLoc()])


@pytest.mark.parametrize("spoil", [spoil_symbol, spoil_location])
def test_the_pass_is_named_where_its_own_operation_is_wrong(
    spoil: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SpoilItself, "spoil", staticmethod(spoil), raising=False)
    context = XDSLContext()
    manager = PassManager(context)
    manager.nest("func.func").add_pass(SpoilItself())

    message = "pass 'spoil-itself' failed on 'func.func' operation"
    with pytest.raises(PassFailure, match=message):
        manager.run(context.parse("func.func @f() {\n  return\n}", "f.mlir"))


@pytest.mark.parametrize("generic", [False, True])
def test_printing_names_the_operation(generic: bool) -> None:  # noqa: FBT001
    context = XDSLContext()
    module = context.parse("func.func @f() {\n  return\n}", "f.mlir")
    *_, returned = module.walk()
    returned.attributes["x"] = "text"  # type: ignore[assignment] # the mistake

    with pytest.raises(IRError, match=r"f.mlir:2:3: error: 'func.return' op cannot be"):
        context.print(module, generic=generic)


def test_each_builtin_attribute_with_data_has_a_kind() -> None:
    with_data = {
        value
        for value in vars(builtin).values()
        if isinstance(value, type)
        and issubclass(value, Data)
        and value.__module__ == builtin.__name__
        and not isabstract(value)
        and "name" in vars(value)
    }

    assert with_data == set(DATA_KINDS)


WRONG_TYPE = TensorType[Any](i32, ArrayAttr([IntAttr.new("4")]))
WRONG_PLACE = FileLineColLoc(StringAttr("f.mlir"), IntAttr(3), IntAttr.new("3"))


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (
            test.TestOp.create(result_types=[WRONG_TYPE]),
            "the type of a result has in it",
        ),
        (
            test.TestOp.create(location=WRONG_PLACE),
            "the location has in it IntAttr('3'): ",
        ),
        (
            test.TestOp.create(regions=[Region(Block(arg_types=[WRONG_TYPE]))]),
            "the type of a block argument has in it IntAttr('4'): expected data of",
        ),
    ],
)
def test_types_and_locations_are_checked(operation: test.TestOp, message: str) -> None:
    with pytest.raises(IRError, match=f"'test.op' op {re.escape(message)}"):
        XDSLContext().verify(operation)


def test_what_was_checked_is_remembered_only_while_it_lives() -> None:
    context = XDSLContext()
    for number in range(1000):
        operation = test.TestOp.create(attributes={"x": StringAttr(str(number))})
        context.verify(operation)
    operation.attributes["x"] = StringAttr.new(7)

    with pytest.raises(IRError, match=r"attribute 'x' is StringAttr\(7\)"):
        context.verify(operation)
