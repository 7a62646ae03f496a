"""Guards of the bindings' own pass managers, which passes make and run."""

from __future__ import annotations

from passgen_runtime.errors import PassOptionError
from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_guard_checks import Guard, Method, erasures_in
from passgen_runtime.ir.mlir_option_pipelines import check_pipeline
from passgen_runtime.ir.mlir_rewrite_guards import check_no_pattern
from passgen_runtime.textual_pipeline import ANY_ANCHOR


def manager_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of `bindings` that are for pass managers."""
    manager = bindings.passmanager.PassManager
    return (
        (manager, "parse", _parse),
        (manager, "add", _add),
        (manager, "run", _run),
    )


def _parse(bindings: Bindings, original: Method) -> Method:
    def parse(pipeline: str, *args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        _check(bindings, pipeline, ANY_ANCHOR)
        return original(pipeline, *args, **named)

    return parse


def _add(bindings: Bindings, original: Method) -> Method:
    def add(self: MLIRObject, *args: MLIRObject, **named: MLIRObject) -> None:
        pipeline = args[0] if args else named.get("pipeline")
        if isinstance(pipeline, str):
            _check(bindings, pipeline, str(self).partition("(")[0])
        original(self, *args, **named)

    return add


def _run(bindings: Bindings, original: Method) -> Method:
    def run(self: MLIRObject, operation: MLIRObject) -> None:
        erasures = erasures_in(bindings, operation)
        if erasures is not None:
            check_no_pattern(operation.operation, "run on")
            with erasures.called_by_pass():
                erasures.prepare_native_run(operation.operation)
        original(self, operation)

    return run


def _check(bindings: Bindings, pipeline: str, anchor: str) -> None:
    """Check that MLIR survives `pipeline` on `anchor`.

    Raises:
        ValueError: it does not; so the bindings report what else is wrong.
    """
    if bindings.running:
        try:
            check_pipeline(bindings, pipeline, anchor)
        except PassOptionError as error:
            raise ValueError(str(error)) from None
