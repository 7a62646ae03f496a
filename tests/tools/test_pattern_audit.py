"""The audit of patterns: planted faults, and patterns that keep the rules."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from xdsl.dialects import arith
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)

from passgen_runtime import OperationPass, PassManager, PassOptions, PassRegistry
from passgen_runtime.context import Context
from passgen_runtime.errors import IRError, PassError
from passgen_runtime.instrumentations.pattern_hooks import (
    MayLeaveInvalidIR,
    PatternAttempt,
    PatternInstrumentation,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.watched_patterns import watched
from passgen_runtime.pass_registry.resolution import parse_pass_manager
from passgen_runtime.patterns import DriverName, PatternDriver, Patterns
from passgen_tools.adaptors import (
    BY_REWRITER,
    CHANGES_NOTHING,
    CHANGES_SOMETHING,
    NO_USE_OF_ERASED,
    PATTERN_RULES,
    UNDOES_NOTHING,
    VALID_BETWEEN,
)
from passgen_tools.audit import PatternAudit, audit_patterns
from passgen_tools.opt import main, shipped_registry
from passgen_tools.testing import PassTester
from tests.inner_pytest import run_inside
from tests.mlir_bindings_needed import require_bindings
from tests.pattern_cases import MATCH, TWICE, pass_of, pattern
from tests.planted_pattern_faults import (
    FAULTS,
    IR,
    Fault,
    Planted,
    erases_the_terminator,
    marks_what_it_visits,
    says_so,
    to_add,
    to_sub,
)

INPUTS: Final = Path(__file__).parents[1] / "runtime" / "filecheck" / "passes"


class Rewrites(OperationPass[PassOptions]):
    """Applies patterns by xDSL's driver."""

    argument = "rewrites"
    anchor = "builtin.module"
    is_watched = True

    def __init__(self, *planted: Planted, is_recursive: bool = False) -> None:
        super().__init__()
        self.rewrite_patterns = [each.pattern() for each in planted]
        self.is_recursive = is_recursive

    def run_on_operation(self) -> None:
        pattern: RewritePattern = GreedyRewritePatternApplier(
            self.rewrite_patterns, dce_enabled=False
        )
        if self.is_watched:
            pattern = watched(self, pattern)
        walker = PatternRewriteWalker(pattern, apply_recursively=self.is_recursive)
        walker.rewrite_module(self.operation)


class RewritesAsAllowed(MayLeaveInvalidIR, Rewrites):
    """May leave invalid IR between two patterns."""


class RewritesUnseen(Rewrites):
    """Gives its patterns to xDSL's driver alone."""

    is_watched = False


def audit_of(
    pass_: Any,  # noqa: ANN401 - any kind of pass
    text: str = IR,
    context: Context | None = None,
) -> PatternAudit:
    """Run a pass, which may fail, and return the audit of its patterns."""
    context = context or XDSLContext()
    manager = PassManager(context, nesting="implicit")
    manager.verify_each = False
    audit = audit_patterns(manager)
    manager.add_pass(pass_)
    module = context.parse(text, "planted.mlir")
    with context.redirecting_diagnostics(lambda _: None), suppress(PassError):
        manager.run(module)
    return audit


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found_by_its_rule_alone(fault: Fault) -> None:
    is_recursive = fault.rule == UNDOES_NOTHING
    audit = audit_of(Rewrites(*fault.patterns, is_recursive=is_recursive))

    (violation,) = audit.violations
    assert violation.rule == fault.rule
    text = f"tries pattern '{fault.name}', which {fault.found}"
    assert violation.found.startswith(text)


def test_a_message_names_pass_pattern_operation_place_and_rule() -> None:
    (violation,) = audit_of(Rewrites(Planted(says_so))).violations

    place = "planted.mlir:7:10"
    assert str(violation) == (
        f"{place}: error: pass 'rewrites' on 'arith.addi' operation at {place} tries "
        "pattern 'says_so', which reports success, but changes nothing\n"
        f"{place}: note: the rule: {CHANGES_SOMETHING}"
    )


def test_a_fault_is_reported_once_with_a_count() -> None:
    text = IR.replace("}\n", "}\n", 1) + IR.replace("@f", "@g").replace("@o", "@p")

    (violation,) = audit_of(Rewrites(Planted(marks_what_it_visits)), text).violations

    assert len(violation.others) == 1
    assert "note: also on 1 other operation 'arith.addi' operation" in str(violation)


def test_patterns_that_undo_one_another_forever_are_stopped() -> None:
    planted = Planted(to_sub), Planted(to_add, arith.SubiOp)

    (violation,) = audit_of(Rewrites(*planted, is_recursive=True)).violations

    assert len(violation.others) == 99


def test_a_pass_may_declare_that_it_leaves_invalid_ir() -> None:
    planted = Planted(erases_the_terminator)

    assert [v.rule for v in audit_of(Rewrites(planted)).violations] == [VALID_BETWEEN]
    assert audit_of(RewritesAsAllowed(planted)).violations == []


def test_a_pass_whose_patterns_are_not_seen_is_named() -> None:
    audit = audit_of(RewritesUnseen(Planted(says_so)))

    assert audit.violations == []
    (reason,) = audit.unchecked.values()
    assert reason.startswith("it saw none of 'rewrites'; patterns are seen if they are")
    assert audit_of(Rewrites(Planted(says_so))).unchecked == {}


# Declared patterns, on both IRs.


def mark(*values: Any) -> bool:  # noqa: ANN401 - of either library
    """Mark an operation in a test of a condition."""
    operation = values[0]
    operation.attributes["seen"] = next(iter(operation.attributes.values()), None) or (
        next(iter(operation.properties.values()))
    )
    return False


def do_nothing(*_: object) -> None:
    """Do nothing in a rewrite."""


CONDITION = (
    f'{MATCH}pdl.apply_native_constraint "mark"(%root : !pdl.operation)\n'
    "pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }"
)
CALL = f"""{MATCH}pdl.rewrite %root {{
  pdl.apply_native_rewrite "doNothing"(%root : !pdl.operation)
}}"""
DECLARED: Final = {
    "condition": (CONDITION, CHANGES_NOTHING),
    "call": (CALL, CHANGES_SOMETHING),
}


@pytest.fixture(params=["xdsl", pytest.param("mlir", marks=pytest.mark.bindings)])
def context(request: pytest.FixtureRequest) -> Context:
    """A context of either library."""
    if request.param == "xdsl":
        return XDSLContext()
    require_bindings("mlir")
    from passgen_runtime.ir.mlir import MLIRContext  # noqa: PLC0415 - it needs bindings

    return MLIRContext()


def declared(pdl: str, driver: DriverName = "walk") -> Patterns:
    """Return a pass with a pattern that may call the functions above."""
    class_ = pass_of(
        pattern(pdl),
        native_constraints=(("mark", mark),),
        native_rewrites=(("doNothing", do_nothing),),
        pattern_driver=PatternDriver(driver),
    )
    return class_()


@pytest.mark.parametrize("case", DECLARED)
def test_a_declared_pattern_with_a_fault_is_found(case: str, context: Context) -> None:
    pdl, rule = DECLARED[case]

    (violation,) = audit_of(declared(pdl), TWICE, context).violations

    assert violation.rule == rule
    assert violation.found.startswith("tries pattern 'squareToSelf', which ")
    assert len(violation.others) == 1


def test_declared_patterns_that_keep_the_rules_are_not_accused(
    context: Context,
) -> None:
    right = CONDITION.replace('"mark"', '"isFine"')
    class_ = pass_of(pattern(right), native_constraints=(("isFine", lambda _: True),))

    assert audit_of(class_(), TWICE, context).violations == []


def test_the_rules_that_mlir_lets_one_not_see_are_named() -> None:
    require_bindings("mlir")
    from passgen_runtime.ir.mlir import MLIRContext  # noqa: PLC0415 - it needs bindings

    audit = audit_of(declared(CALL), TWICE, MLIRContext())

    unseen = BY_REWRITER, VALID_BETWEEN, NO_USE_OF_ERASED, UNDOES_NOTHING
    assert set(audit.unchecked) == set(unseen) < set(PATTERN_RULES)


test_the_rules_that_mlir_lets_one_not_see_are_named = pytest.mark.bindings(
    test_the_rules_that_mlir_lets_one_not_see_are_named
)

# Patterns that keep the rules.


class CountsApplications(PatternInstrumentation):
    """Counts the attempts that succeed."""

    num_applied = 0

    def around_pattern(self, attempt: PatternAttempt) -> bool:
        is_applied = attempt.run()
        self.num_applied += is_applied
        return is_applied


def test_shipped_patterns_and_those_of_xdsl_are_not_accused() -> None:
    pipeline = "builtin.module(canonicalize,arith-identities,arith-strength-reduction)"
    counts = CountsApplications()
    violations: list[str] = []
    for path in sorted(INPUTS.glob("*.mlir")):
        for number, text in enumerate(path.read_text().split("// -----")):
            context = XDSLContext()
            try:
                module = context.parse(text, f"{path.name}#{number}")
            except IRError:  # a test of the parser
                continue
            manager = parse_pass_manager(pipeline, context, shipped_registry())
            audit = audit_patterns(manager)
            manager.add_instrumentation(counts)
            with context.redirecting_diagnostics(lambda _: None), suppress(PassError):
                manager.run(module)
            violations += map(str, audit.violations)

    assert violations == []
    assert counts.num_applied > 100


# Where it is turned on.


def test_a_tester_audits_patterns_if_asked() -> None:
    pass_ = Rewrites(Planted(marks_what_it_visits))

    with pytest.raises(AssertionError, match="does not match, but changes"):
        PassTester(audit=False, audit_patterns=True).assert_unchanged(pass_, IR)


def test_the_flag_of_the_driver_counts_violations_and_names_what_it_does_not_see(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "planted.mlir"
    source.write_text(IR)
    registry = PassRegistry()
    registry.register_factory = None  # type: ignore[attr-defined]
    code = main([str(source), "--canonicalize", "--audit=patterns"])

    assert code == 0
    assert "warning" not in capsys.readouterr().err
