"""Guards of the bindings' own pass managers, which passes make and run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from passgen_runtime.errors import PassOptionError, PipelineError
from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import children_of, described
from passgen_runtime.ir.mlir_guard_checks import Guard, Method, erasures_in
from passgen_runtime.ir.mlir_option_pipelines import check_pipeline, dangers
from passgen_runtime.ir.mlir_pattern_matches import check_no_pattern
from passgen_runtime.textual_pipeline import (
    ANY_ANCHOR,
    PipelineElement,
    parse_elements,
)


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
            _check_passes(bindings, str(self), operation.operation)
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


def _check_passes(bindings: Bindings, pipeline: str, operation: MLIRObject) -> None:
    """Check that MLIR survives the passes of `pipeline` on `operation` and inside it.

    Raises:
        ValueError: it does not.
    """
    try:
        elements = parse_elements(pipeline).elements
    except PipelineError:
        return  # what MLIR prints of it cannot be read
    if _limited(bindings, elements):
        for manager in elements:
            _check_elements(bindings, manager.nested or (), [operation])


def _check_elements(
    bindings: Bindings,
    elements: Iterable[PipelineElement],
    operations: Sequence[MLIRObject],
) -> None:
    for element in elements:
        if not _limited(bindings, (element,)):
            continue
        if element.nested is not None:
            inner = [
                child
                for each in operations
                for child in children_of(each)
                if element.name in (ANY_ANCHOR, child.name)
            ]
            _check_elements(bindings, element.nested, inner)
            continue
        for argument, info in dangers(bindings, element.name, element.options):
            for each in operations:
                if info.endangers(each.name):
                    message = f"MLIR cannot run '{argument}' on {described(each)}"
                    raise ValueError(message)


def _limited(bindings: Bindings, elements: Iterable[PipelineElement]) -> bool:
    """Return whether MLIR does not survive a pass in `elements` on some operation."""
    for element in elements:
        if element.nested is not None:
            if _limited(bindings, element.nested):
                return True
        elif any(dangers(bindings, element.name, element.options)):
            return True
    return False
