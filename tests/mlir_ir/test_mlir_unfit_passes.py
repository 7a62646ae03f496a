"""Passes of MLIR that end the process on some operations are kept from these."""

from __future__ import annotations

import pytest

from passgen_runtime import PipelineError
from passgen_runtime.pipeline_resolution import parse_pass_pipeline
from tests.mlir_ir.mlir_trial import Native, Trial, Work, first_function

pytestmark = pytest.mark.parametrize("package", ["mlir"])

FIXED_POINT = "composite-fixed-point-pass{name=it pipeline=%s}"


@pytest.mark.parametrize(
    "pipeline",
    [
        "builtin.module(any(convert-to-llvm))",
        "builtin.module(any(cse,convert-to-llvm))",
        "any(any(convert-to-emitc))",
        "any(any(strip-func-quant-types))",
        f"builtin.module(any({FIXED_POINT % 'convert-to-llvm'}))",
        f"builtin.module(any({FIXED_POINT % (FIXED_POINT % 'convert-to-llvm')}))",
    ],
)
def test_in_any_they_do_not_run_there(trial: Trial, pipeline: str) -> None:
    before = trial.context.print(trial.module)
    trial.run(pipeline)
    assert trial.context.print(trial.module) == before


@pytest.mark.parametrize(
    "pipeline",
    [
        "builtin.module(convert-to-llvm)",
        "any(convert-to-llvm)",
        f"builtin.module({FIXED_POINT % 'convert-to-llvm'})",
    ],
)
def test_elsewhere_they_run(trial: Trial, pipeline: str) -> None:
    trial.run(pipeline)
    assert "llvm.func @f" in trial.context.print(trial.module)


@pytest.mark.parametrize(
    ("pipeline", "name", "argument"),
    [
        ("any(shard-partition)", "Partition", "shard-partition"),
        ("any(cse,shard-partition)", "Partition", "cse"),
    ],
)
def test_the_outermost_any_says_what_it_cannot_run_on(
    trial: Trial, pipeline: str, name: str, argument: str
) -> None:
    assert trial.failure(pipeline) == [
        f"pass '{argument}' failed on 'builtin.module' operation at in.mlir:0:0"
    ]
    assert trial.said == [
        (
            "in.mlir:0:0: error: 'builtin.module' op trying to schedule pass "
            f"'{name}' on an unsupported operation"
        )
    ]


def test_a_dynamic_pipeline_says_it_too(trial: Trial) -> None:
    def work(pass_: Native) -> None:
        pipeline = parse_pass_pipeline("any(convert-to-llvm)", registry=trial.registry)
        assert not pass_.run_pipeline(pipeline, first_function(pass_))
        pass_.signal_pass_failure()

    failure = trial.failure("builtin.module(do)", work)
    assert failure[0] == (
        "pass 'convert-to-llvm' failed on 'func.func' operation: @f at in.mlir:1:1"
    )
    assert trial.said == [
        (
            "in.mlir:1:1: error: 'func.func' op trying to schedule pass "
            "'ConvertToLLVMPass' on an unsupported operation"
        )
    ]


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        (
            "inline{op-pipelines=func.func(convert-to-llvm)}",
            "1:36: error: MLIR cannot run 'convert-to-llvm' on 'func.func'",
        ),
        (
            "inline{op-pipelines=func.func(any(shard-partition))}",
            "1:36: error: MLIR cannot run 'shard-partition' on operations of all types",
        ),
        (
            "inline{default-pipeline=convert-to-llvm}",
            "1:40: error: MLIR cannot run 'convert-to-llvm' on operations of all types",
        ),
        (
            FIXED_POINT % "any(strip-func-quant-types)",
            (
                "1:60: error: MLIR cannot run 'strip-func-quant-types' on operations of all "
                "types"
            ),
        ),
        (
            FIXED_POINT % f"any({FIXED_POINT % 'convert-to-llvm'})",
            "1:60: error: MLIR cannot run 'convert-to-llvm' on operations of all types",
        ),
        (
            f"func.func({FIXED_POINT % 'convert-to-llvm'})",
            (
                "1:26: error: unable to schedule pass 'CompositeFixedPointPass' on a "
                "PassManager intended to run on 'func.func'!"
            ),
        ),
        (
            "func.func(strip-func-quant-types)",
            (
                "1:26: error: Can't add pass 'StripFuncQuantTypes' restricted to "
                "'builtin.module' on a PassManager intended to run on 'func.func', did you "
                "intend to nest?"
            ),
        ),
    ],
)
def test_elsewhere_they_are_refused_before_anything_runs(
    trial: Trial, pipeline: str, expected: str
) -> None:
    with pytest.raises(PipelineError) as error:
        trial.manager(f"builtin.module({pipeline})")
    assert str(error.value).splitlines()[0] == f"pass-pipeline:{expected}"


def running(pipeline: str) -> Work:
    def work(pass_: Native) -> None:
        parse = pass_.context.bindings.passmanager.PassManager.parse
        parse(pipeline, pass_.context.mlir).run(pass_.operation)

    return work


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        (
            "any(any(strip-func-quant-types))",
            "MLIR cannot run 'strip-func-quant-types' on 'func.func' at in.mlir:1:1",
        ),
        (
            f"any(any({FIXED_POINT % 'convert-to-llvm'}))",
            "MLIR cannot run 'convert-to-llvm' on 'func.func' at in.mlir:1:1",
        ),
        (
            "any(inline{default-pipeline=convert-to-llvm})",
            "MLIR cannot run 'convert-to-llvm' on operations of all types",
        ),
        (
            "any(func.func(convert-to-llvm))",
            "MLIR cannot run 'convert-to-llvm' on 'func.func'",
        ),
        (
            "any(gpu-module-to-binary{format=nonsense})",
            (
                "invalid format 'nonsense'; expected one of: assembly, bin, binary, fatbin, "
                "isa, llvm, offloading"
            ),
        ),
    ],
)
def test_managers_of_the_bindings_in_a_pass_refuse_them(
    trial: Trial, pipeline: str, expected: str
) -> None:
    failure = trial.failure("builtin.module(do)", running(pipeline))
    assert failure[1] == f"note: it raised ValueError: {expected}"


FORMATS = "expected one of: assembly, bin, binary, fatbin, isa, llvm, offloading"


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        (
            "gpu-module-to-binary{toolkit=nonsense format=nonsense}",
            f"1:61: error: invalid format 'nonsense'; {FORMATS}",
        ),
        (
            "gpu-module-to-binary{format=''}",
            f"1:44: error: invalid format ''; {FORMATS}",
        ),
        (
            "gpu-lower-to-nvvm-pipeline{cubin-format=nonsense}",
            f"1:56: error: invalid format 'nonsense'; {FORMATS}",
        ),
        (
            "inline{op-pipelines=gpu.module(gpu-module-to-binary{format=nonsense})}",
            f"1:36: error: invalid format 'nonsense'; {FORMATS}",
        ),
    ],
)
def test_values_that_mlir_ends_the_process_for_are_refused(
    trial: Trial, pipeline: str, expected: str
) -> None:
    with pytest.raises(PipelineError) as error:
        trial.manager(f"builtin.module({pipeline})")
    assert str(error.value).splitlines()[0] == f"pass-pipeline:{expected}"


@pytest.mark.parametrize(
    "value", ["assembly", "bin", "binary", "fatbin", "isa", "llvm", "'offloading'"]
)
def test_the_others_are_those_that_mlir_takes(trial: Trial, value: str) -> None:
    trial.run(f"builtin.module(gpu-module-to-binary{{format={value}}})")
