"""The table of MLIR's passes: none ends the process where it may run."""

from __future__ import annotations

import subprocess
import sys
from typing import TypeAlias

import pytest

from passgen_runtime import PassRegistry
from passgen_runtime.errors import PipelineError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.pass_table import known_passes
from passgen_runtime.pipeline_resolution import parse_pass_manager
from tests.mlir_bindings_needed import require_bindings

TEXTS = {
    "builtin.module": "module { func.func @f(%a: i32) -> i32 { return %a : i32 } }",
    "func.func": "func.func @f(%a: i32) { return } func.func private @g(f32)",
    "gpu.module": "gpu.module @m { gpu.func @k(%a: i32) kernel { gpu.return } }",
    "spirv.module": 'spirv.module Logical GLSL450 { spirv.func @f() "None" { spirv.Return } }',
    "llvm.func": "llvm.func @f(%a: i32) -> i32 { llvm.return %a : i32 }",
}
END_THE_PROCESS = {
    ("xegpu-subgroup-distribute", "gpu.func"),
    ("xegpu-propagate-layout", "llvm.func"),
}
"""What MLIR does not survive in the operation that these passes run on.

Of a kernel it does not know the hardware, and the types of a function it takes for
those of `func.func`.
"""

NESTED = "module { module { func.func @f() { return } } func.func private @g() }"
SHAPES = ("any({})", "builtin.module(any({}))", "any(any({}))")

RUN_ALL = """\
import sys
from passgen_runtime.errors import PassFailure, PipelineError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.native_passes import mlir_registry
from passgen_runtime.pipeline_resolution import parse_pass_manager

cases = eval(sys.stdin.read())
context, registry = MLIRContext(), mlir_registry()
context.diagnostic_handler = lambda diagnostic: None
for argument, pipeline, text in cases:
    print(argument, pipeline, end=" ", flush=True)
    try:
        manager = parse_pass_manager(pipeline, context, registry)
        manager.run(context.parse(text, "in.mlir"))
        print("ran")
    except PipelineError:
        print("refused")
    except PassFailure:
        print("failed")
"""


Case: TypeAlias = tuple[str, str, str]
"""Of a pass: its argument, a pipeline that runs it, and the IR that it runs on."""


def run_all(cases: list[Case]) -> list[str]:
    """Run `cases` in one process, which must not end; return what became of each."""
    require_bindings("mlir")
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL],
        input=repr(cases),
        capture_output=True,
        text=True,
        check=False,
    )
    # The dump of `print-op-stats` and the like goes to standard error.
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"the process has ended in {lines[-1]}"
    outcomes = []
    remaining = iter(lines)
    for argument, pipeline, _ in cases:
        beginning = f"{argument} {pipeline} "
        line = next(each for each in remaining if each.startswith(beginning))
        outcomes.append(line.removeprefix(beginning))
    return outcomes


def is_survived(argument: str, text: str) -> bool:
    return not any(
        each == argument and operation in text for each, operation in END_THE_PROCESS
    )


def test_each_pass_runs_on_what_it_is_for_and_none_ends_the_process() -> None:
    keys = [
        (argument, anchor)
        for argument in known_passes()
        for anchor in TEXTS
        if is_survived(argument, TEXTS[anchor]) or anchor == "llvm.func"
    ]
    outcomes = run_all(
        [
            (
                argument,
                f"builtin.module({anchor}({argument}))",
                f"module {{ {TEXTS[anchor]} }}",
            )
            for argument, anchor in keys
        ]
    )
    told = dict(zip(keys, outcomes, strict=True))
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


def test_in_any_each_pass_runs_where_it_may_and_none_ends_the_process() -> None:
    texts = [*TEXTS.values(), NESTED]
    cases = [
        (argument, shape.format(argument), text)
        for argument in known_passes()
        for shape in SHAPES
        for text in texts
        if is_survived(argument, text)
    ]
    outcomes = run_all(cases)
    assert "refused" not in outcomes
    assert outcomes.count("ran") > 4_000


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
