"""The audit of patterns: looks at the IR around each attempt to apply a pattern."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.pattern_hooks import (
    PatternAttempt,
    PatternHook,
    PatternInstrumentation,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import Detail, PipelineParentInfo
from passgen_runtime.pass_manager import PassManager, Runner
from passgen_tools.adaptors import PATTERN_RULES, Finding, PatternChecks
from passgen_tools.audit.audit import Subject, Violation, subject_of
from passgen_tools.ir_libraries import inspector_of

UNSEEN: Final = "all patterns keep the rules for patterns"
_WHAT_IS_SEEN: Final = (
    "patterns are seen if they are declared, of `canonicalize`, or given to `watched`"
)


@dataclass(slots=True)
class _Found:
    """The violations of one rule by one pattern of a pass."""

    subject: Subject
    text: str
    others: list[str] = field(default_factory=list)
    """The other operations on which the pattern breaks the rule."""


class PatternAudit(PatternInstrumentation):
    """Checks each attempt to apply a pattern; reports each fault once, with a count."""

    detail = Detail.PASSES
    why_one_thread = "the audit of patterns compares the IR around each pattern"

    def __init__(self, context: Context) -> None:
        """Start without violations."""
        self.violations: list[Violation] = []
        self._context = context
        self._checks = inspector_of(context).pattern_checks()
        self._found: dict[tuple[str, str, str], _Found] = {}
        """By pass, pattern and rule."""

        self._seen: set[str] = set()
        """The passes whose patterns are seen."""

        self._passes: dict[str, None] = {}

    @property
    def unchecked(self) -> dict[str, str]:
        """The rules that were not checked, or not of all passes, and the reasons."""
        unseen = [name for name in self._passes if name not in self._seen]
        reasons: dict[str, str] = {}
        if self._checks is None:
            library = f"the IR of {type(self._context).__qualname__}"
            reasons = dict.fromkeys(PATTERN_RULES, f"{library} shows no pattern")
        else:
            reasons |= self._checks.unchecked
        if unseen and self._checks is not None:
            names = ", ".join(f"'{name}'" for name in unseen)
            reasons[UNSEEN] = f"it saw none of {names}; {_WHAT_IS_SEEN}"
        return reasons

    def run_before_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Forget what a run that was interrupted has found."""
        if parent.is_outermost:
            self._found.clear()

    def run_before_pass(self, pass_: Pass, _operation: Operation) -> None:
        """Forget the operations of the last pass."""
        self._passes[pass_.argument or pass_.name] = None
        if self._checks is not None:
            self._checks.forget()

    def around_patterns(self, pass_: Pass) -> PatternHook | None:
        """Note that the patterns of a pass are seen, and check them."""
        self._seen.add(pass_.argument or pass_.name)
        return None if self._checks is None else partial(self._check, self._checks)

    def _check(self, checks: PatternChecks, attempt: PatternAttempt) -> bool:
        """Make an attempt, and note which rules it breaks."""
        findings: list[Finding] = []
        try:
            return checks.around(attempt, findings)
        finally:
            for finding in findings:
                self._note(attempt, finding)

    def _note(self, attempt: PatternAttempt, finding: Finding) -> None:
        subject = subject_of(self._context, attempt.pass_, attempt.operation)
        if finding.origin is not None:
            subject = subject._replace(location=self._context.location(finding.origin))
        key = subject.pass_name, attempt.pattern, finding.rule
        if key in self._found:
            self._found[key].others.append(subject.operation)
            return
        text = f"tries pattern '{attempt.pattern}', which {finding.found}"
        self._found[key] = _Found(subject, text)

    def run_after_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Report what was found in the run."""
        if not parent.is_outermost:
            return
        for (_, _, rule), found in self._found.items():
            others = tuple(found.others)
            violation = Violation(*found.subject, rule, found.text, others)
            self.violations.append(violation)
            self._context.handle(violation.diagnostic)
        self._found.clear()


def audit_patterns(manager: PassManager) -> PatternAudit:
    """Let the patterns of all runs of `manager` be audited, in one thread."""
    audit = PatternAudit(manager.context)
    manager.runner = Runner()
    manager.add_instrumentation(audit)
    return audit
