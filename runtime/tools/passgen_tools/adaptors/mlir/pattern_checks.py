"""Checks around the functions in Python that patterns on MLIR's IR call.

MLIR matches and rewrites by itself. What is seen are the calls of constraints, and of
rewrites that are all that a pattern does; in other ones, PDL changes something itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.pattern_hooks import PatternAttempt
from passgen_tools.adaptors.pattern_checks import (
    BY_REWRITER,
    CHANGES_NOTHING,
    CHANGES_SOMETHING,
    NO_USE_OF_ERASED,
    UNDOES_NOTHING,
    VALID_BETWEEN,
    Finding,
    PatternChecks,
)

_NOT_SEEN: Final = "MLIR applies patterns itself, and shows no single changes"


class MLIRPatternChecks(PatternChecks):
    """Compares the IR around calls of functions."""

    unchecked: Mapping[str, str] = dict.fromkeys(
        (BY_REWRITER, VALID_BETWEEN, NO_USE_OF_ERASED, UNDOES_NOTHING), _NOT_SEEN
    )

    def __init__(self, context: Context) -> None:
        """Look at IR of `context`."""
        self._context = context

    def around(self, attempt: PatternAttempt, found: list[Finding]) -> bool:
        """Make an attempt; see `PatternChecks`."""
        scope = self._scope(attempt.operation)
        before = self._context.fingerprint(scope)
        is_applied = attempt.run()
        is_same = self._context.fingerprint(scope) == before
        if is_applied and is_same:
            what = "reports success, but changes nothing"
            found.append(Finding(CHANGES_SOMETHING, what))
        elif not (is_applied or is_same):
            name = self._context.describe(scope)
            what = f"tests a condition, but changes {name}"
            found.append(Finding(CHANGES_NOTHING, what))
        return is_applied

    def _scope(self, operation: Operation) -> Operation:
        """Return the operation around that nothing inside looks out of."""
        inner, around = operation, self._context.parent(operation)
        while around is not None:
            inner = around
            info = self._context.info(inner)
            if info is None or info.is_isolated_from_above:
                break
            around = self._context.parent(inner)
        return inner
