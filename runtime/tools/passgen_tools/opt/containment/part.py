"""`--contain` and `--timeout`: whether the driver runs in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from passgen_tools.opt.command_line import UsageError, optional_switch, seconds
from passgen_tools.opt.driver_part import DriverCall, DriverPart
from passgen_tools.opt.parts.reproducers import ReproducersPart
from passgen_tools.opt.parts.workers import WorkersPart
from passgen_tools.opt.platform import why_no_threads
from passgen_tools.python_programs import START_ALONE

if TYPE_CHECKING:
    from passgen_tools.opt.containment.contained_run import ContainedRun
    from passgen_tools.opt.driver import DriverFactory, DriverRunner


class ContainmentPart(DriverPart):
    """Lets passes run in a process that may end."""

    contain = optional_switch(
        "contain", "run in a child process, and report a pass that crashes"
    )
    timeout_s = seconds(
        "timeout",
        "stop the work on an input after this time, and report its state; 0: never",
    )

    @contextmanager
    def around_call(self, call: DriverCall) -> Iterator[DriverRunner | None]:
        """Return a runner of the driver in a process of its own, if that is wanted.

        Raises:
            UsageError: `--contain` or `--timeout` was given, and it is not possible.
        """
        if not self._is_wanted(call):
            yield None
        elif start := _start_alone(call):
            yield lambda _: start()
        else:
            yield self._run_contained

    def _run_contained(self, run_driver: Callable[[DriverFactory], int]) -> int:
        from passgen_tools.opt.containment.contained_driver import ContainedDriver
        from passgen_tools.opt.containment.supervisor import contain

        def work(contained: ContainedRun) -> int:
            return run_driver(partial(ContainedDriver, contained=contained))

        return contain(work, self.timeout_s)

    def _is_wanted(self, call: DriverCall) -> bool:
        """Return whether passes run in a process of their own.

        A crash reproducer implies it if it is possible; if not, a crash leaves only the
        reproducer. A time limit needs it.

        Raises:
            UsageError: `--contain` or `--timeout` was given, and containment is not
                possible.
        """
        wanted, has_limit = self.contain, self.timeout_s > 0
        flag = "--contain" if wanted else "--timeout"
        workers = call.part(WorkersPart)
        if workers is not None and workers.has_workers:
            if wanted or has_limit:
                raise UsageError(
                    f"for the {flag} option: workers contain the passes that run in "
                    "them, and --job-timeout limits their time"
                )
            return False
        if wanted is False and has_limit:
            raise UsageError("for the --timeout option: it needs --contain")
        reproducers = call.part(ReproducersPart)
        is_implied = bool(reproducers and reproducers.crash_reproducer is not None)
        if not (wanted or has_limit or (is_implied and wanted is None)):
            return False
        reason = why_no_threads()
        if reason is None:
            from passgen_tools.opt.containment.supervisor import obstacle

            is_started = (wanted or has_limit) and _start_alone(call) is not None
            reason = None if is_started else obstacle(is_program=call.is_program)
        if reason is not None and (wanted or has_limit):
            raise UsageError(f"for the {flag} option: {reason}")
        return reason is None


def _start_alone(call: DriverCall) -> Callable[[], int] | None:
    """Return what starts the driver as a program, if this process is not one."""
    return None if call.is_program else START_ALONE.get()
