"""Passes under the pass manager of MLIR's own Python bindings."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from passgen_runtime import (
    OperationPass,
    PassOptions,
    PassRegistry,
    parse_pass_manager,
    parse_pass_pipeline,
)
from passgen_runtime.instrumentations.pass_timing import enable_timing
from passgen_runtime.ir.mlir import MLIRContext, as_callable, use_mlir_passes
from passgen_runtime.pass_statistics import statistic

SOURCE = """\
func.func @f() { return }
func.func @g() { return }
"""


class Mark(OperationPass[PassOptions]):
    """Marks functions."""

    argument = "mark"
    anchor = "func.func"
    num_marks = statistic("num-marks", "Marks made")
    fails = False

    def run_on_operation(self) -> None:
        self.num_marks += 1
        if self.fails:
            self.emit_error("no marks today")
            self.signal_pass_failure()
        else:
            self.operation.attributes["marked"] = self.operation.attributes["sym_name"]


class Raise(OperationPass[PassOptions]):
    """Raises an exception."""

    argument = "raise"
    error: BaseException = KeyError("none")

    def run_on_operation(self) -> None:
        raise self.error


@pytest.fixture
def context(package: str) -> MLIRContext:
    return MLIRContext(package)


@pytest.fixture
def module(context: MLIRContext) -> Any:  # noqa: ANN401 - of the bindings
    return context.bindings.ir.Module.parse(SOURCE, context.mlir).operation


def manager_of(
    context: MLIRContext, anchor: str = "builtin.module"
) -> Any:  # noqa: ANN401
    bindings = importlib.import_module(f"{context.bindings.package}.passmanager")
    return bindings.PassManager(anchor, context.mlir)


@pytest.mark.parametrize("anchor", ["builtin.module", "any"])
def test_mlir_runs_a_pass_on_the_operations_of_its_anchor(
    anchor: str, context: MLIRContext, module: Any  # noqa: ANN401
) -> None:
    mark, manager = Mark(), manager_of(context, anchor)
    manager.add("canonicalize")
    manager.add(as_callable(mark))

    manager.run(module)

    assert str(module).count("marked = ") == 2
    assert mark.num_marks.value == 2
    assert "Mark" in str(manager)


def test_mlir_runs_a_pipeline_with_passes_of_its_own(
    context: MLIRContext, module: Any  # noqa: ANN401
) -> None:
    registry = PassRegistry()
    registry.register_pass(Mark)
    use_mlir_passes(registry, context.bindings.package)
    for text in (
        "builtin.module(func.func(mark,cse),symbol-dce)",
        "func.func(mark,cse)",
    ):
        manager = manager_of(context)
        manager.add(as_callable(parse_pass_pipeline(text, registry)))
        manager.run(module)

    assert str(module).count("marked = ") == 2


def test_a_pass_manager_keeps_its_statistics_and_instrumentations(
    context: MLIRContext, module: Any  # noqa: ANN401
) -> None:
    registry = PassRegistry()
    registry.register_pass(Mark)
    own = parse_pass_manager("builtin.module(func.func(mark))", context, registry)
    timing = enable_timing(own)
    manager = manager_of(context)
    manager.add(as_callable(own))

    manager.run(module)

    assert "(S) 2 num-marks - Marks made" in own.statistics_report()
    assert "Mark" in timing.report()


def test_errors_and_failures_are_those_of_mlir(
    context: MLIRContext, module: Any  # noqa: ANN401
) -> None:
    mark, manager = Mark(), manager_of(context)
    mark.fails = True
    manager.add(as_callable(mark))

    with pytest.raises(context.bindings.ir.MLIRError) as caught:
        manager.run(module)

    found = [
        (each.message, str(each.location)) for each in caught.value.error_diagnostics
    ]
    assert [place for _, place in found[:2]] == ['loc("-":1:1)', 'loc("-":2:1)']
    assert found[0][0].startswith("no marks today")
    assert found[-1][0].startswith(
        "pass 'mark' failed on 'func.func' operation: @f at -:1:1"
    )


@pytest.mark.parametrize(
    "error", [KeyError("none"), SystemExit(3), KeyboardInterrupt()]
)
def test_no_exception_crosses_native_code(
    error: BaseException, context: MLIRContext, module: Any  # noqa: ANN401
) -> None:
    raising, manager = Raise(), manager_of(context)
    raising.error = error
    manager.add(as_callable(raising))

    with pytest.raises(context.bindings.ir.MLIRError) as caught:
        manager.run(module)

    assert len(caught.value.error_diagnostics) == 1


def test_mlir_takes_nothing_else() -> None:
    with pytest.raises(TypeError, match="a pass or an OpPassManager"):
        as_callable("cse")  # type: ignore[arg-type]
