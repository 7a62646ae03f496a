"""What is no attribute is found after the pass that has put it there."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr

from passgen_runtime import OperationPass, PassFailure, PassManager, PassOptions
from passgen_runtime.errors import IRError
from passgen_runtime.ir.xdsl import XDSLContext

WRONG: dict[str, tuple[object, object]] = {
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
}


class Spoil(OperationPass[PassOptions]):
    anchor = "func.func"
    entry: tuple[Any, Any] = ("x", "text")

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


@pytest.mark.parametrize("generic", [False, True])
def test_printing_names_the_operation(generic: bool) -> None:  # noqa: FBT001
    context = XDSLContext()
    module = context.parse("func.func @f() {\n  return\n}", "f.mlir")
    *_, returned = module.walk()
    returned.attributes["x"] = "text"  # type: ignore[assignment] # the mistake

    with pytest.raises(IRError, match=r"f.mlir:2:3: error: 'func.return' op cannot be"):
        context.print(module, generic=generic)
