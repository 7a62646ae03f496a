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

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.audit.audit import (
    Audit as Audit,
    AuditError as AuditError,
    Violation as Violation,
    enable_audit as enable_audit,
)
from passgen_tools.audit.pattern_audit import (
    PatternAudit as PatternAudit,
    audit_patterns as audit_patterns,
)
from passgen_tools.audit.determinism import (
    SAME_EVERY_TIME as SAME_EVERY_TIME,
    SAMPLE_SIZE as SAMPLE_SIZE,
    verify_determinism as verify_determinism,
)
