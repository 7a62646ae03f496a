"""`--jobs` and `--executor`: nested pipelines run in other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PIPELINE_SOURCE
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import UsageError, number, seconds, switch, text
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.parts.timing import TimingPart
from passgen_tools.opt.platform import why_no_threads

if TYPE_CHECKING:
    from passgen_tools.workers import Workers

_PRELOADED: Final = ("passgen_tools.workers",)


class WorkersPart(DriverPart):
    """Runs nested pipelines in workers, and reports the operations it sent."""

    jobs = number(
        "jobs", "run nested pipelines in N processes if that is faster; 0: do not", "N"
    )
    executor = text(
        "executor",
        "run nested pipelines on a cluster where that is faster",
        "dask:ADDRESS|ray:ADDRESS",
    )
    job_timeout_s = seconds(
        "job-timeout",
        "end a worker that exceeds this time on one operation; 0: no limit",
    )

    sends_always = switch(
        "jobs-always", "send every operation to a worker, also where that is slower"
    )

    _workers: Workers | None = None
    """The workers of the current input."""

    @property
    def has_workers(self) -> bool:
        """Whether other processes may run nested pipelines."""
        return self.jobs > 0 or self.executor is not None

    def check(self, _passes: Callable[[], PassRegistry]) -> None:
        """Check that there is one kind of workers, or none.

        Raises:
            UsageError: there are two, a flag needs workers and there are none, or the
                platform has no processes.
        """
        if self.has_workers and (reason := why_no_threads()):
            flag = "--jobs" if self.jobs else "--executor"
            raise UsageError(f"for the {flag} option: {reason}")
        if not self.has_workers:
            if self.job_timeout_s:
                raise UsageError("for the --job-timeout option: it needs --jobs")
            if self.sends_always:
                raise UsageError("for the --jobs-always option: it needs --jobs")
        if self.jobs and self.executor is not None:
            raise UsageError(
                "--jobs starts processes on this machine, and --executor uses a cluster"
            )

    @contextmanager
    def around_input(self, run: DriverRun) -> Iterator[None]:
        """Report the operations sent to workers, below the times of a text report."""
        self._workers = None
        try:
            yield
        finally:
            timing = run.part(TimingPart)
            is_timed = timing is not None and timing.timing
            if is_timed and self._workers and run.options.report_format == "text":
                lines = (f"  Workers: {line}\n" for line in self._workers.report)
                run.report("".join(lines))

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Run in workers; report that none was used because of what else is asked for.

        Raises:
            ExecutorError: there is no such cluster, or the bound on jobs is no number.
        """
        self._workers = self._make_workers()
        run.runner = self._workers or run.runner
        yield
        if self._workers is not None and self._workers.why_unused is not None:
            message = self._workers.why_unused
            run.context.handle(Diagnostic("remark", message, PIPELINE_SOURCE))

    def _make_workers(self) -> Workers | None:
        if not self.has_workers:
            return None
        from passgen_tools.workers import (
            ProcessPool,
            Workers,
            bounded_jobs,
            parse_executor,
        )

        if self.executor is not None:
            executor = parse_executor(self.executor)
        else:
            jobs = bounded_jobs(self.jobs)
            if jobs <= 1 and not self.sends_always:
                return None  # one process would wait for this one, and this for it
            executor = partial(ProcessPool, jobs, _PRELOADED)
        return Workers(
            executor,
            job_timeout_s=self.job_timeout_s or None,
            sends_always=self.sends_always,
        )
