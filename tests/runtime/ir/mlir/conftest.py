from __future__ import annotations

import pytest

from passgen_runtime import PassRegistry
from passgen_runtime.context import Operation
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.native_passes import mlir_registry, use_mlir_passes
from passgen_runtime.pass_manager.pass_manager import PassManager
from passgen_runtime.pass_registry.resolution import parse_pass_manager
from tests.mlir_bindings_needed import OF_LLVM_24, RunPipeline, require_bindings
from tests.passgen_test_opt.generated.test_passes import registerTestPasses
from tests.runtime.ir.mlir.mlir_trial import Trial

PACKAGES = ("mlir", "jaxlib.mlir")


@pytest.fixture(params=[*PACKAGES, *OF_LLVM_24])
def package(request: pytest.FixtureRequest) -> str:
    """Each copy of the bindings."""
    package = str(request.param)
    if package in PACKAGES:
        require_bindings(package)
    else:
        pytest.importorskip(f"{package}.ir", exc_type=ImportError)
    return package


@pytest.fixture
def any_context(package: str) -> MLIRContext:
    return MLIRContext(package)


@pytest.fixture
def any_registry(package: str) -> PassRegistry:
    return mlir_registry(package)


@pytest.fixture
def trial(package: str) -> Trial:
    return Trial(package)


@pytest.fixture
def context() -> MLIRContext:
    require_bindings("mlir")
    return MLIRContext()


@pytest.fixture
def registry() -> PassRegistry:
    """MLIR's passes, and those of the tests."""
    require_bindings("mlir")
    registry = PassRegistry()
    registerTestPasses(registry)
    use_mlir_passes(registry)
    return registry


@pytest.fixture
def run(context: MLIRContext, registry: PassRegistry) -> RunPipeline:
    def run_pipeline(pipeline: str, operation: Operation) -> PassManager:
        manager = parse_pass_manager(pipeline, context, registry)
        manager.run(operation)
        return manager

    return run_pipeline
