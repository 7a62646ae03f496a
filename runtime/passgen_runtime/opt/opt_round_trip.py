"""`--verify-roundtrip`: whether the input survives being printed and parsed again."""

from __future__ import annotations

from passgen_runtime.context import Context, Operation, PrintingFlags
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError


def verify_round_trip(context: Context, operation: Operation) -> None:
    """Check that the text of `operation` parses to the same IR; locations aside.

    Raises:
        IRError: it does not parse, or to other IR.
    """
    flags = PrintingFlags()
    text = context.print(operation, flags=flags)
    subject, location = f"'{context.name(operation)}' op", context.location(operation)
    try:
        parsed = context.parse(text, "<round-trip>", implicit_module=False)
    except IRError as error:
        message = f"{subject} failed to parse text back, cannot verify round-trip."
        notes = (error.diagnostic,)
        raise IRError(Diagnostic("error", message, location, notes)) from error
    before = context.fingerprint(operation, with_locations=False)
    if before != context.fingerprint(parsed, with_locations=False):
        again = context.print(parsed, flags=flags)
        message = (
            f"{subject} text roundTrip testing roundtripped module differ from "
            f"reference:\n<<<<<<Reference\n{text}\n=====\n{again}\n>>>>>roundtripped\n"
        )
        raise IRError(Diagnostic("error", message, location))
