"""The examples of the proposal "Pass Manager Builder", on a small compiler.

Section by section: bundles, weak and strong order, insertion before and after, variable
order, integration. The compiler is `tests/toy_compiler`, whose passes, bundles and
pipelines are generated from its spec; the tool that comes from elsewhere is here.
"""

from __future__ import annotations

import textwrap

import pytest
from xdsl.dialects import memref, tensor
from xdsl.rewriter import Rewriter

from passgen_runtime import (
    OperationPass,
    PassOptions,
    PassRegistry,
    before,
    register_pass,
    tag,
)
from passgen_runtime.extensions.builder import (
    PassBundle,
    PassManagerBuilder,
    PipelineConstraintError,
    PipelineEditError,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import register_all_passes
from tests.toy_compiler.generated.toy_compiler_passes import (
    Ingress,
    LoweringPipelineOptions,
    OneShotBufferizePassBase,
    addCleanupPasses,
    addProgramIngressPasses,
    buildLoweringPipeline,
    registerToyCompilerPasses,
    registerToyCompilerPipelines,
)

MODULE = """\
func.func @main(%x: f32, %i: index) -> f32 {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert %x into %empty[%i] : tensor<4xf32>
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}
func.func @unused() { return }
"""


class MyTensorPass(OperationPass[PassOptions]):
    """Says how many tensors it has seen."""

    argument = "my-tensor-pass"
    tags = ("tensor",)
    ordering = (before(tag("bufferization")),)

    def run_on_operation(self) -> None:
        found = sum(isinstance(each, tensor.InsertOp) for each in self.operation.walk())
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


@pytest.fixture
def registry() -> PassRegistry:
    registry = PassRegistry()
    register_all_passes(registry)
    registerToyCompilerPasses(registry)
    registerToyCompilerPipelines(registry)
    register_pass(MyTensorPass, registry)
    register_pass(MyMemrefPass, registry)
    return registry


@pytest.fixture
def builder(registry: PassRegistry) -> PassManagerBuilder:
    return PassManagerBuilder(XDSLContext(), registry=registry)


def passes(builder: PassManagerBuilder) -> str:
    """Return the names of the passes, in order."""
    return ",".join(each.argument for each in builder.build().passes())


def run(builder: PassManagerBuilder) -> str:
    """Return what the pipeline makes of the module, with what passes say about it."""
    context = builder.context
    assert context is not None
    said: list[str] = []
    context.diagnostic_handler = lambda each: said.append(f"// {each.message}\n")
    module = context.parse(MODULE, "toy.mlir")
    builder.build().run(module)
    return "".join((*said, context.print(module)))


class TestPassBundles:
    """Passes that usually, or always, go together."""

    def test_clean_up_is_a_bundle_of_the_spec(
        self, builder: PassManagerBuilder
    ) -> None:
        builder.add("one-shot-bufferize")
        addCleanupPasses(builder)

        assert passes(builder) == "one-shot-bufferize,canonicalize,cse"

    def test_a_bundle_can_be_written_in_python_too(
        self, builder: PassManagerBuilder
    ) -> None:
        bufferization = PassBundle("bufferize", ("one-shot-bufferize", "cse"))

        builder.add_bundle(bufferization)
        builder.add_bundle(addCleanupPasses)

        assert passes(builder) == "one-shot-bufferize,cse,canonicalize,cse"

    def test_a_bundle_need_not_continue_as_a_block(
        self, builder: PassManagerBuilder
    ) -> None:
        addCleanupPasses(builder)
        builder.insert_after(MyTensorPass, "canonicalize")
        builder.add_bundle(PassBundle("bufferize", ("one-shot-bufferize", "cse")))

        assert passes(builder) == (
            "canonicalize,my-tensor-pass,cse,one-shot-bufferize,cse"
        )

    def test_what_two_bundles_have_in_common_runs_once(
        self, builder: PassManagerBuilder
    ) -> None:
        addCleanupPasses(builder)
        addProgramIngressPasses(builder)
        addCleanupPasses(builder)
        addCleanupPasses(builder)

        done = builder.economize()

        assert passes(builder) == (
            "canonicalize,cse,symbol-privatize,symbol-dce,canonicalize,cse"
        )
        assert done == [
            "removed 'canonicalize', 7. before, repeats 5. and nothing between them undoes it",
            "removed 'cse', 7. before, repeats 6. and nothing between them undoes it",
        ]


class TestOrder:
    """Passes know what they must come before and after."""

    def test_strong_order_is_an_error_at_construction(
        self, builder: PassManagerBuilder
    ) -> None:
        builder.add("canonicalize")

        with pytest.raises(PipelineConstraintError) as caught:
            builder.add("lower-memref-to-ptr")

        options = "max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true"
        column = len(f"builtin.module(canonicalize{{{options}}},")
        assert str(caught.value).splitlines()[0] == (
            f"pass-pipeline:1:{column + 1}: error: pass 'lower-memref-to-ptr' must come after a pass with tag 'bufferization', which the pipeline does not hold"
        )
        assert str(caught.value).splitlines()[-1] == (
            "note: the rule is declared in tests/toy_compiler/toy_compiler.yaml: LowerMemRefToPtr.after"
        )
        assert passes(builder) == "canonicalize"

    def test_weak_order_is_fulfilled_by_any_clean_up_behind(
        self, builder: PassManagerBuilder
    ) -> None:
        builder.add("one-shot-bufferize")

        assert [each.message for each in builder.check()] == [
            "pass 'one-shot-bufferize' must be cleaned up by 'canonicalize' or 'cse', none of which follows"
        ]

        builder.add("lower-memref-to-ptr")
        builder.add("cse")

        assert builder.check() == []

    def test_a_clean_up_is_inserted_where_it_is_wanted(
        self, builder: PassManagerBuilder
    ) -> None:
        builder.add("one-shot-bufferize")
        builder.add("lower-memref-to-ptr")

        done = builder.economize()

        assert passes(builder) == (
            "one-shot-bufferize,canonicalize,lower-memref-to-ptr"
        )
        assert done == [
            "inserted 'canonicalize' after 'one-shot-bufferize': 'one-shot-bufferize' asks for it (tests/toy_compiler/toy_compiler.yaml: OneShotBufferize.cleanup)"
        ]


def register_dialects_and_passes(builder: PassManagerBuilder) -> None:
    """Extend any pipeline that uses one-shot bufferization: the tool's only knowledge."""
    # Tensor passes (we only support one-shot bufferization)
    builder.insert_before(MyTensorPass, OneShotBufferizePassBase)
    # Memref passes (we only support one-shot bufferization)
    builder.insert_after(MyMemrefPass, "one-shot-bufferize")
    # Before any LLVM lowering passes (which can come in any order)
    builder.insert_before(MyMemrefPass, tag("llvm-lowering"))


class TestInsertBeforeAndAfter:
    """A tool that puts its passes around one-shot bufferization."""

    def test_the_tool_extends_a_pipeline_that_does_not_know_it(
        self, builder: PassManagerBuilder
    ) -> None:
        buildLoweringPipeline(builder)

        register_dialects_and_passes(builder)

        assert passes(builder) == (
            "canonicalize,cse,my-tensor-pass,one-shot-bufferize,my-memref-pass,canonicalize,cse,my-memref-pass,lower-memref-to-ptr,canonicalize,cse"
        )
        assert run(builder) == textwrap.dedent("""\
            // 1 insertions into tensors
            builtin.module {
              func.func @main(%x: f32, %i: index) -> f32 {
                %empty = memref.alloc() : memref<4xf32>
                %empty_1 = ptr_xdsl.to_ptr %empty : memref<4xf32> -> !ptr_xdsl.ptr
                %bytes_per_element = ptr_xdsl.type_offset f32 : index
                %scaled_pointer_offset = arith.muli %i, %bytes_per_element : index
                %offset_pointer = ptr_xdsl.ptradd %empty_1, %scaled_pointer_offset : (!ptr_xdsl.ptr, index) -> !ptr_xdsl.ptr
                ptr_xdsl.store %x, %offset_pointer : f32, !ptr_xdsl.ptr
                func.return %x : f32
              }
              func.func @unused() {
                func.return
              }
            }""")

    def test_the_tool_is_told_if_the_pipeline_has_no_one_shot_bufferization(
        self, builder: PassManagerBuilder
    ) -> None:
        addProgramIngressPasses(builder)

        with pytest.raises(PipelineEditError) as caught:
            register_dialects_and_passes(builder)

        assert str(caught.value) == (
            "the pipeline holds nothing that is OneShotBufferizePassBase\n"
            "note: its passes are symbol-privatize, symbol-dce"
        )

    def test_an_insertion_that_breaks_a_rule_is_refused(
        self, builder: PassManagerBuilder
    ) -> None:
        buildLoweringPipeline(builder)
        pipeline = str(builder)

        with pytest.raises(PipelineConstraintError) as caught:
            builder.insert_after(MyTensorPass, "one-shot-bufferize")

        assert [each.message for each in caught.value.violations] == [
            "pass 'my-tensor-pass' must come before a pass with tag 'bufferization', but comes after 'one-shot-bufferize'"
        ]
        assert str(builder) == pipeline


class TestVariablePipelineOrder:
    """The order is variable while the pipeline is built, and linear afterwards."""

    def test_a_built_pass_manager_is_an_ordinary_one(
        self, builder: PassManagerBuilder
    ) -> None:
        builder.add("cse")
        manager = builder.build()
        builder.insert_before("func.func(canonicalize)", "cse")

        assert str(manager) == "builtin.module(cse)"
        assert passes(builder) == "canonicalize,cse"


class TestIntegration:
    """A framework with ingress and lowering, and a helper that may be there."""

    @pytest.mark.parametrize(
        ("ingress", "first"),
        [
            (Ingress.LIBRARY, "canonicalize,cse,one-shot-bufferize"),
            (Ingress.PROGRAM, "symbol-privatize,symbol-dce,canonicalize"),
        ],
    )
    def test_the_framework_builds_its_pipeline_by_what_comes_in(
        self, builder: PassManagerBuilder, ingress: Ingress, first: str
    ) -> None:
        buildLoweringPipeline(builder, LoweringPipelineOptions(ingress=ingress))

        assert passes(builder).startswith(f"{first},")

    def test_the_builder_is_handed_to_the_helper_and_back(
        self, builder: PassManagerBuilder
    ) -> None:
        # Ingress
        with builder.stage("ingress"):
            addProgramIngressPasses(builder)
        # etc. until LLVM lowering
        builder.add("one-shot-bufferize")
        with builder.stage("lowering"):
            builder.add("lower-memref-to-ptr")
            addCleanupPasses(builder)

        # Check if some external helper is available
        for helper in (register_dialects_and_passes,):
            helper(builder)

        assert passes(builder) == (
            "symbol-privatize,symbol-dce,my-tensor-pass,one-shot-bufferize,my-memref-pass,my-memref-pass,lower-memref-to-ptr,canonicalize,cse"
        )
        assert "@unused" not in run(builder)
