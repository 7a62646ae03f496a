"""The request to count how often patterns are applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passgen_tools.worker_parts import WorkerPart, register_part
from passgen_runtime.pass_instrumentation import Detail, PassInstrumentation

if TYPE_CHECKING:
    from passgen_runtime.context import Context
    from passgen_tools.worker_parts import Send


class PatternCounts(PassInstrumentation):
    """Lets passes count how often each of their patterns is applied.

    Passes on xDSL's IR always count. On MLIR's IR, a count takes half as long as a
    rewrite, so that they count where this instrumentation is added.
    """

    detail = Detail.RUNS


class _CountsPart(WorkerPart):
    """Lets passes in workers count; their statistics come back by themselves."""

    factory = f"{__name__}:counts_in_worker"


def counts_in_worker(context: Context, settings: None, send: Send) -> PatternCounts:
    """Return the instrumentation that lets passes in a worker count."""
    del context, settings, send
    return PatternCounts()


register_part(PatternCounts, lambda _: _CountsPart())
