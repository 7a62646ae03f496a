"""Pipelines of MLIR's own passes, in Python and in `mlir-opt`.

They run as text, through `passgen-opt --ir=mlir`, and as values of `ir.mlir.passes`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from passgen_runtime import OpPassManager, PassManager
from passgen_runtime.ir.mlir import MLIRContext, passes
from passgen_runtime.ir.mlir.known_passes import llvm_passes
from passgen_runtime.textual_pipeline import PipelineElement, parse_elements
from passgen_tools.opt import main
from tests.mlir_bindings_needed import require_bindings

INPUTS = Path(__file__).with_name("mlir_inputs")

PIPELINES = {
    "affine": [
        "",
        "func.func(affine-loop-unroll{unroll-factor=4})",
        "func.func(affine-loop-unroll{unroll-up-to-factor=true unroll-factor=32},canonicalize)",
        "func.func(affine-loop-tile{tile-size=4}),canonicalize",
        "func.func(affine-loop-tile{tile-sizes=4,8,2 separate})",
        "affine-loop-fusion,func.func(affine-scalrep,canonicalize)",
        "func.func(affine-scalrep),cse,canonicalize",
        "func.func(affine-loop-invariant-code-motion,affine-loop-normalize)",
        "func.func(affine-super-vectorize{virtual-vector-size=8})",
        "func.func(affine-parallelize{max-nested=1}),canonicalize",
        "func.func(affine-loop-unroll-jam{unroll-jam-factor=2},cse)",
        "lower-affine,canonicalize{max-iterations=2},cse",
        "lower-affine,convert-scf-to-cf,convert-cf-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts",
    ],
    "scf": [
        "convert-scf-to-cf",
        "func.func(canonicalize,cse,loop-invariant-code-motion),symbol-dce",
        "func.func(scf-for-loop-peeling),canonicalize",
        "func.func(scf-parallel-loop-tiling{parallel-loop-tile-sizes=4,4})",
        "func.func(scf-parallel-loop-fusion),canonicalize",
        "scf-for-to-while,canonicalize",
        "func.func(gpu-map-parallel-loops),convert-parallel-loops-to-gpu,gpu-kernel-outlining",
        "any(cse,canonicalize),symbol-dce",
        "convert-scf-to-openmp",
        "sccp,cse,func.func(control-flow-sink)",
        "func.func(scf-for-loop-canonicalization,scf-forall-to-for),canonicalize",
    ],
    "linalg": [
        "linalg-fuse-elementwise-ops",
        "linalg-generalize-named-ops,linalg-fuse-elementwise-ops,canonicalize",
        "one-shot-bufferize{bufferize-function-boundaries=true},func.func(convert-linalg-to-loops)",
        "one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},convert-linalg-to-affine-loops,func.func(affine-loop-tile)",
        "one-shot-bufferize{bufferize-function-boundaries},convert-linalg-to-parallel-loops,canonicalize,cse",
        "linalg-specialize-generic-ops",
        "linalg-fold-unit-extent-dims,canonicalize",
    ],
    "memref": [
        "expand-strided-metadata,canonicalize",
        "fold-memref-alias-ops,lower-affine",
        "func.func(affine-scalrep),canonicalize",
        "normalize-memrefs,mem2reg,canonicalize",
        "expand-strided-metadata,lower-affine,finalize-memref-to-llvm{index-bitwidth=32}",
        "func.func(promote-buffers-to-stack{max-alloc-size-in-bytes=1024})",
    ],
    "vector": [
        "func.func(lower-vector-multi-reduction),canonicalize",
        "convert-vector-to-scf{full-unroll=true},convert-scf-to-cf",
        "convert-vector-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts",
        "func.func(lower-vector-multi-reduction{lowering-strategy=inner-reduction}),cse",
    ],
    "gpu": [
        "gpu-kernel-outlining,gpu.module(gpu.func(cse,canonicalize))",
        "gpu.module(convert-gpu-to-nvvm,reconcile-unrealized-casts)",
        "gpu-kernel-outlining,func.func(gpu-async-region),canonicalize",
        "gpu.module(cse),any(canonicalize)",
        "gpu-kernel-outlining,gpu.module(convert-gpu-to-rocdl{chipset=gfx900})",
    ],
    "llvm": [
        "inline,canonicalize,cse",
        "inline{default-pipeline=canonicalize inlining-threshold=10}",
        "llvm.func(cse,canonicalize),func.func(sccp),symbol-dce",
        "convert-cf-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts",
        "ensure-debug-info-scope-on-llvm-func,strip-debuginfo",
        "composite-fixed-point-pass{pipeline=canonicalize,cse max-iterations=5}",
    ],
}
CASES = [(name, each) for name, pipelines in PIPELINES.items() for each in pipelines]


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 40
    assert set(PIPELINES) == {each.stem for each in INPUTS.glob("*.mlir")}


@pytest.mark.parametrize(("name", "pipeline"), CASES)
def test_the_output_is_that_of_mlir_opt(
    name: str, pipeline: str, mlir_opt: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    require_bindings("mlir")
    file = INPUTS / f"{name}.mlir"
    flag = f"--pass-pipeline=builtin.module({pipeline})"
    theirs = subprocess.run(
        [mlir_opt, flag, file], capture_output=True, text=True, check=False
    )
    assert theirs.stderr == ""
    code = main(["--ir=mlir", flag, str(file)])
    ours = capfd.readouterr()
    assert (code, ours.out, ours.err) == (theirs.returncode, theirs.stdout, "")


def add_values(manager: OpPassManager, elements: tuple[PipelineElement, ...]) -> None:
    """Add the passes that `elements` name to `manager`, as values."""
    for element in elements:
        if element.nested is not None:
            add_values(manager.nest(element.name), element.nested)
            continue
        info = llvm_passes()[element.name]
        options = {
            option.key.replace("-", "_"): info.options[option.key].read(option)
            for option in element.options
        }
        manager.add_pass(getattr(passes, info.name)(**options))


@pytest.mark.parametrize(("name", "pipeline"), CASES)
def test_passes_as_values_give_the_output_of_mlir_opt(
    name: str, pipeline: str, mlir_opt: Path
) -> None:
    require_bindings("mlir")
    file = INPUTS / f"{name}.mlir"
    theirs = subprocess.run(
        [mlir_opt, f"--pass-pipeline=builtin.module({pipeline})", file],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    context = MLIRContext()
    manager = PassManager(context)
    add_values(manager, parse_elements(pipeline).elements)
    module = context.parse(file.read_text("utf-8"), str(file))

    manager.run(module)

    assert context.print(module).strip() == theirs.stdout.strip()
