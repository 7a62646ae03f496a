"""`--help-pass` of a driver whose plugins register dialects."""

from __future__ import annotations

import pytest
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def

from passgen_runtime import PassRegistry
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from passgen_runtime.patterns import RewritePattern
from passgen_tools.opt import main
from tests.pattern_cases import pass_of


@irdl_op_definition
class Gain(IRDLOperation):
    name = "sig.gain"
    value = operand_def()
    result = result_def()
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"


def test_patterns_of_the_drivers_own_dialect_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    registry = PassRegistry()
    builder = PassManagerBuilder(registry=registry)
    builder.register_dialect("sig", lambda: Dialect("sig", [Gain], []))
    once = RewritePattern(
        name="once",
        before="%y = sig.gain %x : f32 -> f32\n%z = sig.gain %y : f32 -> f32",
        after="%z = sig.gain %x : f32 -> f32",
    )
    pass_class = pass_of(once)
    registry.register_pass(pass_class)

    code = main(["--help-pass=example", "--ir=xdsl"], registry=registry)

    assert code == 0
    shown = capsys.readouterr().out
    assert "// once" in shown
    assert shown.count('pdl.operation "sig.gain"') == 3
