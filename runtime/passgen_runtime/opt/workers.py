"""The workers of one call of `passgen-opt`, and what it says about them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PIPELINE_SOURCE
from passgen_runtime.opt.options import DriverOptions

if TYPE_CHECKING:
    from passgen_runtime.extensions.workers import Workers

_PRELOADED = ("passgen_runtime.extensions.workers",)
_STAYS = "all ran in this process"


def workers_of(options: DriverOptions) -> Workers | None:
    """Return the workers that are asked for, if any.

    Raises:
        ExecutorError: there is no such cluster, or the bound on jobs is no number.
    """
    if not options.has_workers:
        return None
    from passgen_runtime.extensions.workers import (
        ProcessPool,
        Workers,
        bounded_jobs,
        parse_executor,
    )

    job_timeout_s = options.job_timeout_s or None
    if options.executor is not None:
        return Workers(parse_executor(options.executor), job_timeout_s=job_timeout_s)
    jobs = bounded_jobs(options.jobs)
    if jobs <= 1:  # one process would wait for this one, and this one for it
        return None
    pool = partial(ProcessPool, jobs, _PRELOADED)
    return Workers(pool, job_timeout_s=job_timeout_s)


def report_workers(workers: Workers | None, context: Context) -> None:
    """Report that no worker was used because of what else was asked for."""
    for line in dict.fromkeys(workers.report if workers is not None else ()):
        if line.startswith(_STAYS):
            context.handle(Diagnostic("remark", line, PIPELINE_SOURCE))


def workers_text(options: DriverOptions, workers: Workers | None) -> str:
    """Return what was sent to workers and why, below the times of a text report."""
    if workers is None or options.report_format != "text":
        return ""
    return "".join(f"  Workers: {line}\n" for line in workers.report)
