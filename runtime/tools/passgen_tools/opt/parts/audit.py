"""`--audit` and `--verify-forms`: passes are checked while they run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from passgen_runtime.errors import PassError
from passgen_tools.opt.command_line import switch
from passgen_tools.opt.driver_part import DriverPart, DriverRun


class AuditPart(DriverPart):
    """Checks that passes keep the rules for their authors, and what they declare."""

    audit = switch("audit", "check that passes keep the rules for their authors")
    verify_forms = switch(
        "verify-forms", "check that passes find and leave the forms that they declare"
    )

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Print violations at once.

        Raises:
            PassError: there are violations.
        """
        if not self.audit and not self.verify_forms:
            yield
            return
        from passgen_tools.audit import enable_audit
        from passgen_tools.forms import verify_forms

        audit = enable_audit(run.manager) if self.audit else None
        forms = verify_forms(run.manager)
        yield
        if count := len(forms.violations) + (len(audit.violations) if audit else 0):
            found = f"{count} {'violation' if count == 1 else 'violations'}"
            name = "audit" if audit else "verification of forms"
            raise PassError(f"the {name} found {found}")
