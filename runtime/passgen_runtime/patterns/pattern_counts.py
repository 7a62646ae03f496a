"""The request to count how often patterns are applied."""

from __future__ import annotations

from passgen_runtime.pass_instrumentation import Detail, PassInstrumentation


class PatternCounts(PassInstrumentation):
    """Lets passes count how often each of their patterns is applied.

    Passes on xDSL's IR always count. On MLIR's IR, a count takes half as long as a
    rewrite, so that they count where this instrumentation is added.
    """

    detail = Detail.RUNS
