"""The text of operations that instrumentations print: whatever state the IR is in."""

from __future__ import annotations

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError
from passgen_runtime.operation_pass import Pass


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


def text_of(context: Context, operation: Operation, *, generic: bool = False) -> str:
    """Return the text of `operation` without a line end.

    As MLIR does, IR that does not verify is printed in the generic form: the custom
    forms rely on what the verifier checks. IR that cannot be printed at all becomes a
    comment that says so.
    """
    try:
        if not generic:
            try:
                context.verify(operation)
            except PassError:
                generic = True
        return context.print(operation, generic=generic)
    except Exception as error:  # noqa: BLE001 - a broken state is what is looked at
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        return f"// '{context.name(operation)}' does not print: {reason}"
