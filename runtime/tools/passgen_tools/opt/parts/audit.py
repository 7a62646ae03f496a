"""`--audit`: passes are checked while they run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from passgen_runtime.errors import PassError
from passgen_tools.opt.command_line import switch
from passgen_tools.opt.driver_part import DriverPart, DriverRun


class AuditPart(DriverPart):
    """Checks that passes keep the rules for their authors."""

    audit = switch("audit", "check that passes keep the rules for their authors")

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Print violations at once.

        Raises:
            PassError: there are violations.
        """
        if not self.audit:
            yield
            return
        from passgen_tools.audit import enable_audit

        audit = enable_audit(run.manager)
        yield
        if audit.violations:
            count = len(audit.violations)
            raise PassError(
                f"the audit found {count} {'violation' if count == 1 else 'violations'}"
            )
