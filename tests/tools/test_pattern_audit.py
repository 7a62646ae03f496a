"""The audit of patterns: planted faults, and patterns without any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)

from passgen_runtime import OperationPass, PassManager, PassOptions
from passgen_runtime.errors import PassError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.watched_patterns import watched
from passgen_tools.audit import PatternAudit, audit_patterns
from passgen_tools.adaptors import UNDOES_NOTHING
from tests.planted_pattern_faults import FAULTS, IR, Fault


class Rewrites(OperationPass[PassOptions]):
    """Applies patterns by xDSL's driver."""

    argument = "rewrites"
    anchor = "builtin.module"

    def __init__(self, *patterns: RewritePattern, is_recursive: bool = True) -> None:
        super().__init__()
        self.patterns = patterns
        self.is_recursive = is_recursive

    def run_on_operation(self) -> None:
        applier = GreedyRewritePatternApplier([*self.patterns], dce_enabled=False)
        walker = PatternRewriteWalker(
            watched(self, applier), apply_recursively=self.is_recursive
        )
        walker.rewrite_module(self.operation)


def audited(pass_: Any, text: str = IR) -> tuple[PatternAudit, list[str]]:  # noqa: ANN401
    """Run a pass; return the audit, and its messages."""
    context = XDSLContext()
    context.prints_operation_on_diagnostic = False
    manager = PassManager(context)
    manager.verify_each = False
    audit = audit_patterns(manager)
    manager.add_pass(pass_)
    messages: list[str] = []
    with context.redirecting_diagnostics(lambda found: messages.append(str(found))):
        try:
            manager.run(context.parse(text, "planted.mlir"))
        except PassError:
            pass
    return audit, messages


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found_by_its_rule_alone(fault: Fault) -> None:
    patterns = [planted.pattern() for planted in fault.patterns]
    audit, _ = audited(Rewrites(*patterns, is_recursive=fault.rule == UNDOES_NOTHING))
    found = [(v.rule, v.found) for v in audit.violations]
    print(*audit.violations, sep="\n")
    assert [rule for rule, _ in found] == [fault.rule]
    assert found[0][1].startswith(f"tries pattern '{fault.name}', which {fault.found}")
