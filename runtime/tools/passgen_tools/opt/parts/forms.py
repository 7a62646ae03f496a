"""`--verify-forms`, and a part of `--audit`: verifies the forms that passes declare."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from passgen_runtime.errors import PassError
from passgen_tools.opt.command_line import switch
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.parts.audit import AuditPart


class FormsPart(DriverPart):
    """Verifies the forms that passes need and give."""

    verify_forms = switch(
        "verify-forms", "check that passes find and leave the forms that they declare"
    )

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Print violations at once.

        Raises:
            PassError: there are violations.
        """
        audit = run.part(AuditPart)
        if not (self.verify_forms or (audit and audit.audit)):
            yield
            return
        from passgen_tools.forms import verify_forms

        verifier = verify_forms(run.manager)
        yield
        if count := len(verifier.violations):
            found = "1 form" if count == 1 else f"{count} forms"
            raise PassError(f"{found} did not hold where passes declare it")
