from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from passgen_runtime import PassRegistry
from passgen_runtime.context import Operation
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir_passes import mlir_registry
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pipeline_resolution import parse_pass_manager

PACKAGES = ("mlir", "jaxlib.mlir")


def require_bindings(package: str) -> None:
    """Skip the test where the bindings are missing, or fail where they must not be."""
    if find_spec(package.partition(".")[0]) is not None:
        return
    message = f"no bindings of MLIR in '{package}': make llvm-tools"
    if os.environ.get("PASSGEN_REQUIRE_LLVM") == "1":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(params=PACKAGES)
def package(request: pytest.FixtureRequest) -> str:
    require_bindings(request.param)
    return str(request.param)


@pytest.fixture
def context() -> MLIRContext:
    require_bindings("mlir")
    return MLIRContext()


@pytest.fixture
def registry() -> PassRegistry:
    require_bindings("mlir")
    return mlir_registry()


RunPipeline = Callable[[str, Operation], PassManager]


@pytest.fixture
def run(context: MLIRContext, registry: PassRegistry) -> RunPipeline:
    def run_pipeline(pipeline: str, operation: Operation) -> PassManager:
        manager = parse_pass_manager(pipeline, context, registry)
        manager.run(operation)
        return manager

    return run_pipeline


INPUTS = Path(__file__).with_name("inputs")
