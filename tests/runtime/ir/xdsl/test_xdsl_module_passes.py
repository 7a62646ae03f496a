from __future__ import annotations

from pathlib import Path

import pytest

from passgen_runtime import PassRegistry, parse_pass_manager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.module_passes import register_xdsl_passes


@pytest.mark.process  # importing xDSL's interpreter calls `file`
def test_every_pass_has_options_and_a_place() -> None:
    registry = PassRegistry()
    register_xdsl_passes(registry)
    for entry in registry.passes():
        assert entry.options_class.declared_options() is not None
        assert entry.origin
        assert "\n" not in entry.summary


@pytest.mark.process
def test_a_pass_may_load_a_dialect_while_it_runs(tmp_path: Path) -> None:
    pdl = tmp_path / "patterns.mlir"
    pdl.write_text(
        "pdl.pattern : benefit(1) {\n"
        "  %x = pdl.operand\n"
        "  %type = pdl.type\n"
        '  %root = pdl.operation "arith.addi"(%x, %x : !pdl.value, !pdl.value)'
        " -> (%type : !pdl.type)\n"
        "  pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }\n"
        "}\n"
    )
    context, registry = XDSLContext(), PassRegistry()
    register_xdsl_passes(registry)
    module = context.parse(
        "func.func @f(%x: i32) -> i32 {\n"
        "  %0 = arith.addi %x, %x : i32\n  return %0 : i32\n}",
        "f",
    )

    text = f'builtin.module(apply-pdl{{pdl-file="{pdl}"}})'
    parse_pass_manager(text, context, registry).run(module)

    assert "addi" not in context.print(module)
