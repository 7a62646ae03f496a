"""The workers of one call of `passgen-opt`, and what it says about them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PIPELINE_SOURCE
from passgen_runtime.opt.options import DriverOptions
from passgen_runtime.pass_manager import PassManager

if TYPE_CHECKING:
    from concurrent.futures import Executor

_PRELOADED = ("passgen_runtime.extensions.workers",)
_STAYS = "all ran in this process"


def workers_of(options: DriverOptions) -> Callable[[], Executor] | None:
    """Return what starts processes or connects to a cluster, if that is asked for.

    Raises:
        ExecutorError: there is no such cluster, or the bound on jobs is no number.
    """
    if not options.has_workers:
        return None
    from passgen_runtime.extensions.workers import (
        ProcessPool,
        bounded_jobs,
        parse_executor,
    )

    if options.executor is not None:
        return parse_executor(options.executor)
    jobs = bounded_jobs(options.jobs)
    # One process more would wait for this one, and this one for it.
    return partial(ProcessPool, jobs, _PRELOADED) if jobs > 1 else None


def report_workers(manager: PassManager) -> None:
    """Report that no worker was used because of what else was asked for."""
    for line in dict.fromkeys(manager.distribution_report):
        if line.startswith(_STAYS):
            manager.context.handle(Diagnostic("remark", line, PIPELINE_SOURCE))


def workers_text(options: DriverOptions, manager: PassManager) -> str:
    """Return what was sent to workers and why, below the times of a text report."""
    if options.report_format != "text":
        return ""
    return "".join(f"  Workers: {line}\n" for line in manager.distribution_report)
