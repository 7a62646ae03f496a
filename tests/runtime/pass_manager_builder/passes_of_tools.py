"""A tool's passes for the toy compiler, and how it extends any pipeline."""

from __future__ import annotations

from xdsl.dialects import memref, tensor
from xdsl.rewriter import Rewriter

from passgen_runtime import (
    OperationPass,
    PassOptions,
    PassRegistry,
    analysis,
    before,
    register_pass,
    tag,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from passgen_runtime.passes import register_all_passes
from tests.toy_compiler.generated.toy_compiler_passes import (
    OneShotBufferizePassBase,
    registerToyCompilerPasses,
    registerToyCompilerPipelines,
)


class MyTensorPass(OperationPass[PassOptions]):
    """Says how many tensors it has seen."""

    argument = "my-tensor-pass"
    tags = ("tensor",)
    ordering = (before(tag("bufferization")),)

    def run_on_operation(self) -> None:
        operations = self.operation.walk()
        found = sum(isinstance(operation, tensor.InsertOp) for operation in operations)
        self.emit_remark(f"{found} insertions into tensors")


class MyMemrefPass(OperationPass[PassOptions]):
    """Erases loads of what was stored right before."""

    argument = "my-memref-pass"
    tags = ("memref",)

    def run_on_operation(self) -> None:
        for load in list(self.operation.walk()):
            store = load.prev_op
            if isinstance(load, memref.LoadOp) and isinstance(store, memref.StoreOp):
                Rewriter.replace_op(load, [], [store.value])


class Annotate(OperationPass[PassOptions]):
    """Changes attributes, which leave the schedule as it is."""

    argument = "annotate"
    preserved_analyses = (analysis("tests.toy_compiler.schedule:Schedule"),)

    def run_on_operation(self) -> None:
        self.operation.attributes.pop("note", None)


def register_dialects_and_passes(builder: PassManagerBuilder) -> None:
    """Extend any pipeline that uses one-shot bufferization: the tool's only knowledge."""
    # Tensor passes (we only support one-shot bufferization)
    builder.insert_before(MyTensorPass, OneShotBufferizePassBase)
    # Memref passes (we only support one-shot bufferization)
    builder.insert_after(MyMemrefPass, "one-shot-bufferize")
    # Before any LLVM lowering passes (which can come in any order)
    builder.insert_before(MyMemrefPass, tag("llvm-lowering"))


def toy_builder(*, defers_checks: bool = False) -> PassManagerBuilder:
    """Return a builder that knows the shipped passes, the toy compiler and the tool."""
    registry = PassRegistry()
    register_all_passes(registry)
    registerToyCompilerPasses(registry)
    registerToyCompilerPipelines(registry)
    register_pass(MyTensorPass, registry)
    register_pass(MyMemrefPass, registry)
    return PassManagerBuilder(
        XDSLContext(), registry=registry, defers_checks=defers_checks
    )


def passes(builder: PassManagerBuilder) -> str:
    """Return the names of the passes, in order."""
    return ",".join(pass_.argument for pass_ in builder.build().passes())


def run(builder: PassManagerBuilder, text: str) -> str:
    """Return what the pipeline makes of IR, with what passes say about it."""
    context = builder.context
    assert context is not None
    said: list[str] = []
    context.diagnostic_handler = lambda found: said.append(f"// {found.message}\n")
    module = context.parse(text, "toy.mlir")
    builder.build().run(module)
    return "".join((*said, context.print(module)))
