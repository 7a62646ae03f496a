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
        """Print violations after each run.

        Raises:
            PassError: there are violations.
        """
        if not (self.audit or self.verify_determinism or self.verify_forms):
            yield
            return
        checks, unchecked = self._checks(run)
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

    def _checks(self, run: DriverRun) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the checks of a run, and the rules that are not checked, with reasons.

        Raises:
            SchedulingError: determinism is to be verified, and cannot be.
        """
        from passgen_tools.audit import (
            SAME_EVERY_TIME,
            SAMPLE_SIZE,
            audit_patterns,
            enable_audit,
            verify_determinism,
        )
        from passgen_tools.forms import verify_forms

        manager = run.manager
        checks: dict[str, Any] = {}
        unchecked: dict[str, str] = {}
        audits_passes = bool(self.audit) and self.audit != "patterns"
        if self.audit == "patterns":
            checks["patterns"] = audit_patterns(manager)
        if audits_passes or self.verify_forms:
            checks["forms"] = verify_forms(manager)
        if audits_passes:
            checks["audit"] = enable_audit(manager)
        if audits_passes or self.verify_determinism:
            is_full = self.verify_determinism == "all"
            size = None if is_full else SAMPLE_SIZE
            try:
                determinism = verify_determinism(manager, sample_size=size)
                checks["determinism"] = determinism
            except SchedulingError as error:  # the IR cannot be sent to processes
                if self.verify_determinism:
                    raise
                unchecked[SAME_EVERY_TIME] = str(error)
        return checks, unchecked
