"""What an IR library has to provide: DESIGN's methods, and nothing else."""

from __future__ import annotations

import inspect
from typing import Any

from passgen_runtime import Context
from passgen_runtime.diagnostics import DiagnosticEngine
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.adaptors import Inspector

IR = """
func.func @f() {
  %0 = arith.constant 1 : i32
  func.return
}
"""


class NarrowContext(XDSLContext):
    """Has what every context has, and nothing that only xDSL offers."""


def test_a_context_has_few_abstract_methods() -> None:
    assert Context.__abstractmethods__ == {
        "children",
        "clone",
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


def test_a_context_derives_at_most_17_members() -> None:
    derived = {
        name
        for name, member in vars(Context).items()
        if not name.startswith("_")
        and name not in Context.__abstractmethods__
        and (callable(member) or inspect.isdatadescriptor(member))
        and name not in vars(DiagnosticEngine)
    }
    assert len(derived) <= 17, derived


def test_an_inspector_needs_only_the_methods_of_a_context() -> None:
    context = NarrowContext()
    inspector = Inspector(context)
    module = context.parse(IR, "f.mlir")
    function: Any = context.children(module)[0]
    constant: Any = context.children(function)[0]
    shallow = inspector.shallow_fingerprint(function)
    frame = inspector.frame(function)

    assert inspector.used_dialects(module) == {"builtin", "func", "arith"}
    assert inspector.frame(context.clone(function)) != frame

    constant.detach()
    constant.erase()
    assert inspector.shallow_fingerprint(function) == shallow
    assert inspector.frame(function) == frame

    function.attributes["sym_name"] = type(function.sym_name)("g")
    assert inspector.shallow_fingerprint(function) != shallow
    assert inspector.frame(function) == frame
