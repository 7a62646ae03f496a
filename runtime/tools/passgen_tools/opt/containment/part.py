"""`--contain` and `--timeout`: whether the driver runs in a process of its own."""

from __future__ import annotations

from passgen_tools.opt.command_line import UsageError, optional_switch, seconds
from passgen_tools.opt.driver_part import DriverPart
from passgen_tools.opt.parts.reproducers import ReproducersPart
from passgen_tools.opt.parts.workers import WorkersPart
from passgen_tools.opt.platform import lack_of_threads


class ContainmentPart(DriverPart):
    """Lets passes run in a process that may end."""

    contain = optional_switch(
        "contain", "run in a child process, and report a pass that crashes"
    )
    timeout_s = seconds(
        "timeout",
        "stop the work on an input after this time, and report its state; 0: never",
    )

    def is_wanted(self, *, is_program: bool) -> bool:
        """Return whether passes run in a process of their own.

        A crash reproducer implies it if it is possible; if not, a crash leaves only the
        reproducer. A time limit needs it.

        Args:
            is_program: whether this process does nothing but run the driver.

        Raises:
            UsageError: `--contain` or `--timeout` was given, and containment is not
                possible.
        """
        wanted, has_limit = self.contain, self.timeout_s > 0
        flag = "--contain" if wanted else "--timeout"
        if WorkersPart(self.line).has_workers:
            if wanted or has_limit:
                raise UsageError(
                    f"for the {flag} option: workers contain the passes that run in "
                    "them, and --job-timeout limits their time"
                )
            return False
        if wanted is False and has_limit:
            raise UsageError("for the --timeout option: it needs --contain")
        is_implied = ReproducersPart(self.line).crash_reproducer is not None
        if not (wanted or has_limit or (is_implied and wanted is None)):
            return False
        reason = lack_of_threads()
        if reason is None:
            from passgen_tools.opt.containment.supervisor import obstacle

            reason = obstacle(is_program=is_program)
        if reason is not None and (wanted or has_limit):
            raise UsageError(f"for the {flag} option: {reason}")
        return reason is None
