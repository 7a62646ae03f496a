"""`--audit` and `--verify-forms`: passes and patterns are checked while they run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic
from passgen_runtime.errors import PassError, SchedulingError
from passgen_tools.opt.command_line import choice, switch
from passgen_tools.opt.driver_part import DriverPart, DriverRun


class AuditPart(DriverPart):
    """Checks that passes keep the rules for their authors, and what they declare."""

    audit = choice(
        "audit",
        "check that passes keep the rules for their authors, or patterns theirs",
        choices=("patterns",),
        value="boolean",
    )
    verify_determinism = choice(
        "verify-determinism",
        "check that passes do the same in other processes, on 1000 operations or all",
        choices=("all",),
        value="boolean",
    )
    verify_forms = switch(
        "verify-forms", "check that passes find and leave the forms that they declare"
    )

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Print violations at once, those of determinism after a run.

        Raises:
            PassError: there are violations.
        """
        audits_patterns = self.audit == "patterns"
        audits_passes = bool(self.audit) and not audits_patterns
        if not (self.audit or self.verify_determinism or self.verify_forms):
            yield
            return
        from passgen_tools.audit import (
            SAME_EVERY_TIME,
            SAMPLE_SIZE,
            audit_patterns,
            enable_audit,
            verify_determinism,
        )
        from passgen_tools.forms import verify_forms

        is_full = self.verify_determinism == "all"
        checks: dict[str, Any] = {}
        unchecked: dict[str, str] = {}
        if audits_patterns:
            checks["patterns"] = audit_patterns(run.manager)
        if audits_passes or self.verify_forms:
            checks["forms"] = verify_forms(run.manager)
        if audits_passes:
            checks["audit"] = enable_audit(run.manager)
        if audits_passes or self.verify_determinism:
            try:
                checks["determinism"] = verify_determinism(
                    run.manager,
                    sample_size=None if is_full else SAMPLE_SIZE,
                )
            except SchedulingError as error:  # the IR cannot be sent to processes
                if self.verify_determinism:
                    raise
                unchecked[SAME_EVERY_TIME] = str(error)
        yield
        for name in ("patterns", "audit"):
            if name in checks:
                unchecked |= checks[name].unchecked
        for rule, reason in unchecked.items():
            message = f"the audit does not check that {rule}: {reason}"
            run.context.handle(Diagnostic("warning", message, UNKNOWN_LOCATION))
        if count := sum(len(check.violations) for check in checks.values()):
            found = f"{count} {'violation' if count == 1 else 'violations'}"
            name = "audit" if self.audit else f"verification of {' and '.join(checks)}"
            raise PassError(f"the {name} found {found}")
