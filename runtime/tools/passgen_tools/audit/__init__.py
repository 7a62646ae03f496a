"""Audit: finds the passes that break the rules for pass authors.

The rules are those of "Operation Pass" of MLIR's PassManagement page. A pass that
breaks one may work until it runs in threads, in another order or in another pipeline.

    audit = enable_audit(manager)
    manager.run(module)
    for violation in audit.violations:
        print(violation)

An audited run compares all IR around each pass: it is slow, and has one thread. Every
violation that it reports is one, but it does not find all: of the state of a pass it
compares the parts that `pass_state` names, and it finds a wrongly preserved analysis
only if all were preserved or the class of the analysis defines `__eq__`.
"""

from passgen_tools.audit.audit import (
    Audit,
    AuditError,
    Violation,
    can_audit,
    enable_audit,
)
from passgen_tools.audit.determinism import DeterminismCheck, verify_determinism

__all__ = [
    "Audit",
    "AuditError",
    "DeterminismCheck",
    "Violation",
    "can_audit",
    "enable_audit",
    "verify_determinism",
]
