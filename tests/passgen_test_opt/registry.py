"""What `passgen-test-opt` offers: the shipped passes, and those of specs/test.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import get_all_dialects

from passgen_runtime import (
    BOOL,
    OpPassManager,
    PassOptions,
    PassRegistry,
    list_option,
    option,
    parse_pass_pipeline,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import register_all_passes
from passgen_tools import opt
from tests.passgen_test_opt.documented_passes import register_documented
from tests.passgen_test_opt.generated.test_passes import (
    TestGreedyPatternDriverOptions,
    TestOptionsPassOptions,
    TestOptionsSuperPassOptions,
    createTestFunctionPass,
    createTestGreedyPatternDriver,
    createTestModulePass,
    createTestOptionsPass,
    createTestOptionsPassA,
    createTestOptionsPassB,
    createTestOptionsSuperPass,
    registerTestPasses,
)
from tests.passgen_test_opt.nested_options import NESTED_OPTIONS, NestedOptions
from tests.passgen_test_opt.steps import register_steps
from tests.passgen_test_opt.test_dialect import test_dialect

REGISTRY = PassRegistry()


@dataclass(kw_only=True)
class SuperPassPipelineOptions(PassOptions):
    groups: list[NestedOptions] = list_option("super-list", NESTED_OPTIONS)


@dataclass(kw_only=True)
class SuperSetOptions(PassOptions):
    foo: bool = option("foo", BOOL, default=False)
    bar: bool = option("bar", BOOL, default=False)


def make_context(*, allow_unregistered: bool) -> XDSLContext:
    """Return a context in which the dialect `test` has MLIR's test operations too."""
    xdsl = Context(allow_unregistered=allow_unregistered)
    for name, factory in get_all_dialects().items():
        xdsl.register_dialect(name, test_dialect if name == "test" else factory)
    return XDSLContext(xdsl)


def _nested_pipeline(manager: OpPassManager) -> None:
    inner = manager.nest("builtin.module")
    inner.add_pass(createTestModulePass())
    inner.nest("func.func").add_pass(createTestFunctionPass())
    manager.nest("func.func").add_pass(createTestFunctionPass())


def _textual_nested_pipeline(manager: OpPassManager) -> None:
    text = (
        "builtin.module(builtin.module(test-module-pass,func.func(test-function-pass)),"
        "func.func(test-function-pass))"
    )
    manager.elements += parse_pass_pipeline(text, REGISTRY).elements


def _patterns_pipeline(
    manager: OpPassManager, options: TestGreedyPatternDriverOptions
) -> None:
    manager.add_pass(createTestGreedyPatternDriver(options))


def _options_pipeline(manager: OpPassManager, options: TestOptionsPassOptions) -> None:
    manager.nest("func.func").add_pass(createTestOptionsPass(options))


def _super_options_pipeline(
    manager: OpPassManager, options: SuperPassPipelineOptions
) -> None:
    inner = TestOptionsSuperPassOptions(groups=options.groups)
    manager.nest("func.func").add_pass(createTestOptionsSuperPass(inner))


def _super_set_pipeline(manager: OpPassManager, _options: SuperSetOptions) -> None:
    manager.nest("func.func").add_pass(createTestOptionsPassA())
    manager.nest("func.func").add_pass(createTestOptionsPassB())


def _register() -> None:
    register_all_passes(REGISTRY)
    registerTestPasses(REGISTRY)
    register_steps(REGISTRY)
    register_documented(REGISTRY)
    add = REGISTRY.register_pipeline
    add("test-pm-nested-pipeline", "Nest pass managers", _nested_pipeline)
    add(
        "test-textual-pm-nested-pipeline",
        "Nest pass managers by their text",
        _textual_nested_pipeline,
    )
    add(
        "test-patterns",
        "Run test-greedy-patterns, which had this name before LLVM 21",
        _patterns_pipeline,
        TestGreedyPatternDriverOptions,
    )
    add(
        "test-options-pass-pipeline",
        "Give options to test-options-pass",
        _options_pipeline,
        TestOptionsPassOptions,
    )
    add(
        "test-options-super-pass-pipeline",
        "Give groups of options to test-options-super-pass",
        _super_options_pipeline,
        SuperPassPipelineOptions,
    )
    add(
        "test-options-super-set-ab-pipeline",
        "Share options among two passes",
        _super_set_pipeline,
        SuperSetOptions,
    )


_register()


def main(argv: Sequence[str]) -> int:
    """Run the driver, for tests in this process."""
    return opt.main(argv, registry=REGISTRY, make_context=make_context)
