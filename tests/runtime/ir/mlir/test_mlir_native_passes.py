"""MLIR's own passes in pipelines of `passgen_runtime`."""

from __future__ import annotations

from typing import Any

import pytest

from passgen_runtime import PassFailure, PassOptionError, PassRegistry, PipelineError
from passgen_runtime.context import Operation
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.native_passes import use_mlir_passes
from passgen_runtime.ir.mlir.native_pipeline import NativePass, NativePipeline
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass.operation_pass import Pass
from passgen_runtime.pass_instrumentation import Detail, PassInstrumentation
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from passgen_runtime.pass_registry.resolution import parse_pass_manager
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.generated.affine_passes import registerAffinePasses
from tests.mlir_bindings_needed import RunPipeline

TWICE = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
"""
ONCE = """\
module {
  func.func @f(%arg0: i32) -> i32 {
    %0 = arith.addi %arg0, %arg0 : i32
    %1 = arith.addi %0, %0 : i32
    return %1 : i32
  }
}"""


def test_a_native_pass_runs_by_its_name(
    any_context: MLIRContext, any_registry: PassRegistry
) -> None:
    module = any_context.parse(TWICE, "in.mlir")
    manager = parse_pass_manager(
        "builtin.module(func.func(cse))", any_context, any_registry
    )
    manager.run(module)
    assert any_context.print(module) == ONCE


def test_a_pipeline_is_printed_as_it_was_written(
    context: MLIRContext, registry: PassRegistry
) -> None:
    text = (
        "builtin.module(func.func(cse,canonicalize{max-iterations=3 test-convergence},"
        "test-strength-reduction{max-shift=4}),any(cse),symbol-dce)"
    )
    assert str(parse_pass_manager(text, context, registry)) == text


def steps(pipeline: str, context: MLIRContext, registry: PassRegistry) -> list[str]:
    manager = parse_pass_manager(pipeline, context, registry)
    return [
        (
            f"native: {step}"
            if isinstance(step, NativePipeline)
            else step.argument if isinstance(step, Pass) else "nested"
        )
        for step in manager.finalize().steps
    ]


def test_consecutive_native_passes_are_one_pipeline(
    context: MLIRContext, registry: PassRegistry
) -> None:
    pipeline = (
        "builtin.module(func.func(cse,canonicalize),symbol-dce,"
        "test-operation-statistics,func.func(cse,test-strength-reduction),cse)"
    )
    assert steps(pipeline, context, registry) == [
        "native: func.func(cse,canonicalize),symbol-dce",
        "test-operation-statistics",
        "nested",
        "native: cse",
    ]


def error_of(pipeline: str, context: MLIRContext, registry: PassRegistry) -> str:
    with pytest.raises(PipelineError) as error:
        parse_pass_manager(pipeline, context, registry)
    return str(error.value)


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        (
            "builtin.module(csse)",
            """\
pass-pipeline:1:16: error: 'csse' does not refer to a registered pass or pass pipeline
builtin.module(csse)
               ^~~~
note: did you mean 'cse'?""",
        ),
        (
            "builtin.module(cse,)",
            """\
pass-pipeline:1:20: error: '' does not refer to a registered pass or pass pipeline
builtin.module(cse,)
                   ^
note: expected a pass, a pass pipeline or an anchor""",
        ),
        (
            "builtin.module(cse{foo=1})",
            """\
pass-pipeline:1:20: error: no such option foo
builtin.module(cse{foo=1})
                   ^~~
note: failed to add `cse` with options `foo=1`""",
        ),
        (
            "builtin.module(canonicalize{max-iteration=1})",
            """\
pass-pipeline:1:29: error: no such option max-iteration
builtin.module(canonicalize{max-iteration=1})
                            ^~~~~~~~~~~~~
note: did you mean 'max-iterations'?
note: failed to add `canonicalize` with options `max-iteration=1`""",
        ),
        (
            "builtin.module(canonicalize{max-iterations=x})",
            """\
pass-pipeline:1:29: error: for the --max-iterations option: 'x' value invalid for long argument!
builtin.module(canonicalize{max-iterations=x})
                            ^~~~~~~~~~~~~~
note: failed to add `canonicalize` with options `max-iterations=x`""",
        ),
        (
            "builtin.module(func.func(gpu-kernel-outlining))",
            """\
pass-pipeline:1:26: error: Can't add pass 'GpuKernelOutliningPass' restricted to 'builtin.module' on a PassManager intended to run on 'func.func', did you intend to nest?
builtin.module(func.func(gpu-kernel-outlining))
                         ^~~~~~~~~~~~~~~~~~~~
note: write it directly inside of 'builtin.module(...)'""",
        ),
        (
            "builtin.module(affine-loop-unroll)",
            """\
pass-pipeline:1:16: error: unable to schedule pass 'AffineLoopUnroll' on a PassManager intended to run on 'builtin.module'!
builtin.module(affine-loop-unroll)
               ^~~~~~~~~~~~~~~~~~
note: 'any(affine-loop-unroll)' nests it""",
        ),
        (
            "builtin.module(inline{op-pipelines=func.func(gpu-kernel-outlining)})",
            """\
pass-pipeline:1:36: error: Can't add pass 'GpuKernelOutliningPass' restricted to 'builtin.module' on a PassManager intended to run on 'func.func', did you intend to nest?
builtin.module(inline{op-pipelines=func.func(gpu-kernel-outlining)})
                                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
note: failed to add `inline` with options `op-pipelines=func.func(gpu-kernel-outlining)`""",
        ),
    ],
)
def test_mistakes_in_a_pipeline_are_errors_at_their_place(
    pipeline: str, expected: str, context: MLIRContext, registry: PassRegistry
) -> None:
    assert error_of(pipeline, context, registry) == expected


def test_the_failure_of_a_native_pass_names_it_and_its_reason_is_reported(
    context: MLIRContext, run: RunPipeline
) -> None:
    said: list[str] = []
    context.diagnostic_handler = lambda diagnostic: said.append(str(diagnostic))
    module = context.parse("func.func private @f(tensor<*xf32>)", "in.mlir")
    with pytest.raises(PassFailure) as failure:
        run(FAILING, module)
    assert failure.value.summary == f"""\
pass 'snapshot-op-locations' failed on 'builtin.module' operation at in.mlir:0:0
note: in the pipeline {FAILING}"""
    assert said[0].startswith("in.mlir:0:0: error: cannot open output file")
    assert said == [str(each) for each in failure.value.diagnostics]


FAILING = "builtin.module(cse,snapshot-op-locations{filename=no/such/dir/file},cse)"
NO_FILE = "snapshot-op-locations{filename=no/such/dir/file}"
SYMBOLS = """\
func.func @a() { return }
func.func private @b()
module @"m/1" { func.func @c() { return } }
"""
UNNAMED = """\
module { func.func @c() { return } }
module { gpu.module @g { gpu.func @c() kernel { gpu.return } } }
"""


@pytest.mark.parametrize(
    ("source", "pipeline", "expected"),
    [
        (
            SYMBOLS,
            "inline,func.func(symbol-dce),cse",
            "'symbol-dce' failed on 'func.func' operation: @a at in.mlir:1:1",
        ),
        (
            SYMBOLS,
            f"builtin.module(cse,func.func({NO_FILE},inline)),inline",
            "'snapshot-op-locations' failed on 'func.func' operation: @c at in.mlir:3:17",
        ),
        (
            UNNAMED,
            f"builtin.module(cse,gpu.module({NO_FILE}))",
            "'snapshot-op-locations' failed on 'gpu.module' operation: @g at in.mlir:2:10",
        ),
        (
            "module {}\nmodule { func.func private @d() }",
            f"builtin.module(cse,func.func({NO_FILE}))",
            "'snapshot-op-locations' failed on 'func.func' operation: @d at in.mlir:2:10",
        ),
        (
            "module { module {} }\nmodule { func.func @c() { return } }",
            "builtin.module(cse,func.func(inline))",
            "'inline' failed on 'func.func' operation: @c at in.mlir:2:10",
        ),
        (
            'func.func @"a\\0Aerror" () { return }',
            "func.func(inline,cse)",
            ("'inline' failed on 'func.func' operation: @'a\\nerror' at in.mlir:1:1"),
        ),
        (
            # A symbol that is not UTF-8 is no name.
            'func.func @"a\\FF" () { return }',
            "func.func(inline)",
            "'inline' failed on 'builtin.module' operation at in.mlir:0:0",
        ),
        (
            # Both functions are called @c, in modules that are called nothing.
            (
                "module { func.func @c() { return } }\n"
                "module { func.func @c(%m: memref<4xf32, 99>) { return } }"
            ),
            "builtin.module(cse,func.func(map-memref-spirv-storage-class))",
            (
                "'map-memref-spirv-storage-class' failed on 'func.func' operation at "
                "in.mlir:2:10"
            ),
        ),
    ],
)
def test_a_failure_inside_a_native_run_names_the_operation_and_the_pass(
    source: str,
    pipeline: str,
    expected: str,
    context: MLIRContext,
    registry: PassRegistry,
) -> None:
    for detail in (Detail.RUNS, Detail.PASSES):
        manager = parse_pass_manager(f"builtin.module({pipeline})", context, registry)
        manager.add_instrumentation(Hooks(detail))
        with pytest.raises(PassFailure) as failure:
            manager.run(context.parse(source, "in.mlir"))
        assert str(failure.value).splitlines()[0] == f"pass {expected}"


def test_the_first_failure_in_the_order_of_the_operations_is_named(
    context: MLIRContext, registry: PassRegistry
) -> None:
    pipeline = f"builtin.module(builtin.module(cse,{NO_FILE}),func.func(inline,cse))"
    manager = parse_pass_manager(pipeline, context, registry)
    with pytest.raises(PassFailure) as failure:
        manager.run(context.parse(SYMBOLS, "in.mlir"))
    assert str(failure.value).splitlines()[0] == (
        "pass 'inline' failed on 'func.func' operation: @a at in.mlir:1:1"
    )


class Hooks(PassInstrumentation):
    """Notes the passes that run, with the given detail."""

    def __init__(self, detail: Detail) -> None:
        super().__init__()
        self.detail = detail  # type: ignore[misc] # of the class elsewhere
        self.noted: list[str] = []

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        del operation
        self.noted.append(f"{pass_.argument} done")

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        del operation
        self.noted.append(f"{pass_.argument} failed")


def test_a_failure_ends_the_pipeline_of_its_anchor_and_no_other(
    context: MLIRContext, registry: PassRegistry
) -> None:
    """As in MLIR when it runs both pipelines itself."""
    reported: list[str] = []
    context.diagnostic_handler = lambda each: reported.append(each.location)
    source = "gpu.module @g {}\nfunc.func @a() { return }"
    functions, kernels = (f"func.func({NO_FILE},cse)", f"gpu.module(cse,{NO_FILE},cse)")
    pipeline = f"builtin.module({functions},{kernels},canonicalize)"
    hooks = Hooks(Detail.PASSES)
    manager = parse_pass_manager(pipeline, context, registry)
    manager.add_instrumentation(hooks)
    with pytest.raises(PassFailure) as failure:
        manager.run(context.parse(source, "in.mlir"))
    assert hooks.noted == [
        "snapshot-op-locations failed",
        "cse done",
        "snapshot-op-locations failed",
    ]
    assert reported == ["in.mlir:2:1", "in.mlir:1:1"]
    assert "'func.func' operation: @a" in str(failure.value)


FUNCTIONS = """\
async.func @f() -> !async.token { return }
wasmssa.func @g() { wasmssa.return }
"""


@pytest.mark.parametrize("anchor", ["async.func", "wasmssa.func", "any"])
def test_a_pass_on_functions_runs_on_those_of_any_dialect(
    anchor: str, context: MLIRContext, registry: PassRegistry
) -> None:
    pipeline = f"builtin.module({anchor}(affine-loop-unroll))"
    hooks = Hooks(Detail.OPERATIONS)
    manager = parse_pass_manager(pipeline, context, registry)
    manager.add_instrumentation(hooks)
    manager.run(context.parse(FUNCTIONS, "in.mlir"))
    num_functions = 2 if anchor == "any" else 1
    assert hooks.noted == ["affine-loop-unroll done"] * num_functions


AFFINE_LOOP = """\
func.func @f(%m: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %0 = affine.load %m[%i] : memref<8xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %m[%i] : memref<8xf32>
  }
  return
}
"""


def affine_registry() -> PassRegistry:
    registry = PassRegistry()
    registerAffinePasses(registry)
    return registry


@pytest.mark.parametrize(
    "argument", [each.argument for each in affine_registry().passes()]
)
def test_each_declared_affine_pass_runs_as_mlirs_own(
    argument: str, context: MLIRContext
) -> None:
    registry = affine_registry()
    use_mlir_passes(registry)
    module = context.parse(AFFINE_LOOP, "in.mlir")
    entry = registry.lookup_pass(argument)
    assert entry is not None
    pipeline = f"builtin.module(func.func({argument}))"
    parse_pass_manager(pipeline, context, registry).run(module)
    context.verify(module)


def test_a_declared_pass_keeps_its_typed_options(context: MLIRContext) -> None:
    registry = affine_registry()
    use_mlir_passes(registry)
    module = context.parse(AFFINE_LOOP, "in.mlir")
    pipeline = "builtin.module(func.func(affine-loop-unroll{unroll-factor=8}))"
    manager = parse_pass_manager(pipeline, context, registry)
    (pass_,) = manager.passes()
    assert pass_.options.unroll_factor == 8  # type: ignore[attr-defined] # declared
    manager.run(module)
    assert context.print(module).count("affine.load") == 8
    assert "affine.for" not in context.print(module)
    assert error_of(
        "builtin.module(func.func(affine-loop-unroll{unroll-factor=x}))",
        context,
        registry,
    ).startswith(
        "pass-pipeline:1:59: error: for the --unroll-factor option: 'x' value invalid"
    )


def test_a_builder_takes_options_of_native_passes_as_a_mapping(
    any_context: MLIRContext, any_registry: PassRegistry
) -> None:
    builder = PassManagerBuilder(any_context, registry=any_registry)
    builder.add("canonicalize", {"max-iterations": 3, "top-down": False})
    builder.add("canonicalize", {"disable-patterns": ["a", "b c"]})
    builder.add("canonicalize{max-iterations=4}")

    assert str(builder.build()) == (
        "builtin.module(canonicalize{max-iterations=3 top-down=false},"
        "canonicalize{disable-patterns={a,'b c'}},canonicalize{max-iterations=4})"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"max-iterations": 2.5},
            "for the --max-iterations option: 2.5 is not a value of int64\nnote: expected an integer of -9223372036854775808 to 9223372036854775807, decimal or prefixed 0x, 0b, 0o or 0",
        ),
        (
            {"max-iteration": [1, True, "x"]},
            "no such option max-iteration\nnote: did you mean 'max-iterations'?",
        ),
        (
            {"region-simplify": "norml"},
            "for the --region-simplify option: Cannot find option named 'norml'!",
        ),
    ],
)
def test_a_wrong_option_of_a_native_pass_is_refused_when_it_is_added(
    options: dict[str, Any], message: str, context: MLIRContext, registry: PassRegistry
) -> None:
    builder = PassManagerBuilder(context, registry=registry)

    with pytest.raises(PassOptionError) as caught:
        builder.add("canonicalize", options)

    assert str(caught.value) == f"{message}\nnote: in the options of 'canonicalize'"
    assert str(builder) == "builtin.module()"


@pytest.mark.parametrize("detail", [Detail.PASSES, Detail.OPERATIONS])
def test_an_instrumentation_may_fail_a_native_pass(
    context: MLIRContext, registry: PassRegistry, detail: Detail
) -> None:
    class FailsCSE(PassInstrumentation):
        def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
            del operation
            ran.append(pass_.argument)
            if pass_.argument == "cse":
                pass_.signal_pass_failure()

    FailsCSE.detail = detail
    ran: list[str] = []
    pipeline = "builtin.module(canonicalize,func.func(cse,canonicalize),symbol-dce)"
    manager = parse_pass_manager(pipeline, context, registry)
    manager.add_instrumentation(FailsCSE())
    with pytest.raises(PassFailure):
        manager.run(context.parse(TWICE, "in.mlir"))
    assert ran == ["canonicalize", "cse"]


@pytest.mark.parametrize("detail", Detail)
def test_what_native_pipelines_met_is_that_of_all_operations(
    detail: Detail, context: MLIRContext, registry: PassRegistry
) -> None:
    class Watcher(PassInstrumentation):
        pass

    Watcher.detail = detail
    # MLIR does not tell what its own pipelines meet: those in the inner one are two.
    inner = "test-operation-statistics,func.func(cse),gpu.module(cse)"
    pipeline = f"builtin.module(builtin.module({inner}))"
    manager = parse_pass_manager(pipeline, context, registry)
    manager.add_instrumentation(Watcher())
    text = "module @m { func.func @f() { return } }\nmodule @n {}"

    manager.run(context.parse(text, "in.mlir"))

    assert manager.unmatched_pipelines() == ["gpu.module(cse)"]


def test_a_registry_with_mlirs_passes_serves_both_libraries(
    context: MLIRContext,
) -> None:
    registry = PassRegistry()
    registry.register_pass(Canonicalizer)
    use_mlir_passes(registry)
    text = "builtin.module(canonicalize)"

    (on_xdsl,) = parse_pass_manager(text, XDSLContext(), registry).passes()
    (on_mlir,) = parse_pass_manager(text, context, registry).passes()

    assert type(on_xdsl) is Canonicalizer
    assert isinstance(on_mlir, NativePass)


def test_a_pass_of_the_other_library_alone_is_named_as_its(
    context: MLIRContext,
) -> None:
    registry = PassRegistry()
    use_mlir_passes(registry, context.bindings.package)

    with pytest.raises(PipelineError, match="is MLIR's own: it runs only on MLIR's IR"):
        parse_pass_manager("builtin.module(sccp)", XDSLContext(), registry)


def test_the_builder_finds_the_passes_of_its_context() -> None:
    registry = PassRegistry()
    registry.register_pass(Canonicalizer)
    use_mlir_passes(registry)
    builder = PassManagerBuilder(registry=registry, context=XDSLContext())
    builder.add("canonicalize")

    (built,) = builder.build().passes()
    assert type(built) is Canonicalizer
