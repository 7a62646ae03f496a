"""Pass managers of the bindings that passes make: what MLIR would end the process for."""

from __future__ import annotations

import pytest

from passgen_runtime import PipelineError
from tests.mlir_ir.mlir_trial import Native, Trial, Work, first_function, operations_in

RESTRICTED = (
    "Can't add pass 'GpuKernelOutliningPass' restricted to 'builtin.module' on a "
    "PassManager intended to run on 'func.func'"
)
BY_PIPELINE = f"{RESTRICTED}, as 'gpu-lower-to-nvvm-pipeline' does"


def parsing(pipeline: str) -> Work:
    def work(pass_: Native) -> None:
        bindings = pass_.context.bindings
        bindings.passmanager.PassManager.parse(pipeline, pass_.context.mlir)

    return work


def adding(anchor: str, elements: str) -> Work:
    def work(pass_: Native) -> None:
        bindings = pass_.context.bindings
        manager = bindings.passmanager.PassManager(anchor, pass_.context.mlir)
        manager.add(elements)

    return work


@pytest.mark.parametrize("package", ["mlir"])
@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (parsing("func.func(gpu-lower-to-nvvm-pipeline)"), BY_PIPELINE),
        (
            parsing("any(func.func(gpu-lower-to-nvvm-pipeline{opt-level=3}))"),
            BY_PIPELINE,
        ),
        (
            parsing("any(inline{op-pipelines=func.func(gpu-kernel-outlining)})"),
            RESTRICTED,
        ),
        (
            parsing("any(inline{op-pipelines=func.func(gpu-lower-to-nvvm-pipeline)})"),
            BY_PIPELINE,
        ),
        (adding("func.func", "cse,gpu-lower-to-nvvm-pipeline"), BY_PIPELINE),
        (
            parsing("any(" * 20_000 + "cse" + ")" * 20_000),
            "pipelines nest at most 1000 deep here",
        ),
    ],
)
def test_it_is_an_error(trial: Trial, work: Work, expected: str) -> None:
    failure = trial.failure("builtin.module(do)", work)
    assert failure[1] == f"note: it raised ValueError: {expected}"


@pytest.mark.parametrize("package", ["mlir"])
@pytest.mark.parametrize(
    "pipeline",
    [
        "any(convert-func-to-spirv)",
        "any(cse,convert-to-llvm)",
        "any(any(func.func(any(cse)),convert-to-llvm))",
    ],
)
def test_no_pass_runs_where_it_ends_the_process(trial: Trial, pipeline: str) -> None:
    argument = "convert-to-llvm" if "llvm" in pipeline else "convert-func-to-spirv"

    def work(pass_: Native) -> None:
        parse = pass_.context.bindings.passmanager.PassManager.parse
        is_nested = "any(any" in pipeline
        top = pass_.operation if is_nested else first_function(pass_)
        parse(pipeline, pass_.context.mlir).run(top)

    failure = trial.failure("builtin.module(do)", work)
    assert failure[1] == (
        f"note: it raised ValueError: MLIR cannot run '{argument}' on 'func.func' at "
        "in.mlir:1:1"
    )


def test_what_mlir_refuses_by_itself_it_says_itself(trial: Trial) -> None:
    for work in (parsing("any(csee)"), parsing("any(cse,)"), adding("any", "cse(")):
        failure = trial.failure("builtin.module(do)", work)
        assert "ValueError: MLIR Textual PassPipeline Parser" in failure[1]


@pytest.mark.parametrize("package", ["mlir"])
@pytest.mark.parametrize(
    "pipeline",
    [
        "builtin.module(gpu-lower-to-nvvm-pipeline)",
        "any(gpu-lower-to-nvvm-pipeline,tosa-to-linalg-pipeline)",
        "func.func(buffer-deallocation-pipeline)",
        "builtin.module(sparsifier,inline{op-pipelines=func.func(canonicalize)})",
        "any(" * 500 + "cse" + ")" * 500,
    ],
)
def test_what_mlir_takes_is_taken(trial: Trial, pipeline: str) -> None:
    trial.run("builtin.module(do)", parsing(pipeline))


def test_a_manager_runs_what_was_parsed_and_added(trial: Trial) -> None:
    def work(pass_: Native) -> None:
        bindings = pass_.context.bindings
        parse = bindings.passmanager.PassManager.parse
        manager = parse(context=pass_.context.mlir, pipeline="builtin.module(cse)")
        manager.add("func.func(canonicalize)")
        manager.add(lambda operation, _pass: operations_in(operation)[2].erase())
        manager.run(pass_.operation)

    trial.run("builtin.module(do)", work)
    assert len(operations_in(trial.module)) == 2
    assert trial.context.print(trial.module).count("arith.addi") == 2


def test_a_pipeline_in_an_option_is_looked_into_before_anything_runs() -> None:
    trial = Trial("mlir")
    pipeline = (
        "builtin.module(inline{op-pipelines=func.func(gpu-lower-to-nvvm-pipeline)})"
    )
    with pytest.raises(PipelineError) as error:
        trial.manager(pipeline)
    assert BY_PIPELINE in str(error.value)


def test_managers_do_what_they_did_where_nothing_runs(trial: Trial) -> None:
    bindings = trial.context.bindings
    manager = bindings.passmanager.PassManager.parse("any(cse)", trial.context.mlir)
    manager.add("canonicalize")
    manager.run(trial.module)
    assert str(manager).startswith("any(cse,canonicalize")
