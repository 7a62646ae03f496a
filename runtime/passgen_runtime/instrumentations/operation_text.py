"""What instrumentations say and show of the operation that a pass runs on."""

from __future__ import annotations

from passgen_runtime.context import Context, Operation
from passgen_runtime.operation_pass.operation_pass import Pass

PIPELINE_FAILED = "Failures have been detected while processing an MLIR pass pipeline"
"""MLIR's words for a run in which a pass has failed, or ended its process."""


def top_level_operation(context: Context, operation: Operation) -> Operation:
    """Return the outermost operation around `operation`."""
    outermost = operation
    while (parent := context.parent(outermost)) is not None:
        outermost = parent
    return outermost


def subject(context: Context, pass_: Pass, operation: Operation) -> str:
    """Return how MLIR's messages call a pass on an operation."""
    symbol = context.symbol_name(operation)
    named = "" if symbol is None else f": @{symbol}"
    return f"`{pass_.name}` on '{context.name(operation)}' operation{named}"
