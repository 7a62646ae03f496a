"""What an IR library has to provide: DESIGN's methods, and nothing else."""

from __future__ import annotations

from typing import Any

from passgen_runtime import Context
from passgen_runtime.ir.xdsl import XDSLContext

IR = """
func.func @f() {
  %0 = arith.constant 1 : i32
  func.return
}
"""


class NarrowContext(XDSLContext):
    """Has what every context has, and nothing that only xDSL offers."""

    shallow_fingerprint = Context.shallow_fingerprint
    frame = Context.frame  # type: ignore[assignment] # it promises less
    used_dialects = Context.used_dialects
    external_resources = Context.external_resources


def test_a_context_has_few_abstract_methods() -> None:
    assert Context.__abstractmethods__ == {
        "children",
        "clone",
        "decode",
        "encode",
        "fingerprint",
        "info",
        "load_dialects",
        "location",
        "lookup",
        "name",
        "parent",
        "parse",
        "print",
        "registered_dialects",
        "symbol_name",
        "verify",
    }


def test_the_derived_methods_need_only_these() -> None:
    context = NarrowContext()
    module = context.parse(IR, "f.mlir")
    function: Any = context.children(module)[0]
    constant: Any = context.children(function)[0]
    shallow = context.shallow_fingerprint(function)
    frame = context.frame(function)

    assert context.used_dialects(module) == {"builtin", "func", "arith"}
    assert not context.external_resources(module)
    assert context.frame(context.clone(function)) != frame

    constant.detach()
    constant.erase()
    assert context.shallow_fingerprint(function) == shallow
    assert context.frame(function) == frame

    function.attributes["sym_name"] = type(function.sym_name)("g")
    assert context.shallow_fingerprint(function) != shallow
    assert context.frame(function) == frame
