"""The table of MLIR's passes: none ends the process where it may run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from passgen_runtime import PassRegistry
from passgen_runtime.errors import PipelineError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir_pass_table import known_passes
from passgen_runtime.pipeline_resolution import parse_pass_manager
from tests.mlir_bindings_needed import require_bindings

TEXTS = {
    "builtin.module": "module { func.func @f(%a: i32) -> i32 { return %a : i32 } }",
    "func.func": "func.func @f(%a: i32) { return } func.func private @g(f32)",
    "gpu.module": "gpu.module @m { gpu.func @k(%a: i32) kernel { gpu.return } }",
    "spirv.module": 'spirv.module Logical GLSL450 { spirv.func @f() "None" { spirv.Return } }',
    "llvm.func": "llvm.func @f(%a: i32) -> i32 { llvm.return %a : i32 }",
}
NEED_A_TARGET = {("xegpu-subgroup-distribute", "gpu.module")}
"""MLIR ends the process for a kernel of which it does not know the hardware."""

RUN_ALL = """\
import sys
from passgen_runtime.errors import PassFailure, PipelineError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir_passes import mlir_registry
from passgen_runtime.pipeline_resolution import parse_pass_manager

cases, texts = eval(sys.stdin.read())
context, registry = MLIRContext(), mlir_registry()
context.diagnostic_handler = lambda diagnostic: None
for argument, anchor in cases:
    print(argument, anchor, end=" ", flush=True)
    try:
        manager = parse_pass_manager(
            f"builtin.module({anchor}({argument}))", context, registry
        )
        manager.run(context.parse(f"module {{ {texts[anchor]} }}", "in.mlir"))
        print("ran")
    except PipelineError:
        print("refused")
    except PassFailure:
        print("failed")
"""


def test_each_pass_runs_on_what_it_is_for_and_none_ends_the_process() -> None:
    require_bindings("mlir")
    cases = [
        (argument, anchor)
        for argument in known_passes()
        for anchor in TEXTS
        if (argument, anchor) not in NEED_A_TARGET
    ]
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL],
        input=repr((cases, TEXTS)),
        capture_output=True,
        text=True,
        check=False,
    )
    # The dump of `print-op-stats` and the like goes to standard error.
    lines = [line.split(" ") for line in done.stdout.splitlines()]
    told = {(line[0], line[1]): line[-1] for line in lines if len(line) >= 3}
    assert done.returncode == 0, f"the process has ended in {lines[-1]}"
    restricted = {
        argument: info.anchor
        for argument, info in known_passes().items()
        if info.anchor is not None
    }
    assert len(restricted) > 100
    for argument, anchor in restricted.items():
        elsewhere = {told[argument, each] for each in TEXTS if each != anchor}
        assert elsewhere == {"refused"}, argument
        assert told[argument, anchor] != "refused"


def test_all_passes_of_the_table_are_registered(registry: PassRegistry) -> None:
    missing = [each for each in known_passes() if registry.lookup_pass(each) is None]
    assert not missing


MORE_THAN_THEY_SAY = {"shard-partition", "strip-func-quant-types"}
"""Passes that end the process elsewhere than on the anchor that the table has."""


def test_the_anchors_are_those_that_mlir_knows(context: MLIRContext) -> None:
    parse = context.bindings.passmanager.PassManager.parse
    wrong = []
    for argument, info in known_passes().items():
        for anchor in TEXTS:
            try:
                parse(f"any({anchor}({argument}))", context.mlir)
                is_refused = False
            except ValueError:
                is_refused = True
            is_restricted = info.anchor not in {None, anchor}
            if is_refused != is_restricted and argument not in MORE_THAN_THEY_SAY:
                wrong.append((argument, anchor))
    assert not wrong


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        ("symbol-dce", "SymbolDCE"),
        ("inline", "Inliner"),
        ("convert-to-llvm", "ConvertToLLVMPass"),
        ("convert-func-to-spirv", "ConvertFuncToSPIRVPass"),
    ],
)
def test_what_a_function_cannot_be_is_known_before_the_run(
    argument: str, name: str, context: MLIRContext, registry: PassRegistry
) -> None:
    with pytest.raises(PipelineError) as error:
        parse_pass_manager(f"builtin.module(func.func({argument}))", context, registry)
    assert error.value.message == (
        f"unable to schedule pass '{name}' on a PassManager intended to run on "
        "'func.func'!"
    )
