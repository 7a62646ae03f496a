"""MLIR's passes as Python values, wherever a pass goes."""

from __future__ import annotations

import ast
import dataclasses
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

from passgen_runtime import (
    OpPassManager,
    PassManager,
    PassRegistry,
    SchedulingError,
    after,
    parse_pass_manager,
)
from passgen_runtime.ir.mlir import MLIRContext, mlir_registry, passes
from passgen_runtime.ir.mlir.known_passes import llvm_passes
from passgen_runtime.ir.mlir.pass_versions import version_dependent_options
from passgen_runtime.ir.mlir.passes import CSE, AffineLoopUnroll, Canonicalizer
from passgen_runtime.operation_pass import OperationPass
from passgen_runtime.pass_manager_builder import PassBundle, PassManagerBuilder
from passgen_runtime.pass_options import PassOptions
from tests.mlir_bindings_needed import require_bindings

STUB = Path(passes.__file__).with_suffix(".pyi")

FUNCTION = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
"""


def test_classes_are_made_from_the_table_as_the_stub_says() -> None:
    tree = ast.parse(STUB.read_text("utf-8"))
    declared = {
        node.name: {
            ast.unparse(part.target): ast.unparse(part.value)
            for part in node.body
            if isinstance(part, ast.AnnAssign) and part.value is not None
        }
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name != "LLVMPass"
    }

    made = {
        pass_class.__name__: {
            field.name: repr(field.default) for field in dataclasses.fields(pass_class)
        }
        for pass_class in passes.passes
    }

    assert made == declared
    assert len(made) == len(llvm_passes())


@pytest.mark.process
def test_mlir_reads_each_pass_with_each_option_and_prints_it_back() -> None:
    require_bindings("mlir")
    done = subprocess.run(
        [sys.executable, "-m", "tests.runtime.ir.mlir.printed_passes"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]

    refused = {text: error for text, error, _ in lines if error}
    ended = {text for text, error, shown in lines if not error and shown is None}
    others = {
        words(text)[2]
        for text, _, shown in lines
        if shown is not None and words(text) != words(shown)
    }

    with_options_of_some_versions = {
        name
        for name, info in llvm_passes().items()
        if version_dependent_options(name) & info.options.keys()
    }

    assert len(lines) == len(llvm_passes()) + sum(
        len(info.options) for info in llvm_passes().values()
    )
    assert refused == {}
    # Its default is none of its values.
    assert ended == {"any(llvm-use-default-visibility)"}
    # A number has more digits; a default that only C++ knows is printed, too.
    assert others - with_options_of_some_versions == {
        "affine-loop-fusion",
        "transform-interpreter",
    }
    # Another version would refuse their defaults.
    assert with_options_of_some_versions <= others


def words(text: str) -> list[str]:
    # MLIR prints braces without options, and texts without quotes.
    return re.findall(r"[^\s{}()]+|[{}()]", re.sub(r"\{ *\}|'", "", text))


def test_a_manager_runs_them(context: MLIRContext) -> None:
    manager = PassManager(context)
    functions = manager.nest("func.func")
    functions.add_pass(Canonicalizer(top_down=False))
    functions.add_pass(CSE())
    module = context.parse(FUNCTION, "f.mlir")

    manager.run(module)

    assert str(module).count("arith.addi") == 1
    assert str(manager).startswith("builtin.module(func.func(canonicalize{max-iter")
    assert parse_pass_manager(str(manager), context, mlir_registry()) == manager
    assert pickle.loads(pickle.dumps(CSE())) == CSE()  # noqa: S301 - its own bytes


def test_the_text_is_that_of_the_bindings_own_manager(context: MLIRContext) -> None:
    text = f"builtin.module(func.func({AffineLoopUnroll(unroll_factor=4)},{CSE()}))"
    parse = context.bindings.passmanager.PassManager.parse

    assert str(parse(text, context.mlir)) == text


def test_a_wrong_anchor_is_refused_when_the_pass_is_added(context: MLIRContext) -> None:
    with pytest.raises(SchedulingError, match="unable to schedule pass 'AffineLoopUn"):
        PassManager(context).add_pass(AffineLoopUnroll())
    with pytest.raises(SchedulingError, match=r"restricted to 'func.func'"):
        OpPassManager("builtin.module").add_pass(passes.AffineScalarReplacement())


def test_a_builder_takes_values_and_classes(context: MLIRContext) -> None:
    builder = PassManagerBuilder(registry=mlir_registry(), context=context)
    builder.add(CSE)
    builder.add(PassBundle("cleanup", (Canonicalizer(max_iterations=1), CSE)))
    builder.insert_before(passes.SymbolDCE(), Canonicalizer)

    built = builder.build()

    assert [pass_.argument for pass_ in built.passes()] == [
        "cse", "symbol-dce", "canonicalize", "cse"
    ]  # fmt: skip


class _AfterCSE(OperationPass[PassOptions]):
    argument = "after-cse"
    ordering = (after("cse"),)

    def run_on_operation(self) -> None:
        """Do nothing."""


def test_ordering_rules_hold_for_values(context: MLIRContext) -> None:
    builder = PassManagerBuilder(context=context)
    builder.add(CSE())
    builder.add(_AfterCSE)

    assert len(builder.build()) == 2


class _RunsPipeline(OperationPass[PassOptions]):
    def run_on_operation(self) -> None:
        pipeline = OpPassManager("builtin.module")
        pipeline.nest("func.func").add_pass(CSE())
        self.run_pipeline(pipeline, self.operation)


def test_they_run_in_dynamic_pipelines(context: MLIRContext) -> None:
    manager = PassManager(context)
    manager.add_pass(_RunsPipeline())
    module = context.parse(FUNCTION, "f.mlir")

    manager.run(module)

    assert str(module).count("arith.addi") == 1


def test_a_name_that_llvm_lacks_suggests_the_nearest() -> None:
    with pytest.raises(AttributeError, match="did you mean 'Canonicalizer'"):
        _ = passes.Canonicaliser  # type: ignore[attr-defined]


def test_a_registry_is_needed_for_texts_only(context: MLIRContext) -> None:
    manager = PassManager(context)
    manager.add_pass(passes.Inliner(op_pipelines=["func.func(cse)"]))
    manager.run(context.parse(FUNCTION, "f.mlir"))

    assert PassRegistry().lookup("inline") is None


def test_a_star_import_brings_all_classes() -> None:
    names: dict[str, object] = {}

    exec("from passgen_runtime.ir.mlir.passes import *", names)  # noqa: S102 - above

    assert names["Canonicalizer"] is passes.Canonicalizer
    assert len(names) > len(passes.passes)
