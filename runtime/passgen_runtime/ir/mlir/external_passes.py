"""Passes for the pass manager of MLIR's Python bindings.

manager = mlir.passmanager.PassManager("builtin.module", context)
manager.add("canonicalize")
manager.add(as_callable(UnrollLoops(factor=4)))
manager.run(module.operation)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic
from passgen_runtime.errors import PassFailure, text_of, wrong_argument
from passgen_runtime.ir.embedding import embed_pipeline, errors_collected_in
from passgen_runtime.ir.mlir.bindings import MLIRObject
from passgen_runtime.ir.mlir.context import MLIRContext
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import OpPassManager

ExternalPassRun: TypeAlias = Callable[[MLIRObject, MLIRObject], None]
"""A function of an operation and the `ExternalPass`, both of the bindings."""

_PLACE: Final = re.compile(r"(.*):(\d+):(\d+)", re.DOTALL)


def as_callable(pipeline: Pass | OpPassManager) -> ExternalPassRun:
    """Return `pipeline` as a callable that `PassManager.add` of the bindings takes.

    It runs on the operation from MLIR if that is of its anchor, else on those inside
    that are. The pass itself runs, not a copy, so that its statistics count the run.
    Its errors become MLIR diagnostics, and its failure fails MLIR's pass.

    Raises:
        TypeError: `pipeline` is neither a pass nor a pipeline.
    """
    if not isinstance(pipeline, Pass | OpPassManager):
        raise wrong_argument("as_callable()", pipeline, "a pass or an OpPassManager")

    def run(operation: MLIRObject, external_pass: MLIRObject) -> None:
        errors: list[Diagnostic] = []
        # MLIR's native code is built without exceptions: none must cross it.
        try:
            # With `mlir`, the context leaves on the threads that MLIR uses now.
            context = MLIRContext(mlir=operation.context)
            manager = embed_pipeline(pipeline, context, operation.name)
            with errors_collected_in(errors, manager.context):
                manager.run(operation)
        except BaseException as error:  # noqa: BLE001 - reported to MLIR
            text = error.summary if isinstance(error, PassFailure) else text_of(error)
            text = text or type(error).__name__
            errors.append(Diagnostic("error", text, UNKNOWN_LOCATION))
            external_pass.signal_pass_failure()
        for diagnostic in errors:
            _emit(diagnostic, operation)

    # MLIR's reports name the pass after the function.
    run.__name__ = pipeline.name if isinstance(pipeline, Pass) else pipeline.anchor
    return run


def _emit(diagnostic: Diagnostic, operation: MLIRObject) -> None:
    """Report an error through MLIR, located in its file or else at `operation`."""
    location = operation.location
    if (match := _PLACE.fullmatch(diagnostic.location)) is not None:
        place = match[1], int(match[2]), int(match[3])
        location = type(location).file(*place, context=operation.context)
    location.emit_error("\n".join((diagnostic.message, *map(str, diagnostic.notes))))
